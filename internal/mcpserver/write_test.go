package mcpserver

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/git-ctx/git-ctx/internal/gittest"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// TestWritesAreAgents looks at who the store says wrote, whatever the client calls itself.
func TestWritesAreAgents(t *testing.T) {
	for _, c := range []struct{ client, fixed, want string }{
		{"Claude Code", "", "agent/claude-code"},
		{"human", "", "agent/human"},
		{"", "", "agent/mcp"},
		{"  ../\n", "", "agent/unnamed"},
		{strings.Repeat("long", 40), "", "agent/" + strings.Repeat("long", 16)},
		{"Claude Code", "Reviewer", "agent/reviewer"},
	} {
		repo := store(t, records.ReviewHuman)
		o := options(repo, true)
		o.Agent = c.fixed
		connect(t, o, c.client, nil, nil).add("goal", "Keep it fast")
		msg := repo.Git("log", "-1", "--format=%B", "refs/ctx/heads/main")
		mustContain(t, c.client, msg, "Ctx-Actor: "+c.want+"\n", "Ctx-Tool: git-ctx-mcp/test")
	}
}

// TestAcceptanceIsAProposal under review: human; under any the same call decides.
func TestAcceptanceIsAProposal(t *testing.T) {
	for _, c := range []struct {
		review      records.Review
		state, asks string
	}{{records.ReviewHuman, "proposed", "accepted"}, {records.ReviewAny, "accepted", ""}} {
		p := connect(t, options(store(t, c.review), true), "test", nil, nil)
		id := p.add("decision", "Cap the heap", args{"question": "How?"})
		p.ok("update", args{"verb": "accept", "ids": []string{id}, "reason": "It halves the pause"})
		r := p.ok("list", args{"kind": "decision"})["records"].([]any)[0].(map[string]any)
		if r["state"] != c.state || fmt.Sprint(r["asks"]) != fmt.Sprint(orNil(c.asks)) {
			t.Errorf("review %s: state %v, asks %v", c.review, r["state"], r["asks"])
		}
	}
}

func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// TestFirstWriteMakesTheStore, but not beside one that the remote is known to have.
func TestFirstWriteMakesTheStore(t *testing.T) {
	repo := gittest.New(t, gittest.Plain)
	p := connect(t, options(repo, true), "test", nil, nil)
	if p.ok("status", nil)["initialised"] != false {
		t.Error("there is a store before the first write")
	}
	for _, tool := range readTools {
		a := map[string]args{"search": {"query": "cache"}, "why": {"path": "main.go"}, "show": {"view": "history"}}[tool]
		if facts := p.ok(tool, a); facts["initialised"] != false {
			t.Errorf("%s: %v", tool, facts)
		} else if tool != "status" {
			mustContain(t, tool, fmt.Sprint(facts["next"]), "the first add begins it")
		}
	}
	for _, uri := range []string{uriPacket, uriAudit, branchURI("HEAD")} {
		mustContain(t, uri, string(p.request("resources/read", map[string]any{"uri": uri}).Result), "the first add begins it")
	}
	mustContain(t, "prompt", string(p.request("prompts/get", map[string]any{"name": promptStart, "arguments": map[string]any{"purpose": "speed"}}).Result), "the first add begins it")
	mustContain(t, "read mode", fmt.Sprint(connect(t, options(repo, false), "test", nil, nil).ok("packet", nil)["next"]), "git ctx init begins it")
	p.add("goal", "Keep it fast")
	if p.ok("status", nil)["initialised"] != true {
		t.Error("there is none after it")
	}
	repo.Git("fsck", "--strict")
	clone := gittest.New(t, gittest.Plain)
	clone.Git("fetch", "-q", repo.Dir, "refs/ctx/heads/main:refs/ctx/remotes/origin/main")
	mustContain(t, "beside a remote's", connect(t, options(clone, true), "test", nil, nil).fails("add", args{"kind": "goal", "title": "x"}), "remote 'origin' has one", "next: git ctx sync")
}

// TestRequestKeys repeats calls by their keys, at once and on another server.
func TestRequestKeys(t *testing.T) {
	repo := store(t, records.ReviewAny)
	o := options(repo, true)
	p := connect(t, o, "test", nil, nil)
	ops := []args{{"verb": "add", "kind": "hypothesis", "title": "It is the cache", "as": "h"}, {"verb": "refute", "id": "$h", "reason": "no", "evidence": "same p99"}}
	calls := []struct {
		tool string
		args args
	}{
		{"add", args{"kind": "goal", "title": "Keep it fast", "request": "r-1", "new": true}},
		{"apply", args{"ops": ops, "request": "r-2"}},
		{"checkpoint", args{"message": "learned", "request": "r-3"}},
	}
	for _, c := range calls {
		var answers []chan message
		for range 4 {
			_, ch := p.begin("tools/call", map[string]any{"name": c.tool, "arguments": c.args})
			answers = append(answers, ch)
		}
		first := p.resultOf(c.tool, p.wait(answers[0])).facts(t)
		count := repo.Git("rev-list", "--count", "refs/ctx/heads/main")
		for _, ch := range answers[1:] {
			again := p.resultOf(c.tool, p.wait(ch)).facts(t)
			same(t, c.tool, first, again)
		}
		later := connect(t, o, "test", nil, nil).ok(c.tool, c.args)
		same(t, c.tool, first, later)
		if now := repo.Git("rev-list", "--count", "refs/ctx/heads/main"); now != count {
			t.Errorf("%s: %s commits became %s", c.tool, count, now)
		}
	}
	if n := repo.Git("rev-list", "--count", "refs/ctx/heads/main"); n != "5" { // root, policy, and the three
		t.Errorf("%s commits", n)
	}
	p.ok("add", args{"kind": "goal", "title": "Keep it fast", "request": "r-9", "new": true})
	if n := repo.Git("rev-list", "--count", "refs/ctx/heads/main"); n != "6" {
		t.Errorf("%s commits after a fresh key", n)
	}
}

// same compares what a caller goes by of two answers to one request.
func same(t *testing.T, tool string, a, b map[string]any) {
	t.Helper()
	for _, key := range []string{"id", "created", "records", "names", "wrote", "subject"} {
		if x, y := fmt.Sprint(a[key]), fmt.Sprint(b[key]); x != y {
			t.Errorf("%s: %s is %s the first time, then %s", tool, key, x, y)
		}
	}
}

// TestApplyIsAllOrNothing has a last op that fails.
func TestApplyIsAllOrNothing(t *testing.T) {
	repo := store(t, records.ReviewAny)
	p := connect(t, options(repo, true), "test", nil, nil)
	good := []args{{"verb": "add", "kind": "goal", "title": "One"}, {"verb": "add", "kind": "goal", "title": "Two"}}
	p.fails("apply", args{"ops": append(good, args{"verb": "start", "id": "task-zzzzzz"})})
	if n := len(p.ok("list", nil)["records"].([]any)); n != 0 {
		t.Errorf("%d records after a batch that failed", n)
	}
	p.ok("apply", args{"ops": good})
	if n := len(p.ok("list", nil)["records"].([]any)); n != 2 {
		t.Errorf("%d records after the batch", n)
	}
}

// TestClaimsOfSessions has two servers compete for one task.
func TestClaimsOfSessions(t *testing.T) {
	repo := store(t, records.ReviewAny)
	o := options(repo, true)
	o.Session = "one"
	a := connect(t, o, "test", nil, nil)
	o.Session = "two"
	b := connect(t, o, "test", nil, nil)
	task := a.add("task", "Only one may have it")
	if got := a.ok("update", args{"verb": "claim"}); got["id"] != task {
		t.Errorf("claimed %v", got["id"])
	}
	mustContain(t, "the loser's error", b.fails("update", args{"verb": "claim", "ids": []string{task}}), task, "next: next")
	mustContain(t, "the loser's error", b.fails("update", args{"verb": "claim"}), "no open task")
	a.ok("update", args{"verb": "release", "ids": []string{task}})
	b.ok("update", args{"verb": "claim", "ids": []string{task}})
}

// TestResolve settles a dispute by a side and by a value.
func TestResolve(t *testing.T) {
	repo := store(t, records.ReviewAny)
	l := person(t, repo)
	p := connect(t, options(repo, true), "test", nil, nil)
	id := p.add("hypothesis", "It is the cache", args{"confidence": "0.5", "body": "first"})
	if err := l.SwitchNew(t.Context(), "idea", ""); err != nil {
		t.Fatal(err)
	}
	p.ok("update", args{"verb": "edit", "ids": []string{id}, "title": "It is the disk", "confidence": "0.9"})
	if err := l.Switch(t.Context(), "main"); err != nil {
		t.Fatal(err)
	}
	p.ok("update", args{"verb": "edit", "ids": []string{id}, "title": "It is the network", "confidence": "0.1"})
	if _, err := l.Merge(t.Context(), "idea", ledger.MergeOptions{}); err != nil {
		t.Fatal(err)
	}
	shown := p.call("show", args{"view": "conflicts"})
	mustContain(t, "the conflicts", string(shown.Structured), id, "It is the disk", "It is the network", `"pick":2`, "confidence")
	mustContain(t, "a judgement", p.fails("update", args{"verb": "support", "ids": []string{id}}), "disputed", `"view": "conflicts"`)
	p.ok("update", args{"verb": "resolve", "ids": []string{id}, "reason": "measured", "pick": args{"title": 1}, "set": args{"confidence": 0.75}})
	r := p.call("show", args{"ids": []string{id}})
	mustContain(t, "the record", string(r.Structured), `"confidence":0.75`)
	if strings.Contains(string(r.Structured), `"conflicts"`) {
		t.Errorf("still disputed: %s", r.Structured)
	}
	repo.Git("fsck", "--strict")
}

// TestParallelWrites has clients write at once: no write is lost, no call fails.
func TestParallelWrites(t *testing.T) {
	repo := store(t, records.ReviewAny)
	const clients, each = 3, 12
	var wg sync.WaitGroup
	for c := range clients {
		p := connect(t, options(repo, true), fmt.Sprint("client-", c), nil, nil)
		wg.Go(func() {
			var answers []chan message
			for i := range each {
				_, ch := p.begin("tools/call", map[string]any{"name": "add", "arguments": args{"kind": "hypothesis", "title": fmt.Sprintf("Client %d thought %d", c, i)}})
				answers = append(answers, ch)
			}
			for _, ch := range answers {
				var r result
				if m := <-ch; m.Error != nil || json.Unmarshal(m.Result, &r) != nil || r.IsError {
					t.Errorf("a write failed: %v %s", m.Error, r.text())
				}
			}
		})
	}
	wg.Wait()
	if n := repo.Git("rev-list", "--count", "refs/ctx/heads/main"); n != fmt.Sprint(clients*each+2) {
		t.Errorf("%s commits", n)
	}
	repo.Git("fsck", "--strict")
}

// TestSecretsAreRefused in every argument, and never said again.
func TestSecretsAreRefused(t *testing.T) {
	repo := store(t, records.ReviewAny)
	p := connect(t, options(repo, true), "test", nil, nil)
	secret := "ghp" + "_" + "n7Qx2LkV9sTdB4mZ8wRfY1hJc6GpA3eUo5iX" // in parts: no scanner is to take this file for a leak
	id := p.add("hypothesis", "The mirror lags")
	before := repo.Git("rev-parse", "refs/ctx/heads/main")
	for _, c := range []struct {
		tool string
		args args
		want string
	}{
		{"add", args{"kind": "evidence", "title": "A token", "body": "it is " + secret}, "field 'body' of the new evidence: rule github-pat"},
		{"update", args{"verb": "refute", "ids": []string{id}, "reason": secret}, "field 'verdict.reason' of " + id},
		{"apply", args{"ops": []args{{"verb": "add", "kind": "goal", "title": secret}}}, "field 'title' of the new goal"},
		{"checkpoint", args{"message": "Learned " + secret}, "of the commit message: rule github-pat"},
	} {
		answer := p.fails(c.tool, c.args)
		mustContain(t, c.tool, answer, c.want, "next: ")
		if strings.Contains(answer, secret) {
			t.Errorf("%s says the secret", c.tool)
		}
	}
	if repo.Git("rev-parse", "refs/ctx/heads/main") != before {
		t.Error("something was written")
	}
	p.ok("update", args{"verb": "refute", "ids": []string{id}, "reason": "the token is short"})
}

// TestApplyTakesWhatUpdateTakes asks both tools for every verb of the command line:
// what one refuses the other refuses in the same words, but for add, and for the verbs
// that make no commit of the batch.
func TestApplyTakesWhatUpdateTakes(t *testing.T) {
	p, id := worked(t)
	verbs := append(grammar.UpdateTool().Verbs, "forget", "purge", "revert", "restore", "apply", "merge", "commit", "celebrate", "Refute", "refute ")
	taken := 0
	for _, verb := range verbs {
		if v := grammar.Lookup(verb); v != nil && v.Update && !v.Batch {
			continue
		}
		words := func(tool string, a args) string {
			first, _, _ := strings.Cut(p.call(tool, a).text(), "\n")
			first = strings.TrimPrefix(strings.TrimPrefix(first, "error: "), "op 1 ("+verb+"): ")
			return strings.Replace(first, "that '"+tool+"' takes", "that TOOL takes", 1)
		}
		refusal := fmt.Sprintf("'%s' is not a verb that TOOL takes", verb)
		update := words("update", args{"verb": verb, "ids": []string{id["ev"]}, "reason": "so"}) == refusal
		apply := words("apply", args{"ops": []args{{"verb": verb, "id": id["ev"], "reason": "so"}}, "dry_run": true}) == refusal
		if update != apply {
			t.Errorf("%s: update refuses it: %v, apply refuses it: %v", verb, update, apply)
		}
		if !apply {
			taken++
		}
	}
	if want := len(grammar.BatchTool().Verbs) - 1; taken != want {
		t.Errorf("%d verbs are taken, want %d", taken, want)
	}
}
