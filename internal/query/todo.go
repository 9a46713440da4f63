package query

import (
	"cmp"
	"iter"
	"slices"

	"github.com/git-ctx/git-ctx/internal/claim"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/planning"
	"github.com/git-ctx/git-ctx/records/standing"
)

// usualPriority is what a record without priority counts as.
const usualPriority = 2

// weighed is how many of the tasks that can be worked on now, the most urgent,
// are put in order by their score, beside those tied to the task in focus. The
// score of all would cost reading all, and could change the order by less than
// two steps of priority.
const weighed = 32

// A Todo is an open task and what decides whether it can be worked on now.
type Todo struct {
	Task *records.Record
	// Goals are the goals it serves.
	Goals []*records.Record
	// Current tells that this session has begun it.
	Current bool
	// Score is by what it was put in order; see [planning.ScoreOf].
	Score planning.Score
	// Waits says why it cannot be worked on now, "" when it can.
	Waits Wait
	// For are the tasks it waits for.
	For []*records.Record
	// Held is another session's live claim, of a task that waits for nothing else.
	Held *claim.Claim
}

// A Wait is a reason why a task cannot be worked on now.
type Wait string

// The reasons to wait.
const (
	WaitsBlocked  Wait = "blocked"
	WaitsDepends  Wait = "depends-on"
	WaitsDisputed Wait = "disputed"
	WaitsInvalid  Wait = "out-of-validity"
	WaitsGoal     Wait = "goal" // every goal it serves is parked or abandoned
	WaitsClaimed  Wait = "claimed"
)

// A todoQuery says for whom the open tasks are listed.
type todoQuery struct {
	Eval  records.EvalContext
	Focus planning.Focus
	// Held are other sessions' live claims by task; nil leaves claims aside.
	Held map[records.ID]*claim.Claim
}

// focusOf is what this session works on, as [todos] weighs it: @task,
// and the session's goal, else the one that @task serves.
func focusOf(l *ledger.Ledger, v records.View) planning.Focus {
	var f planning.Focus
	if t, err := l.Find(v, "@task"); err == nil {
		f.Task = t.ID
		if gs := t.Links[records.Serves]; len(gs) == 1 {
			f.Goal = gs[0]
		}
	}
	if g, ok := v.Record(l.Session().Goal); ok && g.Open() {
		f.Goal = g.ID
	}
	return f
}

// allTodos lists the open tasks: those that can be worked on now as [todos]
// yields them, and after them those that wait, by urgency.
func allTodos(v records.View, q todoQuery) []Todo {
	var ready, waiting []Todo
	eval := standing.NewEvaluator(v, q.Eval)
	for r := range v.All() {
		switch t, open := q.todo(v, r, eval.Standing(r.ID)); {
		case !open:
		case t.Waits == "":
			ready = append(ready, t)
		default:
			waiting = append(waiting, t)
		}
	}
	slices.SortFunc(ready, byUrgency)
	slices.SortFunc(waiting, byUrgency)
	near := map[records.ID]bool{q.Focus.Task: true}
	for _, id := range planning.Tied(v, q.Focus) {
		near[id] = true
	}
	var first, rest []Todo
	n := 0
	for _, t := range ready {
		if !t.Current {
			n++
		}
		if t.Current || n <= weighed || near[t.Task.ID] {
			first = append(first, t)
		} else {
			rest = append(rest, t)
		}
	}
	slices.SortFunc(first, byScore)
	return slices.Concat(first, rest, waiting)
}

// todos yields the open tasks that can be worked on now: the session's current
// one if it is in progress; then by score the most urgent others and those tied
// to the task in focus; then the rest by urgency. Those that wait stand among them.
// Only as many are read as that takes. An error is the last yield.
func todos(v *ledger.View, q todoQuery) iter.Seq2[Todo, error] {
	return func(yield func(Todo, error) bool) {
		seen := make(map[records.ID]bool)
		var first []Todo
		take := func(id records.ID, st records.Standing) (ready bool) {
			r, _ := v.Record(id)
			t, open := q.todo(v, r, st)
			if open && !seen[id] {
				first = append(first, t)
			}
			seen[id] = true
			return open && t.Waits == "" && !t.Current
		}
		eval := standing.NewEvaluator(v, q.Eval)
		next, stop := iter.Pull2(v.Rows(q.Eval, index.Query{Kinds: []records.Kind{records.Task}, Order: index.ByPriority, Classes: planning.OpenClasses(), Also: idle(v)}))
		defer stop()
		row, err, more := next()
		for n := 0; more && err == nil && n < weighed; row, err, more = next() {
			if take(row.ID, standingOf(row)) {
				n++
			}
		}
		for _, id := range append(planning.Tied(v, q.Focus), q.Focus.Task) {
			take(id, eval.Standing(id))
		}
		slices.SortFunc(first, byScore)
		for _, t := range first {
			if !yield(t, nil) {
				return
			}
		}
		for ; more; row, err, more = next() {
			if err != nil {
				yield(Todo{}, err)
				return
			}
			r, _ := v.Record(row.ID)
			if t, open := q.todo(v, r, standingOf(row)); open && !seen[row.ID] && !yield(t, nil) {
				return
			}
		}
	}
}

// standingOf is what a row says of its record, as far as a todo hangs on it.
func standingOf(row index.Row) records.Standing {
	return records.Standing{Class: row.Class, State: row.State, Why: row.Why}
}

// byScore puts the session's current task first, then the highest score.
func byScore(a, b Todo) int {
	return cmp.Or(compareBool(a.Current, b.Current), cmp.Compare(b.Score.Total(), a.Score.Total()), byUrgency(a, b))
}

func byUrgency(a, b Todo) int { return CompareUrgency(a.Task, b.Task) }

// CompareUrgency orders records by priority, then the oldest first, then by id.
func CompareUrgency(a, b *records.Record) int {
	return cmp.Or(cmp.Compare(priority(a), priority(b)), a.Created.At.Compare(b.Created.At), cmp.Compare(a.ID, b.ID))
}

func priority(r *records.Record) int {
	if r.Priority == nil {
		return usualPriority
	}
	return *r.Priority
}

// compareBool puts true first.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// todo makes the todo of a record with that standing; open is false for all that is not an open task.
func (q *todoQuery) todo(v records.View, r *records.Record, st records.Standing) (t Todo, open bool) {
	if r == nil || r.Kind != records.Task || r.Forgotten() {
		return t, false
	}
	settled := st.Class == records.Closed && st.Why == "" || st.Class == records.Gone
	if settled || r.Verdict != nil && !r.Open() {
		return t, false
	}
	t = Todo{Task: r, Goals: linked(v, r, records.Serves), Score: planning.ScoreOf(v, r, q.Focus, q.Eval.ValidAt)}
	t.Current = r.ID == q.Focus.Task && r.State() == records.InProgress
	for _, d := range linked(v, r, records.DependsOn) {
		if d.Verdict == nil || d.Kind == records.Task && d.Open() {
			t.For = append(t.For, d)
		}
	}
	switch {
	case st.Class == records.InDoubt:
		t.Waits = WaitsDisputed
	case st.Why == records.WhyIdleGoals:
		t.Waits = WaitsGoal
	case st.Class == records.Closed:
		t.Waits = WaitsInvalid
	case st.State == records.Blocked:
		t.Waits = WaitsBlocked
	case len(t.For) > 0:
		t.Waits = WaitsDepends
	case q.Held[r.ID] != nil:
		t.Waits, t.Held = WaitsClaimed, q.Held[r.ID]
	}
	return t, true
}

// idle returns the tasks that serve goals which are parked or abandoned.
func idle(v records.View) []records.ID {
	var ids []records.ID
	for _, s := range []records.State{records.Parked, records.Abandoned} {
		for _, g := range v.InState(records.Goal, s) {
			ids = append(ids, v.Backlinks(g, records.Serves)...)
		}
	}
	return ids
}

func linked(v records.View, r *records.Record, rel records.Relation) []*records.Record {
	var out []*records.Record
	for _, id := range r.Links[rel] {
		if o, ok := v.Record(id); ok {
			out = append(out, o)
		}
	}
	return out
}
