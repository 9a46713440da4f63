package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/purge"
	"github.com/git-ctx/git-ctx/records"
)

// subscribe asks for news of resources, and waits until the server has seen how
// things are.
func (p *peer) subscribe(uris ...string) {
	p.t.Helper()
	p.ok("status", nil) // the place is found
	for _, uri := range uris {
		if m := p.request("resources/subscribe", map[string]any{"uri": uri}); m.Error != nil {
			p.t.Fatal(m.Error.Message)
		}
	}
	time.Sleep(watchEvery + watchEvery/2)
}

// updated waits for news of a resource.
func (p *peer) updated(uri string) {
	p.t.Helper()
	for {
		var params struct{ URI string }
		if err := json.Unmarshal(p.notice("notifications/resources/updated").Params, &params); err != nil {
			p.t.Fatal(err)
		}
		if params.URI == uri {
			return
		}
	}
}

// TestPurgedUnderTheServer purges a record that a client looks at: the client is
// told, no answer has its words any more, and the server goes on.
func TestPurgedUnderTheServer(t *testing.T) {
	repo := store(t, records.ReviewAny)
	p := connect(t, options(repo, true), "test", nil, nil)
	const words = "hunter2 opens the xylophone"
	stays := p.add("goal", "Keep it fast")
	id := p.add("hypothesis", words)
	old := p.ok("status", nil)["commit"]
	asked := []struct {
		tool string
		args args
	}{
		{"show", args{"ids": []string{id}}},
		{"show", args{"ids": []string{id}, "view": "history"}},
		{"show", args{"view": "history"}},
		{"show", args{"ids": []string{id}, "view": "graph"}},
		{"list", args{"all": true}},
		{"search", args{"query": "hunter2", "all": true}},
		{"packet", args{"purpose": "hunter2"}},
	}
	for _, c := range asked {
		mustContain(t, "before the purge "+c.tool, string(p.call(c.tool, c.args).Structured), "xylophone")
	}
	p.subscribe(recordURI(records.ID(id)))
	if _, err := purge.Run(t.Context(), person(t, repo), []string{id}, "it held a password", false); err != nil {
		t.Fatal(err)
	}
	p.updated(recordURI(records.ID(id)))
	for _, c := range asked {
		if said := string(p.call(c.tool, c.args).Structured); strings.Contains(said, "xylophone") {
			t.Errorf("after the purge %s %v has its words: %s", c.tool, c.args, said)
		}
	}
	mustContain(t, "the commit that held it", p.fails("list", args{"as_of": old}), "unknown revision", "next: show")
	mustContain(t, "again", p.fails("add", args{"kind": "hypothesis", "title": words}), "forgotten before")
	p.ok("update", args{"verb": "edit", "ids": []string{stays}, "body": "after the purge"})
	repo.Git("fsck", "--strict")
}

// TestAScopeHearsOfTheProject writes to the project beside a server that is bound
// to a scope, and to the scope beside one of the project.
func TestAScopeHearsOfTheProject(t *testing.T) {
	repo := store(t, records.ReviewAny)
	l := person(t, repo)
	if _, err := l.CreateScope(t.Context(), "alpha"); err != nil {
		t.Fatal(err)
	}
	alpha := connect(t, scoped(repo, "alpha", true), "test", nil, nil)
	none := connect(t, options(repo, true), "test", nil, nil)
	alpha.subscribe(uriPacket)
	none.subscribe(uriPacket)
	if _, err := l.Edit(t.Context(), func(tx *ledger.Tx) error {
		_, _, err := tx.Do(grammar.Op{Verb: "add", Kind: "goal", Title: "Of the project"})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	none.updated(uriPacket)
	alpha.updated(uriPacket)
	alpha.add("hypothesis", "Of the scope alone")
	alpha.updated(uriPacket)
	select {
	case n := <-none.notices:
		t.Errorf("the project hears of a scope: %s %s", n.Method, n.Params)
	case <-time.After(watchEvery + watchEvery/2):
	}
}
