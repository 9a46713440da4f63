//go:build hosts

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/internal/gittest"
)

// A hostTest runs one agent's host against a model of ours, in a project that git
// ctx has been set up in.
type hostTest struct {
	name string
	// plugin leaves out git ctx agent install.
	plugin bool
	args   []string
	env    []string
	// files are what the user has beside the project's, below HOME.
	files map[string]string
	// answer writes the model's answer to its nth request: a call of the tool named,
	// or text where that is "".
	answer func(w http.ResponseWriter, tool string)
	// shown is how the host shows the model what a hook tells; nil is as it is.
	shown func(text string) string
	// tool finds the name of our packet's tool among those that a request offers.
	tool func(request []byte) string
	// isTurn tells a request of the agent's from others that the host makes.
	isTurn func(path string, request []byte) bool
}

// TestHosts leads the real programs through a session: the model sees the packet,
// a call of our tool comes back answered, and the project's files are as before
// once git ctx is uninstalled. The programs are where $HOSTS says; make hosts puts
// them there.
func TestHosts(t *testing.T) {
	programs := os.Getenv("HOSTS")
	if programs == "" {
		t.Fatal("HOSTS is not set: run make hosts")
	}
	bin := t.TempDir()
	for _, p := range []string{"git-ctx", "git-ctx-mcp"} {
		if out, err := exec.Command("go", "build", "-o", bin+"/", "../"+p).CombinedOutput(); err != nil {
			t.Fatalf("build %s: %v\n%s", p, err, out)
		}
	}
	plugin, err := filepath.Abs("../../integrations/claude-code")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(filepath.Join(programs, "claude"), "plugin", "validate", plugin).CombinedOutput(); err != nil {
		t.Errorf("the plugin is not valid: %v\n%s", err, out)
	}
	for _, h := range []hostTest{claudeTest(), pluginTest(plugin), codexTest(), geminiTest()} {
		t.Run(h.name, func(t *testing.T) { h.run(t, bin, programs) })
	}
}

func (h *hostTest) run(t *testing.T, bin, programs string) {
	repo := gittest.New(t, gittest.Plain)
	home := t.TempDir()
	model := &model{t: t, host: h}
	server := httptest.NewServer(model)
	defer server.Close()
	fill := strings.NewReplacer("$URL", server.URL, "$DIR", repo.Dir, "$HOME", home)
	env := []string{"HOME=" + home, "PATH=" + bin + ":" + programs + ":" + os.Getenv("PATH"), "TERM=dumb", "NO_COLOR=1",
		"GIT_CONFIG_GLOBAL=" + filepath.Join(home, ".gitconfig"), "GIT_CONFIG_NOSYSTEM=1"}
	for _, kv := range h.env {
		env = append(env, fill.Replace(kv))
	}
	for name, text := range h.files {
		write(t, filepath.Join(home, name), fill.Replace(text))
	}
	write(t, filepath.Join(home, ".gitconfig"), gittest.GlobalConfig)
	const settings = "{\n\t\"custom\": [1, 2]\n}"
	write(t, filepath.Join(repo.Dir, ".claude/settings.json"), settings)
	write(t, filepath.Join(repo.Dir, ".gemini/settings.json"), settings)
	before := tree(t, repo.Dir)

	run := func(name string, args ...string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Path = lookIn(name, bin, programs)
		cmd.Err = nil
		cmd.Dir, cmd.Env, cmd.WaitDelay = repo.Dir, env, 10*time.Second
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s %q: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	run("git-ctx", "init", "--review", "any")
	id := strings.TrimSpace(run("git-ctx", "decision", "add", "Use a write-through cache for "+h.name))
	run("git-ctx", "accept", id)
	if !h.plugin {
		run("git-ctx", "agent", "install", h.name)
	}
	packet, _, _ := strings.Cut(run("git-ctx", "packet"), "\n---\n") // which is followed by the time
	var args []string
	for _, a := range h.args {
		args = append(args, fill.Replace(a))
	}
	out := run(args[0], args[1:]...)
	if h.shown != nil {
		packet = h.shown(packet)
	}
	model.check(packet, out)
	if !h.plugin {
		run("git-ctx", "agent", "uninstall", h.name)
	}
	if after := tree(t, repo.Dir); after != before {
		t.Errorf("the project's files were\n%s\nand are\n%s", before, after)
	}
}

// lookIn finds a program in the folders, else on PATH.
func lookIn(name string, dirs ...string) string {
	for _, d := range dirs {
		if p, err := exec.LookPath(filepath.Join(d, name)); err == nil {
			return p
		}
	}
	return name
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// tree is every file of a project, but git's, with its bytes.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.Name() == ".git" && d.IsDir() {
			return filepath.SkipDir
		}
		if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			fmt.Fprintf(&b, "%s %q\n", strings.TrimPrefix(path, dir), data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A model answers what hosts ask over HTTP, and keeps it.
type model struct {
	t    *testing.T
	host *hostTest

	mu     sync.Mutex
	turns  [][]byte
	others []string
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		m.t.Error(err)
	}
	if !m.host.isTurn(r.URL.Path, body) {
		m.mu.Lock()
		m.others = append(m.others, r.Method+" "+r.URL.Path+" "+string(body[:min(len(body), 300)]))
		m.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, "{}")
		return
	}
	m.mu.Lock()
	m.turns = append(m.turns, body)
	n := len(m.turns)
	m.mu.Unlock()
	tool := ""
	if n == 1 {
		tool = m.host.tool(body)
	}
	m.host.answer(w, tool)
}

// check looks for the packet's bytes in the first request, and for what our tool
// answered in the second.
func (m *model) check(packet, out string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	fail := func(format string, args ...any) {
		m.t.Errorf(format+"\noutput: %s\nother requests: %s", append(args, out, strings.Join(m.others, "\n"))...)
	}
	if len(m.turns) < 2 {
		fail("%d requests reached the model", len(m.turns))
		return
	}
	first, second := texts(m.t, m.turns[0]), texts(m.t, m.turns[1])
	if !strings.Contains(packet, "## Decisions in force") || !strings.Contains(first, packet) {
		fail("the first request does not have the packet\n%s\nbut: %s", packet, first)
	}
	words := "Use a write-through cache for " + m.host.name
	if n, had := strings.Count(second, words), strings.Count(first, words); n <= had {
		fail("the second request has the decision %d times, as the first one: %s", n, second)
	}
}

// texts are all strings of a request.
func texts(t *testing.T, request []byte) string {
	var doc any
	if err := json.Unmarshal(request, &doc); err != nil {
		t.Errorf("a request is not JSON: %v", err)
	}
	var b strings.Builder
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			b.WriteString(v + "\n")
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(doc)
	return b.String()
}

// events writes a stream of server-sent events.
func events(w http.ResponseWriter, named bool, all ...map[string]any) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range all {
		if named {
			fmt.Fprintf(w, "event: %s\n", e["type"])
		}
		data, _ := json.Marshal(e)
		fmt.Fprintf(w, "data: %s\n\n", data)
	}
}

type object = map[string]any

func claudeTest() hostTest {
	return hostTest{
		name: "claude",
		args: []string{"claude", "-p", "Say hello.", "--settings", `{"enableAllProjectMcpServers": true}`, "--allowedTools", "mcp__ctx__packet"},
		env:  []string{"ANTHROPIC_BASE_URL=$URL", "ANTHROPIC_API_KEY=none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"},
		isTurn: func(path string, request []byte) bool {
			return path == "/v1/messages" && bytes.Contains(request, []byte("mcp__ctx__packet"))
		},
		tool: func([]byte) string { return "mcp__ctx__packet" },
		answer: func(w http.ResponseWriter, tool string) {
			block, delta, reason := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": "Hello."}, "end_turn"
			if tool != "" {
				block = object{"type": "tool_use", "id": "toolu_01", "name": tool, "input": object{}}
				delta, reason = object{"type": "input_json_delta", "partial_json": "{}"}, "tool_use"
			}
			events(w, true,
				object{"type": "message_start", "message": object{"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
					"content": []any{}, "stop_reason": nil, "usage": object{"input_tokens": 1, "output_tokens": 1}}},
				object{"type": "content_block_start", "index": 0, "content_block": block},
				object{"type": "content_block_delta", "index": 0, "delta": delta},
				object{"type": "content_block_stop", "index": 0},
				object{"type": "message_delta", "delta": object{"stop_reason": reason}, "usage": object{"output_tokens": 1}},
				object{"type": "message_stop"})
		},
	}
}

// pluginTest is Claude Code with the plugin in place of the project's files.
func pluginTest(dir string) hostTest {
	h := claudeTest()
	const tool = "mcp__plugin_git-ctx_ctx__packet"
	h.name, h.plugin = "claude with the plugin", true
	h.args = []string{"claude", "-p", "Say hello.", "--plugin-dir", dir, "--allowedTools", tool}
	h.tool = func([]byte) string { return tool }
	h.isTurn = func(path string, request []byte) bool {
		return path == "/v1/messages" && bytes.Contains(request, []byte(tool))
	}
	return h
}

func codexTest() hostTest {
	return hostTest{
		name: "codex",
		args: []string{"codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", "Say hello."},
		env:  []string{"CODEX_HOME=$HOME/.codex", "MODEL_KEY=none"},
		files: map[string]string{".codex/config.toml": "model = \"m\"\nmodel_provider = \"local\"\n\n[model_providers.local]\nname = \"local\"\nbase_url = \"$URL/v1\"\n" +
			"env_key = \"MODEL_KEY\"\nwire_api = \"responses\"\n\n[projects.\"$DIR\"]\ntrust_level = \"trusted\"\n"},
		isTurn: func(path string, request []byte) bool { return path == "/v1/responses" },
		tool:   func([]byte) string { return "packet" },
		answer: func(w http.ResponseWriter, tool string) {
			item := object{"type": "message", "role": "assistant", "id": "msg_1", "content": []any{object{"type": "output_text", "text": "Hello."}}}
			if tool != "" {
				item = object{"type": "function_call", "id": "fc_1", "call_id": "call_1", "namespace": "mcp__ctx", "name": tool, "arguments": "{}"}
			}
			events(w, true,
				object{"type": "response.created", "response": object{"id": "resp_1"}},
				object{"type": "response.output_item.done", "output_index": 0, "item": item},
				object{"type": "response.completed", "response": object{"id": "resp_1",
					"usage": object{"input_tokens": 1, "input_tokens_details": nil, "output_tokens": 1, "output_tokens_details": nil, "total_tokens": 2}}})
		},
	}
}

func geminiTest() hostTest {
	return hostTest{
		name: "gemini",
		args: []string{"gemini", "--yolo", "-m", "gemini-2.5-flash", "-p", "Say hello."},
		env:  []string{"GOOGLE_GEMINI_BASE_URL=$URL", "GEMINI_API_KEY=none", "GEMINI_CLI_NO_RELAUNCH=true"},
		files: map[string]string{".gemini/settings.json": `{"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": false}, "general": {"disableAutoUpdate": true}}`,
			".gemini/trustedFolders.json": `{"$DIR": "TRUST_FOLDER"}`},
		isTurn: func(path string, request []byte) bool { return strings.Contains(path, ":streamGenerateContent") },
		shown:  func(text string) string { return strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(text) },
		tool:   func([]byte) string { return "mcp_ctx_packet" },
		answer: func(w http.ResponseWriter, tool string) {
			part := object{"text": "Hello."}
			if tool != "" {
				part = object{"functionCall": object{"name": tool, "args": object{}}}
			}
			events(w, false, object{"candidates": []any{object{"index": 0, "finishReason": "STOP", "content": object{"role": "model", "parts": []any{part}}}},
				"usageMetadata": object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}})
		},
	}
}

// opencodeDriver calls the plugin's hooks as opencode does in a session.
const opencodeDriver = `import { GitCtx } from "./.opencode/plugins/git-ctx.ts"
const said = []
const hooks = await GitCtx({ directory: process.cwd(), client: { session: { prompt: async (p) => said.push(p) } } })
const system = [], tool = { output: "done" }
await hooks["chat.message"]({ sessionID: "s" }, { parts: [{ type: "text", text: "Say hello." }] })
await hooks["experimental.chat.system.transform"]({ sessionID: "s" }, { system })
await hooks["tool.execute.before"]({ tool: "edit", sessionID: "s", callID: "c" }, { args: { filePath: "a/b/code.txt" } })
await hooks["tool.execute.after"]({ callID: "c" }, tool)
await hooks["experimental.session.compacting"]({ sessionID: "s" })
await hooks.event({ event: { type: "session.idle", properties: { sessionID: "s" } } })
await hooks["experimental.chat.system.transform"]({ sessionID: "s" }, { system })
console.log(JSON.stringify({ system, tool, said }))
`

// opencode's plugin puts what the hooks tell where opencode reads it.
func TestHostsOpencodePlugin(t *testing.T) {
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin+"/", ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	repo := gittest.New(t, gittest.Plain)
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir, cmd.Env = repo.Dir, append(repo.Env, "PATH="+bin+":"+os.Getenv("HOSTS")+":"+os.Getenv("PATH"))
		cmd.Path, cmd.Err = lookIn(args[0], bin, os.Getenv("HOSTS")), nil
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("git-ctx", "init", "--review", "any")
	run("git-ctx", "accept", run("git-ctx", "decision", "add", "Use a write-through cache", "--path", "a/**"))
	run("git-ctx", "agent", "install", "opencode")
	write(t, filepath.Join(repo.Dir, "driver.mjs"), opencodeDriver)
	var got struct {
		System []string
		Tool   struct{ Output string }
		Said   []json.RawMessage
	}
	out := run("node", "driver.mjs")
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if len(got.System) != 2 || got.System[0] != got.System[1] || !strings.HasPrefix(got.System[0], "# Context packet") {
		t.Errorf("the system prompt of two requests: %q", got.System)
	}
	if !strings.HasPrefix(got.Tool.Output, "done\n\nDecisions in force on") {
		t.Errorf("the tool's output: %q", got.Tool.Output)
	}
	if len(got.Said) != 1 || !bytes.Contains(got.Said[0], []byte(`"noReply":true`)) || !bytes.Contains(got.Said[0], []byte("nothing was recorded since")) {
		t.Errorf("said at the end of the turn: %s", got.Said)
	}
}
