package agenthost

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// payloadLimit bounds what is read of a payload, which may hold a whole file.
const payloadLimit = 32 << 20

// An agentPayload is what a host tells of an event, under the names that all hosts use.
type agentPayload struct {
	Event, Session, Dir, Source, Prompt string
	// Files are those that a tool is to change or changed, as the host names them.
	Files []string
	// Again is set where the agent goes on only because a hook asked it to.
	Again bool
}

// rawPayload has the names of every host, in both spellings.
type rawPayload struct {
	Event          string          `json:"hook_event_name"`
	EventCamel     string          `json:"hookEventName"`
	Session        string          `json:"session_id"`
	SessionCamel   string          `json:"sessionId"`
	Conversation   string          `json:"conversation_id"`
	Cwd            string          `json:"cwd"`
	Roots          []string        `json:"workspace_roots"`
	Source         string          `json:"source"`
	Prompt         string          `json:"prompt"`
	StopHookActive bool            `json:"stop_hook_active"`
	LoopCount      int             `json:"loop_count"`
	Tool           string          `json:"tool_name"`
	ToolCamel      string          `json:"toolName"`
	Input          json.RawMessage `json:"tool_input"`
	Args           json.RawMessage `json:"toolArgs"`
}

// readPayload reads one payload. It does not wait for the end of the stream, which
// some hosts hold open.
func readPayload(in io.Reader) (*agentPayload, error) {
	var raw rawPayload
	if err := json.NewDecoder(io.LimitReader(in, payloadLimit)).Decode(&raw); err != nil {
		return nil, fmt.Errorf("read the payload: %w", err)
	}
	p := &agentPayload{
		Event: first(raw.Event, raw.EventCamel), Session: first(raw.Session, raw.SessionCamel, raw.Conversation),
		Dir: first(append([]string{raw.Cwd}, raw.Roots...)...), Source: raw.Source, Prompt: raw.Prompt, Again: raw.StopHookActive || raw.LoopCount > 0,
	}
	input := raw.Input
	if input == nil {
		input = raw.Args
	}
	if !changes(first(raw.Tool, raw.ToolCamel)) {
		return p, nil
	}
	for _, f := range filesOf(input) {
		if !filepath.IsAbs(f) && p.Dir != "" {
			f = filepath.Join(p.Dir, f)
		}
		p.Files = append(p.Files, f)
	}
	return p, nil
}

func first(ss ...string) string {
	for _, s := range ss {
		if s != "" {
			return s
		}
	}
	return ""
}

// changes reports whether a tool is one that changes the file it names: hosts
// without matchers tell of all tools.
func changes(tool string) bool {
	tool = strings.ToLower(tool)
	return slices.ContainsFunc([]string{"edit", "write", "create", "patch", "replace", "insert"}, func(w string) bool { return strings.Contains(tool, w) })
}

// filesOf finds the files that a tool's input names: by a member of its own, or in
// the text of a patch.
func filesOf(input json.RawMessage) []string {
	var text string
	if json.Unmarshal(input, &text) == nil { // the input as text, of JSON or of a patch
		if strings.HasPrefix(strings.TrimSpace(text), "{") {
			return filesOf(json.RawMessage(text))
		}
		return patched(text)
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(input, &m) != nil {
		return nil
	}
	for _, name := range []string{"file_path", "filePath", "path", "notebook_path", "absolute_path", "target_file"} {
		if json.Unmarshal(m[name], &text) == nil && text != "" {
			return []string{text}
		}
	}
	for _, name := range []string{"command", "input", "patch", "patchText"} {
		if json.Unmarshal(m[name], &text) == nil && strings.Contains(text, patchBegins) {
			return patched(text)
		}
	}
	return nil
}

const (
	patchBegins = "*** Begin Patch"
	mostFiles   = 8
)

// patched are the files that a patch in Codex's form changes.
func patched(text string) []string {
	var files []string
	for line := range strings.Lines(text) {
		for _, lead := range []string{"*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "} {
			if name, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), lead); ok && len(files) < mostFiles {
				files = append(files, name)
			}
		}
	}
	return files
}
