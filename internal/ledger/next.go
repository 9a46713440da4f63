package ledger

import (
	"cmp"
	"iter"
	"slices"

	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/records"
)

// usualPriority is what a record without priority counts as.
const usualPriority = 2

// A Todo is an open task and what decides whether it can be worked on now.
type Todo struct {
	Task *records.Record
	// Goals are the goals it serves.
	Goals []*records.Record
	// Current tells that this session has begun it.
	Current bool
	// Waits says why it cannot be worked on now, "" when it can.
	Waits Wait
	// For are the tasks it waits for.
	For []*records.Record
	// Held is another session's live claim; see [Ledger.MarkClaimed].
	Held *Claim
}

// A Wait is a reason why a task cannot be worked on now.
type Wait string

// The reasons to wait.
const (
	WaitsBlocked  Wait = "blocked"
	WaitsDepends  Wait = "depends-on"
	WaitsDisputed Wait = "disputed"
	WaitsInvalid  Wait = "out-of-validity"
	WaitsClaimed  Wait = "claimed"
)

// Next lists the open tasks. Those that can be worked on now come first: the
// session's current one if it is in progress, then by priority, then the
// oldest; after them those that wait, in the same order.
func Next(v records.View, j records.Judge, current records.ID) []Todo {
	var out []Todo
	for r := range v.All() {
		if t, open := todo(v, r, j); open {
			t.Current = current == r.ID && r.State() == records.InProgress
			out = append(out, t)
		}
	}
	slices.SortStableFunc(out, func(a, b Todo) int {
		return cmp.Or(compareBool(a.Waits == "", b.Waits == ""), compareBool(a.Current, b.Current), CompareUrgency(a.Task, b.Task))
	})
	return out
}

// Todos yields the open tasks by urgency, the session's current one first if it
// is in progress; unlike [Next], those that wait stand among the others. Only
// as many are read as are asked for. An error is the last yield.
func (v *View) Todos(j records.Judge, current records.ID) iter.Seq2[Todo, error] {
	return func(yield func(Todo, error) bool) {
		first, ok := v.Record(current)
		began := ok && first.State() == records.InProgress
		if t, open := todoOf(v, first, j, began); open && began && !yield(t, nil) {
			return
		}
		for row, err := range v.Rows(j, index.Query{Kinds: []records.Kind{records.Task}, Order: index.ByPriority, Classes: unsettled}) {
			if err != nil {
				yield(Todo{}, err)
				return
			}
			if began && row.ID == current {
				continue
			}
			r, _ := v.Record(row.ID)
			if t, open := todoOf(v, r, j, false); open && !yield(t, nil) {
				return
			}
		}
	}
}

// unsettled are the classes that an open task may have, those that are out of
// their validity aside, which rows name anyway.
var unsettled = []records.Class{records.Asserted, records.OpenQuestion, records.AwaitingReview, records.InDispute}

func todoOf(v records.View, r *records.Record, j records.Judge, current bool) (Todo, bool) {
	if r == nil {
		return Todo{}, false
	}
	t, open := todo(v, r, j)
	t.Current = current
	return t, open
}

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

// todo judges one record; open is false for all that is no open task.
func todo(v records.View, r *records.Record, j records.Judge) (t Todo, open bool) {
	if r.Kind != records.Task || r.Tombstone != nil {
		return t, false
	}
	st := records.Effective(v, r.ID, j)
	settled := st.Class == records.Closed && st.Why == "" || st.Class == records.Gone
	if settled || r.Verdict != nil && !records.Task.Schema().Open(r.State()) {
		return t, false
	}
	t = Todo{Task: r, Goals: linked(v, r, records.Serves)}
	for _, d := range linked(v, r, records.DependsOn) {
		if d.Verdict == nil || records.Task.Schema().Open(d.State()) {
			t.For = append(t.For, d)
		}
	}
	switch {
	case st.Class == records.InDispute:
		t.Waits = WaitsDisputed
	case st.Class == records.Closed:
		t.Waits = WaitsInvalid
	case st.State == records.Blocked:
		t.Waits = WaitsBlocked
	case len(t.For) > 0:
		t.Waits = WaitsDepends
	}
	return t, true
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
