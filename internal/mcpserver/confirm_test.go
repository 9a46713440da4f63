package mcpserver

import (
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/git-ctx/git-ctx/internal/gittest"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// canAsk is a client that can ask its user.
var canAsk = map[string]any{"elicitation": map[string]any{"form": map[string]any{}}}

func accepts(agree any) func(message) any {
	return func(message) any {
		return map[string]any{"action": "accept", "content": map[string]any{"agree": agree}}
	}
}

func lastMessage(repo *gittest.Repo) string {
	return repo.Git("log", "-1", "--format=%B", "refs/ctx/heads/main")
}

// TestElicitationIsTheClientsWord: a client says that its user agreed. That is
// recorded, and the decision waits for a person all the same.
func TestElicitationIsTheClientsWord(t *testing.T) {
	repo := store(t, records.ReviewHuman)
	var asked atomic.Int32
	p := connect(t, options(repo, true), "Claude Code", canAsk, func(m message) any {
		asked.Add(1)
		mustContain(t, "the question", string(m.Params), "accept", "Cap the heap")
		return accepts(true)(m)
	})
	id := p.add("decision", "Cap the heap", args{"question": "How?"})
	p.ok("update", args{"verb": "accept", "ids": []string{id}, "reason": "It halves the pause"})
	mustContain(t, "the commit", lastMessage(repo), "Ctx-Attested: claude-code", "Ctx-Actor: agent/claude-code")
	r := p.ok("list", args{"kind": "decision"})["records"].([]any)[0].(map[string]any)
	if r["state"] != "proposed" || r["class"] != "awaiting-review" {
		t.Errorf("the client's word decided: %v", r)
	}
	if asked.Load() != 1 {
		t.Errorf("asked %d times", asked.Load())
	}
	p.ok("update", args{"verb": "refute", "ids": []string{p.add("hypothesis", "Mine to judge")}, "reason": "no"})
	if asked.Load() != 1 {
		t.Error("asked about what an agent may decide")
	}
	if msg := lastMessage(repo); len(msg) == 0 || strings.Contains(msg, "Ctx-Attested") {
		t.Errorf("attested without a question: %s", msg)
	}
}

// TestElicitationRefused writes nothing; a client that never declared it is not asked.
func TestElicitationRefused(t *testing.T) {
	for name, c := range map[string]struct {
		capabilities map[string]any
		answer       func(message) any
		fails        bool
	}{
		"declined":     {canAsk, func(message) any { return map[string]any{"action": "decline"} }, true},
		"cancelled":    {canAsk, func(message) any { return map[string]any{"action": "cancel"} }, true},
		"not agreed":   {canAsk, accepts(false), true},
		"without word": {canAsk, accepts("yes"), true},
		"undeclared":   {nil, func(message) any { t.Error("asked though it declared nothing"); return nil }, false},
	} {
		t.Run(name, func(t *testing.T) {
			repo := store(t, records.ReviewHuman)
			p := connect(t, options(repo, true), "test", c.capabilities, c.answer)
			id := p.add("decision", "Cap the heap", args{"question": "How?"})
			before := lastMessage(repo)
			call := args{"verb": "accept", "ids": []string{id}, "reason": "It halves the pause"}
			if !c.fails {
				p.ok("update", call)
				if msg := lastMessage(repo); strings.Contains(msg, "Ctx-Attested") || msg == before {
					t.Errorf("the proposal: %s", msg)
				}
				return
			}
			mustContain(t, "the error", p.fails("update", call), "did not agree", "nothing was written")
			if lastMessage(repo) != before {
				t.Error("something was written")
			}
		})
	}
}

// TestElicitationIsBoundToContent changes the record while its user is asked.
func TestElicitationIsBoundToContent(t *testing.T) {
	repo := store(t, records.ReviewHuman)
	l := person(t, repo)
	var id string
	p := connect(t, options(repo, true), "test", canAsk, func(m message) any {
		if _, err := l.Edit(t.Context(), func(tx *ledger.Tx) error {
			_, _, err := tx.Do(grammar.Op{Verb: "edit", ID: id, Title: "Delete everything"})
			return err
		}); err != nil {
			t.Error(err)
		}
		return accepts(true)(m)
	})
	id = p.add("decision", "Cap the heap", args{"question": "How?"})
	mustContain(t, "the error", p.fails("update", args{"verb": "accept", "ids": []string{id}, "reason": "fine"}), "changed after", "nothing was written")
	if strings.Contains(lastMessage(repo), "Ctx-Attested") {
		t.Error("the agreement was taken for another content")
	}
}

// modern is a request of the stateless protocol, which carries all about its client.
func modern(p *peer, params map[string]any) message {
	params["_meta"] = map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28",
		"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "Modern", "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": canAsk}
	return p.request("tools/call", params)
}

// TestElicitationOverRoundTrips is the stateless protocol's: the question is an
// answer, and the state that comes back must be the one given for this content.
func TestElicitationOverRoundTrips(t *testing.T) {
	repo := store(t, records.ReviewHuman)
	p := dial(t, options(repo, true), nil)
	writer := connect(t, options(repo, true), "test", nil, nil)
	id := writer.add("decision", "Cap the heap", args{"question": "How?"})
	call := func(more map[string]any) message {
		params := map[string]any{"name": "update", "arguments": args{"verb": "accept", "ids": []string{id}, "reason": "fine"}}
		for k, v := range more {
			params[k] = v
		}
		return modern(p, params)
	}
	m := call(nil)
	var asked struct {
		ResultType    string                     `json:"resultType"`
		InputRequests map[string]json.RawMessage `json:"inputRequests"`
		RequestState  string                     `json:"requestState"`
	}
	if err := json.Unmarshal(m.Result, &asked); err != nil || asked.ResultType != "input_required" || asked.RequestState == "" {
		t.Fatalf("%v %s", m.Error, m.Result)
	}
	answered := func(state string) message {
		return call(map[string]any{"requestState": state,
			"inputResponses": map[string]any{confirmID: map[string]any{"action": "accept", "content": map[string]any{"agree": true}}}})
	}
	before := lastMessage(repo)
	for _, forged := range []string{"", "0000", asked.RequestState + "0"} {
		if r := p.resultOf("update", answered(forged)); !r.IsError || lastMessage(repo) != before {
			t.Errorf("state %q was taken: %s", forged, r.text())
		}
	}
	if r := p.resultOf("update", answered(asked.RequestState)); r.IsError {
		t.Fatal(r.text())
	}
	mustContain(t, "the commit", lastMessage(repo), "Ctx-Attested: modern", "Ctx-Actor: agent/modern")
	writer.ok("update", args{"verb": "edit", "ids": []string{id}, "body": "Other content"})
	if r := p.resultOf("update", answered(asked.RequestState)); !r.IsError {
		t.Error("an old state stood for new content")
	}
}
