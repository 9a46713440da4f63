package query

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/git-ctx/git-ctx/internal/claim"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/planning"
)

func TestNext(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 11, n, 0, 0, 0, 0, time.UTC) }
	task := func(id string, s records.State, created int, priority int, dependsOn ...records.ID) *records.Record {
		r := &records.Record{ID: records.ID("task-" + id), Kind: records.Task, Title: id,
			Verdict: &records.Verdict{State: s}, Created: records.Created{At: day(created)}}
		if priority >= 0 {
			r.Priority = &priority
		}
		if len(dependsOn) > 0 {
			r.Links = map[records.Relation][]records.ID{records.DependsOn: dependsOn}
		}
		return r
	}
	const none = -1
	child := task("openchild0", records.Todo, 1, none)
	child.Links = map[records.Relation][]records.ID{records.PartOf: {"task-doneparent"}}
	expired := task("expired000", records.Todo, 1, none)
	expired.Valid.Until = day(2)
	v := records.NewSet([]*records.Record{
		task("old0000000", records.Todo, 1, none),
		task("young00000", records.Todo, 5, none),
		task("urgent0000", records.Todo, 9, 0),
		task("middling00", records.Todo, 3, 2), // as urgent as one without
		task("whenever00", records.Todo, 1, 4),
		task("mine000000", records.InProgress, 9, 4),
		task("theirs0000", records.InProgress, 9, none),
		task("blocked000", records.Blocked, 1, 0),
		task("waits00000", records.Todo, 1, 0, "task-old0000000"),
		task("waited0000", records.Todo, 1, 1, "task-done000000", "task-dropped000"),
		task("done000000", records.Done, 1, 0),
		task("dropped000", records.Dropped, 1, 0),
		task("doneparent", records.Done, 1, 0),
		child, expired,
	}, nil)
	q := func(current records.ID) todoQuery {
		return todoQuery{Eval: records.EvalContext{Review: records.ReviewAny, ValidAt: day(20)}, Focus: planning.Focus{Task: current}}
	}
	var ready, waiting []string
	for _, todo := range allTodos(v, q("task-mine000000")) {
		if todo.Waits == "" {
			ready = append(ready, todo.Task.Title)
			continue
		}
		waiting = append(waiting, todo.Task.Title+" "+string(todo.Waits))
	}
	if want := []string{"mine000000", "urgent0000", "waited0000", "old0000000", "openchild0", "middling00", "young00000", "theirs0000", "whenever00"}; !slices.Equal(ready, want) {
		t.Errorf("ready\n got %q\nwant %q", ready, want)
	}
	if want := []string{"blocked000 blocked", "waits00000 depends-on", "expired000 out-of-validity"}; !slices.Equal(waiting, want) {
		t.Errorf("waiting\n got %q\nwant %q", waiting, want)
	}

	// A session's task that nobody has begun takes its place by urgency.
	if first := allTodos(v, q("task-whenever00"))[0]; first.Task.Title != "urgent0000" || first.Current {
		t.Errorf("first is %s, current %v", first.Task.Title, first.Current)
	}
}

// A goal that is parked or abandoned keeps its tasks waiting, unless they serve
// another; claims of others do too.
func TestNextLeavesOut(t *testing.T) {
	at := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	record := func(id records.ID, s records.State, serves ...records.ID) *records.Record {
		r := &records.Record{ID: id, Kind: id.Kind(), Title: string(id), Verdict: &records.Verdict{State: s}, Created: records.Created{At: at}}
		if len(serves) > 0 {
			r.Links = map[records.Relation][]records.ID{records.Serves: serves}
		}
		return r
	}
	v := records.NewSet([]*records.Record{
		record("goal-0000000001", records.Active), record("goal-0000000002", records.Parked), record("goal-0000000003", records.Abandoned),
		record("task-0000000001", records.Todo, "goal-0000000001"),
		record("task-0000000002", records.Todo, "goal-0000000002"),
		record("task-0000000003", records.Todo, "goal-0000000003"),
		record("task-0000000004", records.Todo, "goal-0000000001", "goal-0000000002"),
		record("task-0000000005", records.Todo),
	}, nil)
	held := &claim.Claim{Task: "task-0000000005"}
	got := map[records.ID]Wait{}
	for _, todo := range allTodos(v, todoQuery{Eval: records.EvalContext{Review: records.ReviewAny, ValidAt: at}, Held: map[records.ID]*claim.Claim{held.Task: held}}) {
		got[todo.Task.ID] = todo.Waits
		if (todo.Held != nil) != (todo.Waits == WaitsClaimed) {
			t.Errorf("%s: held %v, waits %q", todo.Task.ID, todo.Held, todo.Waits)
		}
	}
	want := map[records.ID]Wait{"task-0000000001": "", "task-0000000002": WaitsGoal, "task-0000000003": WaitsGoal, "task-0000000004": "", "task-0000000005": WaitsClaimed}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Todos reads no more than it must, and yields what Next lists, in that order.
func TestTodosIsNext(t *testing.T) {
	at := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		id := func(n int) records.ID { return records.ID(fmt.Sprintf("task-%010d", n)) }
		goals := []records.ID{"goal-0000000001", "goal-0000000002"}
		var rs []*records.Record
		for i, g := range goals {
			rs = append(rs, &records.Record{ID: g, Kind: records.Goal, Priority: &[]int{0, 4}[i], Verdict: &records.Verdict{State: records.Active}})
		}
		many := rapid.IntRange(0, 4*weighed).Draw(t, "tasks")
		for i := range many {
			p := rapid.IntRange(0, 4).Draw(t, "priority")
			r := &records.Record{ID: id(i), Kind: records.Task, Priority: &p, Links: map[records.Relation][]records.ID{},
				Created: records.Created{At: at.AddDate(0, 0, -rapid.IntRange(0, 100).Draw(t, "age"))},
				Verdict: &records.Verdict{State: rapid.SampledFrom([]records.State{records.Todo, records.InProgress, records.Blocked, records.Done}).Draw(t, "state")}}
			if rapid.Bool().Draw(t, "waits") {
				r.Links[records.DependsOn] = []records.ID{id(rapid.IntRange(0, many).Draw(t, "for"))}
			}
			if rapid.Bool().Draw(t, "serves") {
				r.Links[records.Serves] = []records.ID{rapid.SampledFrom(goals).Draw(t, "goal")}
			}
			rs = append(rs, r)
		}
		set := records.NewSet(rs, nil)
		q := todoQuery{Eval: records.EvalContext{Review: records.ReviewAny, ValidAt: at}, Focus: planning.Focus{
			Task: id(rapid.IntRange(0, many).Draw(t, "current")), Goal: rapid.SampledFrom(goals).Draw(t, "focus")}}
		var want, got []records.ID
		for _, todo := range allTodos(set, q) {
			if todo.Waits == "" {
				want = append(want, todo.Task.ID)
			}
		}
		waits, view := 0, &ledger.View{View: set}
		for todo, err := range todos(view, q) {
			switch {
			case err != nil:
				t.Fatal(err)
			case todo.Waits == "":
				got = append(got, todo.Task.ID)
			default:
				waits++
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got  %v\nwant %v", got, want)
		}
		if all := len(allTodos(set, q)); waits != all-len(want) {
			t.Fatalf("%d wait, want %d", waits, all-len(want))
		}
	})
}
