// Made by git ctx; `git ctx agent uninstall opencode` removes it. Each event goes
// to `git ctx agent hook opencode EVENT`, which answers {} or {"context": "..."}.
import { spawn } from "node:child_process"

type Text = { type: string; text?: string }

const edits = ["edit", "write", "patch", "apply_patch", "multiedit"]

function ask(event: string, cwd: string, input: object): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn("git", ["ctx", "agent", "hook", "opencode", event], { cwd, stdio: ["pipe", "pipe", "ignore"], timeout: 5000 })
    let out = ""
    child.on("error", () => resolve(""))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (chunk) => (out += chunk))
    child.on("close", () => {
      try {
        resolve(JSON.parse(out).context ?? "")
      } catch {
        resolve("")
      }
    })
    child.stdin.end(JSON.stringify({ cwd, ...input }))
  })
}

export const GitCtx = async ({ directory, client }: { directory: string; client: any }) => {
  // What each session was told: it goes into the system prompt of every request,
  // as opencode keeps none of it.
  const told = new Map<string, Promise<string[]>>()
  const begin = (id: string) => {
    let texts = told.get(id)
    if (!texts) {
      texts = ask("session", directory, { session_id: id, source: "clear" }).then((text) => (text ? [text] : []))
      told.set(id, texts)
    }
    return texts
  }
  const atEdit = new Map<string, string>()

  return {
    "chat.message": async (input: { sessionID: string }, output: { parts: Text[] }) => {
      const texts = await begin(input.sessionID)
      const prompt = output.parts.filter((p) => p.type === "text").map((p) => p.text).join("\n")
      const text = await ask("prompt", directory, { session_id: input.sessionID, prompt })
      if (text) texts.push(text)
    },
    "experimental.chat.system.transform": async (input: { sessionID?: string }, output: { system: string[] }) => {
      if (input.sessionID) output.system.push(...(await begin(input.sessionID)))
    },
    "experimental.session.compacting": async (input: { sessionID: string }) => {
      await ask("compact", directory, { session_id: input.sessionID })
    },
    "tool.execute.before": async (input: { tool: string; sessionID: string; callID: string }, output: { args: object }) => {
      if (!edits.includes(input.tool)) return
      const text = await ask("edit", directory, { session_id: input.sessionID, tool_name: input.tool, tool_input: output.args })
      if (text) atEdit.set(input.callID, text)
    },
    "tool.execute.after": async (input: { callID: string }, output: { output: string }) => {
      const text = atEdit.get(input.callID)
      if (text) output.output += "\n\n" + text
      atEdit.delete(input.callID)
    },
    event: async ({ event }: { event: { type: string; properties?: any } }) => {
      const id = event.properties?.sessionID
      if (event.type !== "session.idle" || !id) return
      const text = await ask("idle", directory, { session_id: id })
      if (text) await client.session.prompt({ path: { id }, body: { noReply: true, parts: [{ type: "text", text }] } })
    },
  }
}
