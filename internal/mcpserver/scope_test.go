package mcpserver

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// TestScopesAreApart asks servers that are bound to a scope, to another and to none
// for what the first holds, by every tool, resource and completion. Only the first
// tells, and what the others refuse they refuse in the words for what does not exist.
func TestScopesAreApart(t *testing.T) {
	repo := store(t, records.ReviewAny)
	l := person(t, repo)
	for _, name := range []string{"alpha", "beta"} {
		if _, err := l.CreateScope(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	alpha := connect(t, scoped(repo, "alpha", true), "Tester", nil, nil)
	beta := connect(t, scoped(repo, "beta", true), "Tester", nil, nil)
	none := connect(t, options(repo, true), "Tester", nil, nil)
	task := none.add("task", "Make deploys safe")
	id := alpha.add("hypothesis", "Xylophone caching explains it", args{"paths": []string{"internal/cache/**"}})
	alpha.ok("update", args{"verb": "link", "ids": []string{id}, "links": args{"about": []string{task}}})
	tip := fmt.Sprint(alpha.ok("status", nil)["commit"])

	for _, c := range []struct {
		tool string
		args args
	}{
		{"packet", args{"purpose": "caching"}},
		{"search", args{"query": "xylophone"}},
		{"search", args{"query": "xylophone", "all": true, "all_branches": true}},
		{"list", args{}},
		{"list", args{"path": "internal/cache", "all": true}},
		{"show", args{"view": "history"}},
		{"show", args{"view": "graph", "ids": []string{task}}},
		{"next", args{"view": "gaps"}},
	} {
		if r := alpha.call(c.tool, c.args); c.tool != "next" {
			mustContain(t, fmt.Sprintf("alpha's %s %v", c.tool, c.args), r.text()+string(r.Structured), id[:8])
		}
		for name, p := range map[string]*peer{"beta": beta, "the project": none} {
			r := p.call(c.tool, c.args)
			if said := r.text() + string(r.Structured); strings.Contains(said, id[:8]) || strings.Contains(said, "Xylophone") || strings.Contains(said, "alpha") {
				t.Errorf("%s hears of alpha's record by %s %v:\n%s", name, c.tool, c.args, said)
			}
		}
	}
	absent, zero := "hyp-0000000000", strings.Repeat("0123456789", 5)[:len(tip)]
	for _, c := range []struct {
		tool string
		args func(id, rev string) args
	}{
		{"show", func(id, _ string) args { return args{"ids": []string{id}} }},
		{"show", func(id, _ string) args { return args{"ids": []string{id[:9]}} }},
		{"show", func(id, _ string) args { return args{"ids": []string{id}, "view": "lineage"} }},
		{"update", func(id, _ string) args { return args{"ids": []string{id}, "verb": "refute", "reason": "no"} }},
		{"list", func(_, rev string) args { return args{"as_of": rev} }},
		{"show", func(_, rev string) args { return args{"view": "diff", "from": rev} }},
	} {
		for name, p := range map[string]*peer{"beta": beta, "the project": none} {
			real, gone := p.fails(c.tool, c.args(id, tip)), p.fails(c.tool, c.args(absent, zero))
			for _, r := range [][2]string{{id, absent}, {id[:9], absent[:9]}, {tip, zero}} {
				real = strings.ReplaceAll(real, r[0], r[1])
			}
			if real != gone {
				t.Errorf("%s, %s: of what alpha holds:\n%s\nof what is not:\n%s", name, c.tool, real, gone)
			}
		}
	}
	record := map[string]any{"type": "ref/resource", "uri": "ctx://record/{id}"}
	if got := alpha.complete(record, "id", "hyp"); !slices.Contains(got, id) {
		t.Errorf("alpha completes hyp to %v, without its own", got)
	}
	if _, errText := alpha.resource("ctx://record/" + id); errText != "" {
		t.Errorf("alpha's own resource: %s", errText)
	}
	for name, p := range map[string]*peer{"beta": beta, "the project": none} {
		if got := p.complete(record, "id", "hyp"); slices.Contains(got, id) {
			t.Errorf("%s completes hyp to alpha's record", name)
		}
		_, real := p.resource("ctx://record/" + id)
		_, gone := p.resource("ctx://record/" + absent)
		if real == "" || strings.ReplaceAll(real, id, absent) != gone {
			t.Errorf("%s: the resource of alpha's record: %q, of none: %q", name, real, gone)
		}
	}
	// Writes of a bound server go to its scope.
	own := beta.add("task", "Measure it in beta")
	if ref, err := l.Repo().Ref(t.Context(), "refs/ctx/scopes/beta/heads/main"); err == nil {
		t.Errorf("a ledger of the project reads beta's ref: %s", ref)
	}
	if said := none.fails("show", args{"ids": []string{own}}); !strings.Contains(said, own) {
		t.Error(said)
	}
	beta.ok("show", args{"ids": []string{own}})
}

// TestUnknownScope opens a repository without the scope.
func TestUnknownScope(t *testing.T) {
	repo := store(t, records.ReviewAny)
	r, err := gitstore.Open(t.Context(), gitstore.Options{Dir: repo.Dir, Env: repo.Env})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := ledger.Open(r, ledger.Options{Scope: "alpha"}).CheckScope(t.Context()); err == nil {
		t.Error("a ledger opens a scope that does not exist")
	}
}
