package mcpserver

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// worked returns a client of a store in which some work was done, and the ids of that.
func worked(t *testing.T) (p *peer, id map[string]string) {
	t.Helper()
	p = connect(t, options(store(t, records.ReviewAny), true), "Tester", nil, nil)
	id = map[string]string{"goal": p.add("goal", "Keep p99 under 50 ms")}
	id["task"] = p.add("task", "Find the latency spikes", args{"tags": []string{"latency"}})
	p.ok("update", args{"verb": "start", "ids": []string{id["task"]}})
	id["hyp"] = p.add("hypothesis", "Cache stampedes cause the spikes", args{"paths": []string{"internal/cache/**"}})
	p.ok("update", args{"verb": "refute", "ids": []string{id["hyp"]}, "reason": "p99 unchanged", "evidence": "p99 unchanged with a warm cache", "source": "bench/warm.txt"})
	id["dec"] = p.add("decision", "Cap the heap at 2 GiB", args{"question": "How do we tame the collector?"})
	p.ok("update", args{"verb": "accept", "ids": []string{id["dec"]}, "reason": "It halves the pause"})
	return p, id
}

// TestEveryReply calls each tool: its facts name the format and the store's commit,
// and its text says the same.
func TestEveryReply(t *testing.T) {
	p, id := worked(t)
	for _, c := range []struct {
		tool string
		args args
		says []string // what the facts hold
	}{
		{"packet", args{"purpose": "latency spikes"}, []string{"Cap the heap", "Ruled out", "Cache stampedes"}},
		{"packet", args{"task": id["task"], "paths": []string{"internal/cache/lru.go"}, "budget": 600}, []string{"internal/cache/lru.go"}},
		{"search", args{"query": "heap collector"}, []string{id["dec"], "asserted"}},
		{"search", args{"query": "stampedes"}, []string{`"records":[]`, `"settled":1`}},
		{"search", args{"query": "stamp*", "all": true, "all_branches": true}, []string{id["hyp"], "ruled-out"}},
		{"show", args{"ids": []string{id["hyp"], "@task"}}, []string{id["hyp"], "p99 unchanged", id["task"]}},
		{"show", args{"ids": []string{id["hyp"]}, "view": "history"}, []string{`"verb":"refute"`, "agent/tester"}},
		{"show", args{"view": "history"}, []string{`"verb":"accept"`, `"verb":"add"`}},
		{"show", args{"view": "diff"}, []string{id["dec"], "accepted"}},
		{"show", args{"view": "diff", "from": "HEAD~1"}, []string{"verdict.state"}},
		{"show", args{"view": "lineage", "ids": []string{id["hyp"]}}, []string{"refutes", "came_from"}},
		{"show", args{"view": "graph", "ids": []string{id["task"]}}, []string{"nodes", id["goal"]}},
		{"show", args{"view": "conflicts"}, []string{`"disputed":[]`}},
		{"list", args{}, []string{id["dec"], id["task"]}},
		{"list", args{"path": "internal/cache", "all": true, "kind": "hypothesis"}, []string{id["hyp"]}},
		{"list", args{"tags": []string{"latency"}, "states": []string{"in-progress"}}, []string{id["task"]}},
		{"next", args{}, []string{id["task"], "score"}},
		{"next", args{"view": "plan", "of": id["task"]}, []string{"Cap the heap", "Find the latency spikes"}},
		{"next", args{"view": "gaps", "of": id["task"]}, []string{`"gaps"`}},
		{"audit", args{}, []string{`"findings"`, `"counts"`}},
		{"audit", args{"rule": "awaiting-review", "severity": "info"}, []string{`"explanation"`}},
		{"status", args{}, []string{"agent/tester", id["task"], `"initialised":true`}},
		{"status", args{"view": "check"}, []string{`"ready":false`, "checkpoint"}},
		{"status", args{"view": "closeout"}, []string{"Cap the heap", `"subject"`}},
		{"why", args{"path": "internal/cache/lru.go", "lines": "4-10"}, []string{id["hyp"], `"how":"path"`}},
		{"why", args{"path": "internal/cache/lru.go:4-10"}, []string{id["hyp"], `"path":"internal/cache/lru.go"`}},
		{"checkpoint", args{"message": "The spikes are not the cache's"}, []string{"The spikes are not"}},
		{"update", args{"verb": "claim", "ids": []string{id["task"]}, "for": "10m"}, []string{`"expires"`, id["task"]}},
		{"update", args{"verb": "release", "ids": []string{id["task"]}}, []string{"released"}},
		{"apply", args{"ops": []args{{"verb": "add", "kind": "goal", "title": "Another", "as": "g"}}, "dry_run": true}, []string{`"dry_run":true`, `"g":`}},
	} {
		t.Run(fmt.Sprint(c.tool, c.args), func(t *testing.T) {
			p.t = t
			r := p.call(c.tool, c.args)
			if r.IsError {
				t.Fatal(r.text())
			}
			mustContain(t, "the reply", string(r.Structured), c.says...)
			facts := r.facts(t)
			if facts["format"] != 1.0 || len(fmt.Sprint(facts["commit"])) != 40 {
				t.Errorf("format %v, commit %v", facts["format"], facts["commit"])
			}
			if whole, isText := facts["packet"]; isText || facts["plan"] != nil {
				if r.text() != whole && r.text() != facts["plan"] {
					t.Errorf("the text says other than the facts:\n%s", r.text())
				}
				return
			}
			var said map[string]any
			if err := json.Unmarshal([]byte(r.text()), &said); err != nil || !reflect.DeepEqual(said, facts) {
				t.Errorf("the text says other than the facts: %v\n%s", err, r.text())
			}
		})
	}
}

// TestErrorsSayWhatToDo wants of each error what and why, and where they are known the
// legal values and the call to make next.
func TestErrorsSayWhatToDo(t *testing.T) {
	p, id := worked(t)
	p.add("hypothesis", "Twins one")
	p.ok("add", args{"kind": "goal", "title": "Keyed", "request": "k1"})
	for _, c := range []struct {
		tool string
		args args
		says []string
	}{
		{"show", args{"ids": []string{"hyp-zzzzzz"}}, []string{"error: unknown id 'hyp-zzzzzz'", "next: list or search"}},
		{"show", args{"ids": []string{"nonsense!"}}, []string{"error:", "nonsense!", "next: list or search"}},
		{"show", args{}, []string{"argument 'ids'"}},
		{"show", args{"ids": []string{id["dec"]}, "view": "conflicts"}, []string{"is not disputed"}},
		{"show", args{"ids": []string{id["dec"]}, "view": "sideways"}, []string{"argument 'view'", "legal: record, history, diff"}},
		{"show", args{"view": "diff", "from": "no-such-rev"}, []string{"unknown revision 'no-such-rev'", `next: show {"view": "history"}`}},
		{"list", args{"kind": "idea"}, []string{"argument 'kind': 'idea'", "legal: goal, task, hypothesis"}},
		{"list", args{"states": []string{"finished"}}, []string{"'finished'", "legal: proposed, active"}},
		{"list", args{"cursor": "elsewhere"}, []string{"argument 'cursor'"}},
		{"list", args{"limit": 1000}, []string{"argument 'limit'", "100"}},
		{"list", args{"path": "../outside"}, []string{"outside the worktree"}},
		{"list", args{"nonsense": 1}, []string{"argument 'nonsense': there is none of that name", "legal: all, as_of, cursor"}},
		{"list", args{"limit": "ten"}, []string{"argument 'limit': it is to be a whole number"}},
		{"list", args{"tags": "latency"}, []string{"argument 'tags': it is to be a list of strings"}},
		{"list", args{"as_of": "nowhere"}, []string{"unknown revision 'nowhere'"}},
		{"search", args{"query": "?!"}, []string{"argument 'query'"}},
		{"search", args{}, []string{"argument 'query': it is needed"}},
		{"packet", args{"budget": 10}, []string{"error:", `next: packet {"budget":`}},
		{"packet", args{"budget": 100000}, []string{"argument 'budget'"}},
		{"packet", args{"task": id["hyp"]}, []string{"error:", "task"}},
		{"packet", args{"paths": []string{"/etc/passwd"}}, []string{"outside the worktree"}},
		{"audit", args{"rule": "no-such-rule"}, []string{"argument 'rule'", "legal: ", "awaiting-review"}},
		{"add", args{"kind": "goal"}, []string{"title '': it is empty: say in one line"}},
		{"add", args{"kind": "goal", "title": "  "}, []string{"title", "empty"}},
		{"add", args{"kind": "hypothesis", "title": "Cache stampedes cause the spikes"}, []string{"refuted before", `next: show {"ids": ["` + id["hyp"], `"again"`}},
		{"add", args{"kind": "task", "title": "Linked", "links": args{"serves": []string{id["hyp"]}}}, []string{"error:", "serves"}},
		{"add", args{"kind": "evidence", "title": "Anchored", "anchors": []string{"../../secret:1-2"}}, []string{"outside the worktree"}},
		{"add", args{"kind": "goal", "title": "Other", "request": "k1"}, []string{"that key stood for another request", "fresh request key"}},
		{"add", args{"kind": "goal", "title": "Other", "request": "with space"}, []string{"argument 'request'"}},
		{"update", args{"verb": "refute"}, []string{"argument 'ids'"}},
		{"update", args{"verb": "celebrate", "ids": []string{id["dec"]}}, []string{"'celebrate' is not a verb that 'update' takes", "legal: activate"}},
		{"update", args{"verb": "refute", "ids": []string{p.add("hypothesis", "Without a reason")}}, []string{"needs a reason", `next: the same call with "reason"`}},
		{"update", args{"verb": "start", "ids": []string{id["hyp"]}}, []string{"error:", "hypothesis"}},
		{"update", args{"verb": "support", "ids": []string{id["hyp"]}}, []string{"does not move from refuted", "legal: ", "reopen"}},
		{"update", args{"verb": "resolve", "ids": []string{id["dec"]}}, []string{"argument 'pick'"}},
		{"update", args{"verb": "claim", "ids": []string{id["task"]}, "for": "soon"}, []string{"argument 'for'"}},
		{"apply", args{"ops": []args{{"verb": "add", "kind": "goal", "title": "Good"}, {"verb": "refute", "id": "hyp-zzzzzz"}}}, []string{"op 2 (refute)"}},
		{"apply", args{"ops": []args{{"verb": "celebrate", "id": id["dec"]}}}, []string{"op 1 (celebrate): 'celebrate' is not a verb that 'apply' takes", "legal: add, activate"}},
		{"why", args{"path": "x", "lines": "some"}, []string{"argument 'lines'"}},
		{"why", args{"path": "/etc/passwd"}, []string{"outside the worktree"}},
		{"status", args{"view": "check", "task": id["dec"]}, []string{"only tasks and goals"}},
		{"apply", args{"ops": []args{{"verb": "add", "colour": "red"}}}, []string{"op 1 (add): argument 'colour': 'add' does not take it; it takes kind, title", "op 1 (add): title '': it is empty"}},
	} {
		t.Run(fmt.Sprint(c.tool, c.args), func(t *testing.T) {
			p.t = t
			text := p.fails(c.tool, c.args)
			mustContain(t, "the error", text, c.says...)
			if !strings.HasPrefix(text, "error: ") || strings.Contains(text, "ledger.") || strings.Contains(text, "Op{") {
				t.Errorf("not in words: %s", text)
			}
		})
	}
	if got := p.ok("list", args{"kind": "goal"}); len(got["records"].([]any)) != 2 {
		t.Errorf("a call that failed left something behind: %v", got)
	}
}

// TestReadMode refuses the writing tools by name, and writes nothing.
func TestReadMode(t *testing.T) {
	repo := store(t, records.ReviewAny)
	before := repo.Git("rev-parse", "refs/ctx/heads/main")
	p := connect(t, options(repo, false), "test", nil, nil)
	for _, tool := range writeTools {
		mustContain(t, tool, p.fails(tool, args{"kind": "goal", "title": "x", "message": "x"}), "read only", "--mode write")
	}
	if after := repo.Git("rev-parse", "refs/ctx/heads/main"); after != before {
		t.Error("the store moved")
	}
	w := connect(t, options(repo, true), "test", nil, nil)
	if w.add("goal", "x"); repo.Git("rev-parse", "refs/ctx/heads/main") == before {
		t.Error("write mode writes nothing either")
	}
}

// TestPagesHoldTheWhole walks a list page by page: each record once, in the order
// of the whole, though the items of some are too long for one page.
func TestPagesHoldTheWhole(t *testing.T) {
	repo := store(t, records.ReviewAny)
	l := person(t, repo)
	if _, err := l.Edit(t.Context(), func(tx *ledger.Tx) error {
		for i := range 57 {
			title := fmt.Sprintf("Cache record %d%s", i, strings.Repeat(" and more", 30))
			kind := []string{"hypothesis", "evidence", "task"}[i%3]
			if _, _, err := tx.Do(grammar.Op{Verb: "add", Kind: kind, Title: title}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	p := connect(t, options(repo, false), "test", nil, nil)
	for _, c := range []struct {
		tool, list string
		args       args
		want       int
	}{
		{"list", "records", args{"limit": 7}, 57},
		{"list", "records", args{"limit": 100}, 57},
		{"search", "records", args{"query": "cache", "limit": 10}, 57},
		{"search", "records", args{"query": "cache", "limit": 57}, 57},
		{"next", "tasks", args{"limit": 4}, 19},
		{"show", "commits", args{"view": "history", "limit": 1}, 3},
		{"show", "changes", args{"view": "diff", "limit": 9}, 57},
	} {
		var ids []string
		for pages := 0; ; pages++ {
			r := p.call(c.tool, c.args)
			if r.IsError || len(r.Structured) > mostReply || len(r.text()) > mostReply {
				t.Fatalf("%s: %d bytes, %.300s", c.tool, len(r.Structured), r.text())
			}
			facts := r.facts(t)
			for _, it := range facts[c.list].([]any) {
				m := it.(map[string]any)
				ids = append(ids, fmt.Sprint(m["id"], m["subject"]))
			}
			if facts["truncated"] != true {
				break
			}
			if c.args["cursor"] = facts["next_cursor"]; pages > 100 || facts["next_cursor"] == "" {
				t.Fatalf("%s does not end", c.tool)
			}
		}
		slices.Sort(ids)
		if once := slices.Compact(slices.Clone(ids)); len(ids) != c.want || len(once) != c.want {
			t.Errorf("%s: %d items, %d of them different, want %d", c.tool, len(ids), len(once), c.want)
		}
	}
}

// TestRepliesAreBounded shows a record that is as large as one may be.
func TestRepliesAreBounded(t *testing.T) {
	repo := store(t, records.ReviewAny)
	p := connect(t, options(repo, true), "test", nil, nil)
	var many []string
	for i := range 300 {
		many = append(many, fmt.Sprintf("option %d %s", i, strings.Repeat("x", 300)))
	}
	big := p.add("decision", "Big", args{"body": strings.Repeat("All of it matters. ", 8000), "options": many, "question": strings.Repeat("q", 1000)})
	for range 3 {
		p.add("decision", "Big again", args{"body": strings.Repeat("b", 100<<10), "new": true})
	}
	r := p.call("show", args{"ids": []string{big}})
	if r.IsError || len(r.Structured) > mostReply {
		t.Fatalf("%d bytes: %.200s", len(r.Structured), r.text())
	}
	facts := r.facts(t)
	if facts["truncated"] != true || facts["commit"] == nil {
		t.Errorf("truncated %v, commit %v", facts["truncated"], facts["commit"])
	}
	mustContain(t, "the reply", string(r.Structured), "characters in all", "All of it matters", big)
	whole := p.request("resources/read", map[string]any{"uri": "ctx://record/" + big})
	if n := len(whole.Result); n < 200<<10 {
		t.Errorf("the resource has %d bytes and is cut", n)
	}
}
