package mcpserver

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/git-ctx/git-ctx/records"
)

// A listed is a tool as clients list it.
type listed struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
	Annotations  map[string]any  `json:"annotations"`
}

func (p *peer) tools() (tools []listed, raw json.RawMessage) {
	p.t.Helper()
	m := p.request("tools/list", map[string]any{})
	var res struct {
		Tools []listed `json:"tools"`
	}
	if err := json.Unmarshal(m.Result, &res); err != nil {
		p.t.Fatal(err)
	}
	return res.Tools, m.Result
}

func names(tools []listed) []string {
	var out []string
	for _, l := range tools {
		out = append(out, l.Name)
	}
	slices.Sort(out)
	return out
}

// The tools of both modes, and those of write mode alone.
var (
	readTools  = []string{"audit", "list", "next", "packet", "search", "show", "status", "why"}
	writeTools = []string{"add", "apply", "checkpoint", "update"}
)

// TestToolsOfModes fixes which tools there are, and that a model can afford them.
func TestToolsOfModes(t *testing.T) {
	repo := store(t, records.ReviewHuman)
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	both := slices.Concat(readTools, writeTools)
	slices.Sort(both)
	for _, c := range []struct {
		write bool
		tools []string
		most  int // tokens
	}{{false, readTools, 2000}, {true, both, 3500}} {
		tools, raw := connect(t, options(repo, c.write), "test", nil, nil).tools()
		if got := names(tools); !slices.Equal(got, c.tools) {
			t.Errorf("write %v: tools %v, want %v", c.write, got, c.tools)
		}
		// All of the list counts, though hosts keep output schemas and hints from their models.
		ids, _, err := codec.Encode(string(raw))
		if err != nil {
			t.Fatal(err)
		}
		if t.Logf("write %v: %d tokens", c.write, len(ids)); len(ids) > c.most {
			t.Errorf("write %v: the tools take %d tokens, and %d are the most", c.write, len(ids), c.most)
		}
	}
}

func TestToolsSayAllHints(t *testing.T) {
	tools, _ := connect(t, options(store(t, records.ReviewHuman), true), "test", nil, nil).tools()
	for _, l := range tools {
		reads := slices.Contains(readTools, l.Name)
		want := map[string]any{"title": l.Annotations["title"], "readOnlyHint": reads, "destructiveHint": false, "idempotentHint": reads, "openWorldHint": false}
		if !reflect.DeepEqual(l.Annotations, want) || l.Annotations["title"] == nil {
			t.Errorf("%s: %v, want %v", l.Name, l.Annotations, want)
		}
		if l.Description == "" || len(l.OutputSchema) == 0 {
			t.Errorf("%s: it lacks a description or an output schema", l.Name)
		}
	}
}

// TestInstructionsAreShort keeps them within what hosts show.
func TestInstructionsAreShort(t *testing.T) {
	repo := store(t, records.ReviewHuman)
	for _, write := range []bool{false, true} {
		s, err := New(options(repo, write))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(s.instructions()); n >= 1024 {
			t.Errorf("write %v: %d bytes", write, n)
		}
	}
}
