package agenthost

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/git-ctx/git-ctx/internal/install"
)

// A moment is what an event of an agent's host means to git ctx.
type moment int

const (
	sessionStarts moment = iota + 1
	promptComes
	fileChanges // is about to be changed, or was
	turnEnds
	contextShrinks // the host is about to sum up what the model has seen
)

// An agentEvent is an event of a host.
type agentEvent struct {
	name    string
	moment  moment
	matcher string // of the tools that change files
}

// An agentHost is a program that runs a coding agent.
type agentHost struct {
	name string
	// signs are files of a project that has the host set up, programs what it is
	// called on PATH.
	signs, programs []string
	events          []agentEvent
	// hook is one of the host's entries for a hook.
	hook func(e agentEvent, command string) any
	// server is its entry for a local MCP server.
	server func(command []string) any
	// project and user are what is written, for the project and for the user alone.
	project, user func(e entries) []agentPart
	// say wraps what the model or, at the end of a turn, the agent is told.
	say func(e agentEvent, p *agentPayload, text string) any
}

const partInstructions = "instructions"

// An agentPart is one file that is written for a host.
type agentPart struct {
	what string // mcp, hooks, instructions, or several with commas
	path string // with slashes, below the project or the home directory
	edit fileEdit
	or   string // another name of the file, that is used where it is there
}

// entries are what a host's files get.
type entries struct {
	server  string // JSON
	command []string
	hooks   []hookEntry
}

type hookEntry struct{ event, value string }

// entries makes what the host's files get.
func (h *agentHost) entries(readOnly bool) entries {
	e := entries{command: []string{"git", "ctx", "mcp"}}
	if !readOnly {
		e.command = append(e.command, "--mode", "write")
	}
	e.server = toJSON(h.server(e.command))
	if h.hook != nil {
		for _, ev := range h.events {
			e.hooks = append(e.hooks, hookEntry{ev.name, toJSON(h.hook(ev, "git ctx agent hook "+h.name+" "+ev.name))})
		}
	}
	return e
}

func (h *agentHost) event(name string) (agentEvent, bool) {
	for _, e := range h.events {
		if e.name == name {
			return e, true
		}
	}
	return agentEvent{}, false
}

// toJSON writes what is made of strings, numbers and lists.
func toJSON(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // no such value fails
	return strings.TrimSuffix(b.String(), "\n")
}

// agentHosts are the hosts that git ctx knows. docs/agents.md tells the same.
func agentHosts() []agentHost {
	return []agentHost{claudeHost(), codexHost(), geminiHost(), cursorHost(), copilotHost(), opencodeHost()}
}

func findHost(name string) (agentHost, bool) {
	for _, h := range agentHosts() {
		if h.name == name {
			return h, true
		}
	}
	return agentHost{}, false
}

const hookSeconds = 5 // a host waits no longer; the hook itself ends within one

// commandEntry is a local server as most hosts write it.
type commandEntry struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Tools   []string `json:"tools,omitempty"`
}

func plainServer(command []string) any { return commandEntry{Command: command[0], Args: command[1:]} }

// hookGroup is how Claude Code and the hosts that took it over list hooks.
type hookGroup struct {
	Matcher string        `json:"matcher,omitempty"`
	Hooks   []hookCommand `json:"hooks"`
}

type hookCommand struct {
	Name    string `json:"name,omitempty"`
	Type    string `json:"type,omitempty"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"`
}

func groupedHook(e agentEvent, command string) any {
	return hookGroup{e.matcher, []hookCommand{{Type: "command", Command: command, Timeout: hookSeconds}}}
}

type toldContext struct {
	Event   string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}

type hookAnswer struct {
	Decision string       `json:"decision,omitempty"`
	Reason   string       `json:"reason,omitempty"`
	Context  string       `json:"additionalContext,omitempty"`
	Specific *toldContext `json:"hookSpecificOutput,omitempty"`
}

// sayLikeClaude answers as Claude Code and Codex read it. A stop is answered by
// asking for one more turn.
func sayLikeClaude(e agentEvent, _ *agentPayload, text string) any {
	if e.moment == turnEnds {
		return hookAnswer{Decision: "block", Reason: text}
	}
	return hookAnswer{Specific: &toldContext{e.name, text}}
}

func claudeHost() agentHost {
	return agentHost{
		name: "claude", signs: []string{".claude", ".mcp.json", "CLAUDE.md"}, programs: []string{"claude"},
		events: []agentEvent{
			{name: "SessionStart", moment: sessionStarts}, {name: "UserPromptSubmit", moment: promptComes},
			{name: "PreToolUse", moment: fileChanges, matcher: "Edit|MultiEdit|Write|NotebookEdit"},
			{name: "PreCompact", moment: contextShrinks}, {name: "Stop", moment: turnEnds},
		},
		hook: groupedHook, server: plainServer, say: sayLikeClaude,
		project: func(e entries) []agentPart {
			return []agentPart{
				{what: "mcp", path: ".mcp.json", edit: serverEdit(e, "mcpServers")},
				{what: "hooks", path: ".claude/settings.json", edit: &jsonEdit{hooks: e.hooks}},
				{what: partInstructions, path: "CLAUDE.md", edit: markdownEdit{}},
			}
		},
		user: func(e entries) []agentPart {
			return []agentPart{
				{what: "mcp", path: ".claude.json", edit: serverEdit(e, "mcpServers")},
				{what: "hooks", path: ".claude/settings.json", edit: &jsonEdit{hooks: e.hooks}},
			}
		},
	}
}

func codexHost() agentHost {
	files := func(e entries) []agentPart {
		return []agentPart{
			{what: "mcp", path: ".codex/config.toml", edit: tomlEdit{e.command}},
			{what: "hooks", path: ".codex/hooks.json", edit: &jsonEdit{hooks: e.hooks}},
		}
	}
	return agentHost{
		name: "codex", signs: []string{".codex"}, programs: []string{"codex"},
		events: []agentEvent{
			{name: "SessionStart", moment: sessionStarts}, {name: "UserPromptSubmit", moment: promptComes},
			{name: "PreToolUse", moment: fileChanges, matcher: "apply_patch|Edit|Write"},
			{name: "PreCompact", moment: contextShrinks}, {name: "Stop", moment: turnEnds},
		},
		hook: groupedHook, server: plainServer, say: sayLikeClaude,
		project: func(e entries) []agentPart {
			return append(files(e), agentPart{what: partInstructions, path: "AGENTS.md", edit: markdownEdit{}})
		},
		user: files,
	}
}

func geminiHost() agentHost {
	files := func(e entries) []agentPart {
		edit := serverEdit(e, "mcpServers")
		edit.hooks = e.hooks
		return []agentPart{{what: "mcp,hooks", path: ".gemini/settings.json", edit: edit}}
	}
	return agentHost{
		name: "gemini", signs: []string{".gemini", "GEMINI.md"}, programs: []string{"gemini"},
		events: []agentEvent{
			{name: "SessionStart", moment: sessionStarts}, {name: "BeforeAgent", moment: promptComes},
			{name: "AfterTool", moment: fileChanges, matcher: "write_file|replace"},
			{name: "PreCompress", moment: contextShrinks}, {name: "AfterAgent", moment: turnEnds},
		},
		hook: func(e agentEvent, command string) any { // its timeouts are in milliseconds
			return hookGroup{e.matcher, []hookCommand{{Name: "git-ctx-" + e.name, Type: "command", Command: command, Timeout: hookSeconds * 1000}}}
		},
		server: plainServer, say: sayLikeClaude,
		project: func(e entries) []agentPart {
			return append(files(e), agentPart{what: partInstructions, path: "GEMINI.md", edit: markdownEdit{}})
		},
		user: files,
	}
}

func cursorHost() agentHost {
	files := func(e entries) []agentPart {
		return []agentPart{
			{what: "mcp", path: ".cursor/mcp.json", edit: serverEdit(e, "mcpServers")},
			{what: "hooks", path: ".cursor/hooks.json", edit: &jsonEdit{hooks: e.hooks, version: true}},
		}
	}
	return agentHost{
		name: "cursor", signs: []string{".cursor", ".cursorrules"}, programs: []string{"cursor", "cursor-agent"},
		events: []agentEvent{
			{name: "sessionStart", moment: sessionStarts}, {name: "postToolUse", moment: fileChanges, matcher: "Write"},
			{name: "preCompact", moment: contextShrinks}, {name: "stop", moment: turnEnds},
		},
		hook: func(e agentEvent, command string) any {
			return struct {
				Command string `json:"command"`
				Matcher string `json:"matcher,omitempty"`
				Timeout int    `json:"timeout"`
			}{command, e.matcher, hookSeconds}
		},
		server: plainServer,
		say: func(e agentEvent, p *agentPayload, text string) any {
			if e.moment == turnEnds {
				return struct {
					Message string `json:"followup_message"`
				}{text}
			}
			return struct {
				Context string `json:"additional_context"`
			}{text}
		},
		project: func(e entries) []agentPart {
			return append(files(e), agentPart{what: partInstructions, path: ".cursor/rules/ctx.mdc", edit: wholeEdit{
				"---\ndescription: The reasoning kept with this code\nalwaysApply: true\n---\n" + install.Markdown().With("", instructions, 0), "git ctx"}})
		},
		user: files,
	}
}

func copilotHost() agentHost {
	hooks := func(e entries) fileEdit {
		all := make(map[string][]json.RawMessage)
		for _, h := range e.hooks {
			all[h.event] = []json.RawMessage{json.RawMessage(h.value)}
		}
		s, err := parseSettings(toJSON(struct {
			Version int                          `json:"version"`
			Hooks   map[string][]json.RawMessage `json:"hooks"`
		}{1, all}))
		if err != nil {
			return wholeEdit{}
		}
		return wholeEdit{string(s.value(s.text(), 0, false).Pack()) + "\n", ourHook}
	}
	return agentHost{
		name: "copilot", signs: []string{".github/copilot-instructions.md", ".github/hooks", ".vscode/mcp.json"}, programs: []string{"copilot"},
		events: []agentEvent{
			{name: "sessionStart", moment: sessionStarts}, {name: "userPromptSubmitted", moment: promptComes},
			{name: "preToolUse", moment: fileChanges}, {name: "preCompact", moment: contextShrinks}, {name: "agentStop", moment: turnEnds},
		},
		hook: func(_ agentEvent, command string) any {
			return struct {
				Type       string `json:"type"`
				Bash       string `json:"bash"`
				PowerShell string `json:"powershell"`
				Timeout    int    `json:"timeoutSec"`
			}{"command", command, command, hookSeconds}
		},
		server: func(command []string) any { return commandEntry{Type: "stdio", Command: command[0], Args: command[1:]} },
		// The command line program and the editor read the same files, and answers of
		// two shapes.
		say: func(e agentEvent, p *agentPayload, text string) any {
			if e.moment == turnEnds {
				return hookAnswer{Decision: "block", Reason: text}
			}
			name := p.Event
			if name == "" {
				name = e.name
			}
			return hookAnswer{Context: text, Specific: &toldContext{name, text}}
		},
		project: func(e entries) []agentPart {
			return []agentPart{
				{what: "mcp", path: ".vscode/mcp.json", edit: serverEdit(e, "servers")},
				{what: "hooks", path: ".github/hooks/git-ctx.json", edit: hooks(e)},
				{what: partInstructions, path: ".github/copilot-instructions.md", edit: markdownEdit{}},
			}
		},
		user: func(e entries) []agentPart {
			local := toJSON(commandEntry{Type: "local", Command: e.command[0], Args: e.command[1:], Tools: []string{"*"}})
			return []agentPart{
				{what: "mcp", path: ".copilot/mcp-config.json", edit: &jsonEdit{server: []string{"mcpServers", serverName}, value: local}},
				{what: "hooks", path: ".copilot/hooks/git-ctx.json", edit: hooks(e)},
			}
		},
	}
}

//go:embed opencode.ts
var opencodePlugin string

func opencodeHost() agentHost {
	return agentHost{
		name: "opencode", signs: []string{"opencode.json", "opencode.jsonc", ".opencode"}, programs: []string{"opencode"},
		events: []agentEvent{
			{name: "session", moment: sessionStarts}, {name: "prompt", moment: promptComes},
			{name: "edit", moment: fileChanges}, {name: "compact", moment: contextShrinks}, {name: "idle", moment: turnEnds},
		},
		server: func(command []string) any {
			return struct {
				Type    string   `json:"type"`
				Command []string `json:"command"`
				Enabled bool     `json:"enabled"`
			}{"local", command, true}
		},
		say: func(_ agentEvent, _ *agentPayload, text string) any {
			return struct {
				Context string `json:"context"`
			}{text}
		},
		project: func(e entries) []agentPart {
			return []agentPart{
				{what: "mcp", path: "opencode.json", or: "opencode.jsonc", edit: serverEdit(e, "mcp")},
				{what: "hooks", path: ".opencode/plugins/git-ctx.ts", edit: wholeEdit{opencodePlugin, ourHook}},
				{what: partInstructions, path: "AGENTS.md", edit: markdownEdit{}},
			}
		},
		user: func(e entries) []agentPart {
			return []agentPart{
				{what: "mcp", path: ".config/opencode/opencode.json", or: ".config/opencode/opencode.jsonc", edit: serverEdit(e, "mcp")},
				{what: "hooks", path: ".config/opencode/plugins/git-ctx.ts", edit: wholeEdit{opencodePlugin, ourHook}},
			}
		},
	}
}

// hostNames lists the hosts, for messages.
func hostNames() []string {
	var names []string
	for _, h := range agentHosts() {
		names = append(names, h.name)
	}
	return names
}

// An UnknownHostError says that git ctx does not know an agent's host.
type UnknownHostError struct{ Name string }

func (e *UnknownHostError) Error() string {
	return fmt.Sprintf("unknown agent host '%s': it is one of %s", e.Name, strings.Join(hostNames(), ", "))
}
