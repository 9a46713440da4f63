package planning

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/git-ctx/git-ctx/records"
)

var today = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)

// record makes a record of the kind that its id names, in a state, with links
// given as relation and target by turns.
func record(id records.ID, s records.State, links ...string) *records.Record {
	r := &records.Record{ID: id, Kind: id.Kind(), Title: "About " + string(id), Verdict: &records.Verdict{State: s},
		Created: records.Created{At: today}, Links: map[records.Relation][]records.ID{}}
	for i := 0; i < len(links); i += 2 {
		rel := records.Relation(links[i])
		r.Links[rel] = append(r.Links[rel], records.ID(links[i+1]))
	}
	return r
}

func withPriority(r *records.Record, p int) *records.Record {
	r.Priority = &p
	return r
}

func TestScore(t *testing.T) {
	const task = "task-0000000001"
	old := record(task, records.Todo)
	old.Created.At = today.AddDate(0, 0, -61)
	ancient := record(task, records.Todo)
	ancient.Created.At = today.AddDate(-3, 0, 0)
	future := record(task, records.Todo)
	future.Created.At = today.AddDate(1, 0, 0)
	for name, c := range map[string]struct {
		task   *records.Record
		others []*records.Record
		focus  Focus
		want   Score
	}{
		"nothing said":         {task: record(task, records.Todo), want: Score{Priority: 20}},
		"most urgent":          {task: withPriority(record(task, records.Todo), 0), want: Score{Priority: 40}},
		"least urgent":         {task: withPriority(record(task, records.Todo), 4), want: Score{}},
		"two months old":       {task: old, want: Score{Priority: 20, Age: 2}},
		"years old":            {task: ancient, want: Score{Priority: 20, Age: 3}},
		"dated ahead":          {task: future, want: Score{Priority: 20}},
		"most urgent of goals": {task: record(task, records.Todo, "serves", "goal-0000000001", "serves", "goal-0000000002"), others: []*records.Record{withPriority(record("goal-0000000001", records.Active), 3), withPriority(record("goal-0000000002", records.Active), 1)}, want: Score{Priority: 20, Goal: 3}},
		"goal is parked":       {task: record(task, records.Todo, "serves", "goal-0000000001"), others: []*records.Record{withPriority(record("goal-0000000001", records.Parked), 0)}, want: Score{Priority: 20}},
		"goal is achieved":     {task: record(task, records.Todo, "serves", "goal-0000000001"), others: []*records.Record{withPriority(record("goal-0000000001", records.Achieved), 0)}, want: Score{Priority: 20}},
		"serves the focus":     {task: record(task, records.Todo, "serves", "goal-0000000001"), focus: Focus{Goal: "goal-0000000001"}, want: Score{Priority: 20, Focus: 3}},
		"part of the focus":    {task: record(task, records.Todo, "part-of", "task-0000000002"), focus: Focus{Task: "task-0000000002"}, want: Score{Priority: 20, Focus: 6}},
		"the focus waits":      {task: record(task, records.Todo), others: []*records.Record{record("task-0000000002", records.InProgress, "depends-on", task)}, focus: Focus{Task: "task-0000000002"}, want: Score{Priority: 20, Focus: 6, Unblocks: 2}},
		"closed does not wait": {task: record(task, records.Todo), others: []*records.Record{record("task-0000000002", records.Done, "depends-on", task), record("task-0000000003", records.Dropped, "depends-on", task)}, want: Score{Priority: 20}},
		"many wait": {task: record(task, records.Todo), others: []*records.Record{record("task-0000000002", records.Todo, "depends-on", task), record("task-0000000003", records.Blocked, "depends-on", task),
			record("task-0000000004", records.Todo, "depends-on", task), record("task-0000000005", records.Todo, "depends-on", task)}, want: Score{Priority: 20, Unblocks: 6}},
	} {
		v := records.NewSet(append(slices.Clone(c.others), c.task), nil)
		if got := ScoreOf(v, c.task, c.focus, today); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

// No task overtakes one that is two steps of priority more urgent.
func TestScoreKeepsPriority(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := func(n int) records.ID {
			return records.ID([]string{"task-0000000001", "task-0000000002", "task-0000000003", "task-0000000004"}[n])
		}
		var rs []*records.Record
		for i := range 4 {
			r := withPriority(record(id(i), records.Todo, "serves", "goal-0000000001"), rapid.IntRange(0, 4).Draw(t, "priority"))
			for _, rel := range []string{"depends-on", "part-of"} {
				if n := rapid.IntRange(0, 4).Draw(t, rel); n < 4 {
					r.Links[records.Relation(rel)] = []records.ID{id(n)}
				}
			}
			r.Created.At = today.AddDate(0, -rapid.IntRange(0, 9).Draw(t, "months"), 0)
			rs = append(rs, r)
		}
		goal := withPriority(record("goal-0000000001", records.Active), rapid.IntRange(0, 4).Draw(t, "goal"))
		v := records.NewSet(append(slices.Clone(rs), goal), nil)
		f := Focus{Task: id(rapid.IntRange(0, 3).Draw(t, "focus")), Goal: goal.ID}
		for _, a := range rs {
			for _, b := range rs {
				if *a.Priority+2 <= *b.Priority && ScoreOf(v, a, f, today).Total() <= ScoreOf(v, b, f, today).Total() {
					t.Fatalf("%v of priority %d does not stand above %v of priority %d", ScoreOf(v, a, f, today), *a.Priority, ScoreOf(v, b, f, today), *b.Priority)
				}
			}
		}
	})
}
