package mcpserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// resource reads a resource as a tree; its error's words when it has none.
func (p *peer) resource(uri string) (map[string]any, string) {
	p.t.Helper()
	m := p.request("resources/read", map[string]any{"uri": uri})
	if m.Error != nil {
		return nil, m.Error.Message
	}
	var res struct {
		Contents []struct{ URI, MimeType, Text string }
	}
	var v map[string]any
	if err := json.Unmarshal(m.Result, &res); err != nil || len(res.Contents) != 1 {
		p.t.Fatalf("%s: %s", uri, m.Result)
	}
	if c := res.Contents[0]; c.URI != uri || c.MimeType != "application/json" {
		p.t.Errorf("%s: %s, %s", uri, c.URI, c.MimeType)
	}
	if err := json.Unmarshal([]byte(res.Contents[0].Text), &v); err != nil {
		p.t.Fatalf("%s: %v", uri, err)
	}
	return v, ""
}

func TestResources(t *testing.T) {
	p, id := worked(t)
	l := p.ok("status", nil)["commit"]
	for _, c := range []struct {
		uri  string
		keys []string
	}{
		{"ctx://packet", []string{"commit", "sections", "digest"}},
		{"ctx://audit", []string{"commit", "findings", "counts"}},
		{"ctx://record/" + id["hyp"], []string{"commit", "records"}},
		{"ctx://record/" + id["hyp"][:8], []string{"commit", "records"}},
		{"ctx://graph/" + id["hyp"], []string{"commit", "nodes", "edges"}},
		{"ctx://branch/HEAD/log", []string{"branch", "tip", "commits"}},
		{"ctx://branch/main/log", []string{"branch", "tip", "commits"}},
		{"ctx://diff/main~2/main", []string{"from", "to", "changes"}},
		{fmt.Sprintf("ctx://diff/main~2/%v", l), []string{"from", "to", "changes"}},
	} {
		v, errText := p.resource(c.uri)
		if errText != "" {
			t.Errorf("%s: %s", c.uri, errText)
			continue
		}
		if v["format"] != 1.0 {
			t.Errorf("%s: format %v", c.uri, v["format"])
		}
		for _, k := range c.keys {
			if v[k] == nil {
				t.Errorf("%s lacks %s: %v", c.uri, k, v)
			}
		}
	}
	for uri, want := range map[string]string{
		"ctx://record/hyp-zzzzzzzzzz": "unknown id", "ctx://nothing": "not found", "ctx://branch/nowhere/log": "unknown revision",
		"ctx://record/..%2f..%2fetc%2fpasswd": "", "ctx://branch/%2e%2e/log": "", "file:///etc/passwd": "not found",
	} {
		if _, errText := p.resource(uri); errText == "" {
			t.Errorf("%s is there", uri)
		} else {
			mustContain(t, uri, errText, want)
		}
	}
}

// TestBranchNames reads the log of a branch with a slash and a space of its own.
func TestBranchNames(t *testing.T) {
	repo := store(t, records.ReviewAny)
	if _, err := person(t, repo).CreateBranch(t.Context(), "wt/a-b", ""); err != nil {
		t.Fatal(err)
	}
	p := connect(t, options(repo, false), "test", nil, nil)
	for _, uri := range []string{"ctx://branch/wt/a-b/log", "ctx://branch/wt%2Fa-b/log"} {
		if v, errText := p.resource(uri); errText != "" || v["branch"] != "wt/a-b" {
			t.Errorf("%s: %v %s", uri, v["branch"], errText)
		}
	}
}

func (p *peer) complete(ref map[string]any, name, value string) []string {
	p.t.Helper()
	m := p.request("completion/complete", map[string]any{"ref": ref, "argument": map[string]any{"name": name, "value": value}})
	var res struct {
		Completion struct{ Values []string }
	}
	if m.Error != nil {
		p.t.Fatalf("complete %v: %s", ref, m.Error.Message)
	}
	if err := json.Unmarshal(m.Result, &res); err != nil {
		p.t.Fatal(err)
	}
	return res.Completion.Values
}

func TestCompletion(t *testing.T) {
	p, id := worked(t)
	of := func(uri string) map[string]any { return map[string]any{"type": "ref/resource", "uri": uri} }
	for _, c := range []struct {
		ref         map[string]any
		name, value string
		want        []string
	}{
		{of("ctx://record/{id}"), "id", "dec", []string{id["dec"]}},
		{of("ctx://record/{id}"), "id", id["hyp"][4:7], []string{id["hyp"]}},
		{of("ctx://graph/{id}"), "id", "goal-", []string{id["goal"]}},
		{of("ctx://branch/{+name}/log"), "name", "ma", []string{"main"}},
		{of("ctx://branch/{+name}/log"), "name", "x", []string{}},
		{map[string]any{"type": "ref/prompt", "name": "start_work"}, "task", "", []string{id["task"]}},
		{map[string]any{"type": "ref/prompt", "name": "start_work"}, "purpose", "", []string{}},
		{map[string]any{"type": "ref/prompt", "name": "resolve_dispute"}, "id", "", []string{}},
	} {
		if got := p.complete(c.ref, c.name, c.value); !slices.Equal(got, c.want) {
			t.Errorf("%v %s=%q: %v, want %v", c.ref, c.name, c.value, got, c.want)
		}
	}
}

func TestPrompts(t *testing.T) {
	p, id := worked(t)
	for _, c := range []struct {
		name  string
		args  map[string]string
		says  []string
		fails bool
	}{
		{"start_work", map[string]string{"purpose": "latency spikes", "task": id["task"]}, []string{"latency spikes", "Ruled out", "Cap the heap", "not instructions"}, false},
		{"start_work", map[string]string{"task": id["task"]}, []string{"argument 'purpose'"}, true},
		{"start_work", map[string]string{"purpose": "x", "task": "task-zzzzzz"}, []string{"unknown id", "next: list or search"}, true},
		{"close_out", nil, []string{"@task", "done"}, false},
		{"close_out", map[string]string{"task": id["task"]}, []string{id["task"]}, false},
		{"review", nil, []string{"awaiting-review", "a person decides"}, false},
		{"resolve_dispute", map[string]string{"id": id["hyp"]}, []string{id["hyp"], "conflicts"}, false},
		{"resolve_dispute", map[string]string{"id": " "}, []string{"argument 'id'"}, true},
	} {
		m := p.request("prompts/get", map[string]any{"name": c.name, "arguments": c.args})
		text := string(m.Result)
		if m.Error != nil {
			text = m.Error.Message
		}
		if (m.Error != nil) != c.fails {
			t.Errorf("%s %v: %s", c.name, c.args, text)
		}
		mustContain(t, c.name, text, c.says...)
	}
	m := p.request("prompts/list", map[string]any{})
	mustContain(t, "the list", string(m.Result), "start_work", "close_out", "review", "resolve_dispute")
}

// TestSubscriptions moves the branch behind the server's back: what was asked for is
// told, and what did not change is not.
func TestSubscriptions(t *testing.T) {
	repo := store(t, records.ReviewAny)
	l := person(t, repo)
	p := connect(t, options(repo, true), "test", nil, nil)
	id, other := p.add("goal", "Keep it fast"), p.add("goal", "Keep it small")
	for _, uri := range []string{"ctx://packet", "ctx://record/" + id, "ctx://record/" + other, "ctx://branch/main/log"} {
		if m := p.request("resources/subscribe", map[string]any{"uri": uri}); m.Error != nil {
			t.Fatal(m.Error.Message)
		}
	}
	p.request("resources/unsubscribe", map[string]any{"uri": "ctx://packet"})
	time.Sleep(watchEvery + watchEvery/2) // the server has seen how things are
	edit := func(id, title string) {
		if _, err := l.Edit(t.Context(), func(tx *ledger.Tx) error {
			_, _, err := tx.Do(grammar.Op{Verb: "edit", ID: id, Title: title})
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	edit(id, "Keep it faster")
	told := make(map[string]bool)
	p.notice("notifications/resources/list_changed")
	for range 2 {
		var params struct{ URI string }
		if err := json.Unmarshal(p.notice("notifications/resources/updated").Params, &params); err != nil {
			t.Fatal(err)
		}
		told[params.URI] = true
	}
	edit(other, "Keep it smaller")
	for !told["ctx://record/"+other] {
		var params struct{ URI string }
		if err := json.Unmarshal(p.notice("notifications/resources/updated").Params, &params); err != nil {
			t.Fatal(err)
		}
		if params.URI == "ctx://record/"+id {
			t.Error("told of a record that did not change")
		}
		told[params.URI] = true
	}
	if !told["ctx://record/"+id] || !told["ctx://branch/main/log"] || told["ctx://packet"] {
		t.Errorf("told of %v", told)
	}
}
