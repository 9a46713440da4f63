package packet

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/git-ctx/git-ctx/records"
)

// story is one record of every section, all tied to one task.
func story() []*records.Record {
	return []*records.Record{
		rec(goalID, records.Active, "Keep p99 under 50 ms"),
		rec(taskID, records.InProgress, "Find out why deploys are slow", link(records.Serves, goalID), body("Every deploy empties the cache.")),
		rec(subID, records.Todo, "Measure the warm path", link(records.PartOf, taskID), priority(1)),
		rec(trgID, records.Active, "Alert on p99", typ("issue"), link(records.Starts, taskID), func(r *records.Record) { r.Text = "p99 is 400 ms after each deploy" }),
		rec(hypID, records.Supported, "A cold cache causes the spikes", link(records.About, taskID)),
		rec(evID, records.Recorded, "Warm runs show no spike", typ("benchmark"), link(records.Supports, hypID), func(r *records.Record) { r.Source = "bench/warm.txt" }),
		rec(decID, records.Accepted, "Warm the cache before traffic", link(records.RestsOn, hypID), reason("cheapest fix"), body("A job reads the hundred hottest keys.")),
		rec(dec2ID, records.Proposed, "Move to a shared cache", by("agent/claude-code"), func(r *records.Record) { r.Verdict.Asks = records.Accepted }),
		rec(conID, records.Accepted, "Deploys must not empty caches", link(records.Closes, goalID)),
		rec(rbID, records.Active, "Never flush the cache by hand", typ("guardrail")),
		rec("hyp-8k3m9q2x4w", records.Proposed, "The load balancer drains too late", link(records.About, taskID)),
		rec("hyp-9k3m9q2x4w", records.Refuted, "The garbage collector pauses", link(records.About, taskID), reason("pauses stay under 1 ms")),
		rec("dec-6k2p9xabcd", records.Accepted, "Rest on the collector", link(records.RestsOn, "hyp-9k3m9q2x4w")),
	}
}

func TestSectionsStandInOrder(t *testing.T) {
	req := request("why is the cache cold after a deploy")
	req.Focus = Focus{Task: taskID, Branch: "fix/warm", Paths: []string{"cache/warm.go"}, Notes: []string{"the task is @task"}}
	p := build(t, req, story()...)
	var names []string
	for _, s := range p.Sections {
		names = append(names, s.Name)
	}
	want := strings.Fields("focus decisions conclusions supported evidence runbooks awaiting-review open ruled-out in-doubt next")
	if !slices.Equal(names, want) {
		t.Errorf("sections %v, want %v", names, want)
	}
	at := 0
	for s := range sectionCount {
		if s == secFallen {
			continue // of packets of changes
		}
		i := strings.Index(p.Markdown(), headingText(s))
		if i < at {
			t.Errorf("heading %q stands at %d, before %d", layouts[s].heading, i, at)
		}
		at = i
	}
	golden(t, "story.md", p.Markdown())
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "story.json", string(text)+"\n")
	text, err = yaml.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "story.yaml", string(text))
}

func TestFocusInfersGoalAndTrigger(t *testing.T) {
	req := request("")
	req.Focus.Task = taskID
	p := build(t, req, story()...)
	for _, id := range []records.ID{goalID, taskID, trgID} {
		if at := where(t, p, id); at != "focus" {
			t.Errorf("%s stands in %q, want focus", id, at)
		}
	}
	if p.Focus.Goal != goalID || p.Focus.Trigger != trgID {
		t.Errorf("focus %+v lacks the goal or the trigger", p.Focus)
	}
	for _, want := range []string{"note: the goal is the one that the task serves", "note: the trigger is the one", "  > p99 is 400 ms after each deploy\n"} {
		if !strings.Contains(section(p, "Focus"), want) {
			t.Errorf("no %q in %s", want, section(p, "Focus"))
		}
	}
	p = build(t, request(""), story()...)
	if got := section(p, "Focus"); !strings.Contains(got, "no focus given") || !strings.Contains(got, "goal-1g1g (goal, active)") {
		t.Errorf("want the whole store and its goals in %s", got)
	}
	p = build(t, request("zebra"), story()...)
	if got := section(p, "Focus"); !strings.Contains(got, "widened to the whole store") {
		t.Errorf("want the widening told in %s", got)
	}
}

func TestUnknownFocusIsAnError(t *testing.T) {
	gone := rec("task-9m8w3k5r7t", records.Todo, "")
	gone.Tombstone = &records.Tombstone{}
	v := records.NewSet(append(story(), gone), nil)
	for want, f := range map[string]Focus{
		"focus on task 'task-0000000000': no such record":   {Task: "task-0000000000"},
		"focus on goal 'task-2m8w3k5r7t': it is a task":     {Goal: taskID},
		"focus on task 'task-9m8w3k5r7t': it was forgotten": {Task: "task-9m8w3k5r7t"},
	} {
		req := request("")
		req.Focus = f
		_, err := Build(v, req)
		var fe *FocusError
		if !errors.As(err, &fe) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestTooSmallBudgetSaysTheLeast(t *testing.T) {
	v := records.NewSet(story(), nil)
	req := request("cache")
	req.Budget = 20
	_, err := Build(v, req)
	var be *BudgetError
	if !errors.As(err, &be) {
		t.Fatalf("got %v, want a BudgetError", err)
	}
	req.Budget = be.NeedTokens
	buildView(t, req, v)
	req.Budget--
	if _, err := Build(v, req); !errors.As(err, &be) {
		t.Errorf("one token less than the least: got %v", err)
	}
	req.Budget, req.MaxChars = 0, 100
	if _, err := Build(v, req); !errors.As(err, &be) || !strings.Contains(err.Error(), "max-chars '100'") {
		t.Errorf("got %v, want the characters named", err)
	}
}

func TestEvidenceOnlyWhereCited(t *testing.T) {
	hyp := rec(hypID, records.Supported, "Cache is cold", func(r *records.Record) { r.Verdict.Cites = []records.ID{evID} })
	cited := rec(evID, records.Recorded, "Trace of the cache")
	loose := rec("ev-0f2c4d7a1b", records.Recorded, "Trace of the cache too")
	p := build(t, request("cache"), hyp, cited, loose)
	if where(t, p, evID) != "evidence" || where(t, p, loose.ID) != "" || p.Omitted["evidence"] != 1 {
		t.Errorf("cited in %q, loose in %q, omitted %v", where(t, p, evID), where(t, p, loose.ID), p.Omitted)
	}
}

func TestCitedGoesBeforeUncited(t *testing.T) {
	rs := []*records.Record{
		rec(decID, records.Accepted, "Cache writes through", link(records.RestsOn, hypID)),
		rec(hypID, records.Supported, "Nothing in common"),
	}
	for i := range 60 {
		id := records.ID("hyp-0000000" + string(rune('a'+i/10)) + "0" + string(rune('0'+i%10)))
		rs = append(rs, rec(id, records.Supported, "Another matter of equal standing"))
	}
	req := request("cache")
	req.Budget = 260
	p := build(t, req, rs...)
	if p.Omitted["supported"] < 50 {
		t.Fatalf("the budget is no constraint: omitted %v", p.Omitted)
	}
	if s := p.Sections[2]; s.Name != "supported" || s.Items[0].ID != hypID {
		t.Errorf("first supported is %v, want the one the decision rests on", s.Items[0].ID)
	}
}

func TestIrrelevantGoesAfterAllRelevant(t *testing.T) {
	var rs []*records.Record
	for i := range 40 {
		rs = append(rs, rec(records.ID("dec-"+string(alphabet[i%32])+string(alphabet[i/32])+"00000000"), records.Accepted, "Cache rule"))
	}
	lone := rec(hypID, records.Supported, "Another matter")
	req := request("cache")
	req.Budget = 400
	if p := build(t, req, append(rs, lone)...); where(t, p, hypID) != "" || p.Omitted["decisions"] == 0 {
		t.Errorf("an irrelevant record takes room from relevant ones\n%s", p.Markdown())
	}
	req.Budget = 2000
	if p := build(t, req, append(rs[:3], lone)...); where(t, p, hypID) != "supported" {
		t.Errorf("room is left and the rest of the store not shown\n%s", p.Markdown())
	}
}

func TestFloorsLetEverySectionSpeak(t *testing.T) {
	var rs []*records.Record
	for i := range 60 {
		rs = append(rs, rec(records.ID("dec-"+string(alphabet[i%32])+string(alphabet[i/32])+"00000000"), records.Accepted, "Cache rule for the cache and caches", body("All of it.")))
	}
	rs = append(rs, rec(hypID, records.Refuted, "A cache in the browser helps with the pages of the shop that nobody sees"),
		rec(dec2ID, records.Proposed, "Shared cache between the servers of the two regions of the shop", func(r *records.Record) { r.Verdict.Asks = records.Accepted }))
	req := request("cache")
	req.Budget = 600
	p := build(t, req, rs...)
	if p.Omitted["decisions"] == 0 {
		t.Fatal("the budget is no constraint")
	}
	if where(t, p, hypID) != "ruled-out" || where(t, p, dec2ID) != "awaiting-review" {
		t.Errorf("decisions crowd the other sections out\n%s", p.Markdown())
	}
}

func TestRunbooks(t *testing.T) {
	rs := []*records.Record{
		rec(rbID, records.Active, "Guard the cache", typ("guardrail"), paths("internal/cache/**"), body("Take the lock.")),
		rec(rb2ID, records.Active, "Cure connection storms", typ("troubleshooting"), signals("connection refused"), body("Restart the pool.")),
		rec(rb3ID, records.Active, "Release the server", typ("procedure"), body("Tag and push.")),
	}
	req := request("requests end with connection refused")
	req.Focus.Paths = []string{"internal/cache/lru.go"}
	p := build(t, req, rs...)
	for _, r := range rs {
		if at := where(t, p, r.ID); at != "runbooks" {
			t.Errorf("control: %s stands in %q", r.Title, at)
		}
	}
	if p = build(t, request("the connection of ideas"), rs...); where(t, p, rb2ID) != "" || p.Omitted["runbooks"] != 2 {
		t.Errorf("a runbook without its signal or path is shown\n%s", p.Markdown())
	}
	rs = append(rs, rec("rb-9r6r6r6r6r", records.Active, "Cure refused connections too", typ("troubleshooting"), signals("refused"), body("Wait.")))
	full := 0
	for _, s := range build(t, req, rs...).Sections {
		for _, it := range s.Items {
			if it.Kind == records.Runbook && it.Text != "" {
				full++
			}
		}
	}
	if full != maxFullRunbooks {
		t.Errorf("%d runbooks in full, want %d", full, maxFullRunbooks)
	}
}

func TestNextLeavesOutWhatWaits(t *testing.T) {
	task := func(c string, state records.State, edits ...func(*records.Record)) *records.Record {
		return rec(records.ID("task-"+strings.Repeat(c, 10)), state, "Task "+c, edits...)
	}
	rs := []*records.Record{
		rec(goalID, records.Active, "The goal"),
		task("a", records.Todo, priority(0)),
		task("b", records.Todo, priority(2), link(records.Serves, goalID)),
		task("c", records.Todo, priority(1), link(records.Serves, goalID)),
		task("d", records.Todo, link(records.Serves, goalID), link(records.DependsOn, "task-aaaaaaaaaa")),
		task("e", records.Blocked, link(records.Serves, goalID)),
		task("f", records.Todo, link(records.Serves, goalID), priority(3), link(records.DependsOn, "task-gggggggggg")),
		task("g", records.Done),
	}
	rs[4].Links[records.Serves] = []records.ID{goalID}
	rs[4].Verdict.Of = rs[4].Digest()
	req := request("")
	req.Focus.Goal = goalID
	p := build(t, req, rs...)
	var got []string
	for _, it := range p.Sections[len(p.Sections)-1].Items {
		got = append(got, it.Title)
	}
	if want := []string{"Task c", "Task b", "Task f", "Task a"}; !slices.Equal(got, want) {
		t.Errorf("next %v, want %v", got, want)
	}
}

func TestKindsRestrict(t *testing.T) {
	req := request("cache")
	if p := build(t, req, story()...); where(t, p, conID) == "" {
		t.Fatal("control: the conclusion is not shown")
	}
	req.Kinds = []records.Kind{records.Decision}
	p := build(t, req, story()...)
	if where(t, p, conID) != "" || where(t, p, decID) == "" || !strings.Contains(p.Markdown(), "note: only kinds: decision\n") {
		t.Errorf("want decisions only, and so told\n%s", p.Markdown())
	}
}

func TestRankingParts(t *testing.T) {
	first := func(req Request, rs ...*records.Record) records.ID {
		t.Helper()
		return build(t, req, rs...).Sections[1].Items[0].ID
	}
	a, b := rec("dec-aaaaaaaaaa", records.Accepted, "One"), rec("dec-bbbbbbbbbb", records.Accepted, "Two", paths("web/**"), body("about caching"))
	young := rec("dec-cccccccccc", records.Accepted, "Three")
	a.Verdict.At = now.AddDate(-1, 0, 0)
	if got := first(request(""), a, b); got != b.ID {
		t.Errorf("recency: first is %s", got)
	}
	if got := first(request("caches"), young, b); got != b.ID {
		t.Errorf("text: first is %s", got)
	}
	req := request("")
	req.Focus.Paths = []string{"web/index.html"}
	if got := first(req, a, young, b); got != b.ID {
		t.Errorf("paths: first is %s", got)
	}
	req = request("")
	req.Focus.Task = taskID
	task := rec(taskID, records.Todo, "Task", link(records.RelatesTo, a.ID))
	if got := first(req, task, a, young); got != a.ID {
		t.Errorf("links: first is %s", got)
	}
}

func TestDigestCoversTheRequest(t *testing.T) {
	seen := map[string]string{}
	for name, edit := range map[string]func(*Request){
		"nothing": func(*Request) {}, "purpose": func(r *Request) { r.Purpose = "x" }, "budget": func(r *Request) { r.Budget = 999 },
		"chars": func(r *Request) { r.MaxChars = 999 }, "focus": func(r *Request) { r.Focus.Task = taskID }, "paths": func(r *Request) { r.Focus.Paths = []string{"a"} },
		"valid-at": func(r *Request) { r.Eval.ValidAt = now.AddDate(1, 0, 0) }, "policy": func(r *Request) { r.Eval.Review = records.ReviewAny },
		"commit": func(r *Request) { r.Commit = "ff" }, "tips": func(r *Request) { r.Tips = []string{"main=1"} }, "version": func(r *Request) { r.Version = "2" },
		"kinds": func(r *Request) { r.Kinds = []records.Kind{records.Goal} },
	} {
		req := request("cache")
		edit(&req)
		d, err := digest(req)
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[d]; ok {
			t.Errorf("%s and %s have one digest", name, other)
		}
		seen[d] = name
	}
}
