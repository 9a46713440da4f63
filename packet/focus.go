package packet

import (
	"slices"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/standing"
)

// A focus is the request's focus with its records found and its gaps filled.
type focus struct {
	goal, task, trigger *records.Record
	// goalInferred and triggerInferred tell what the request did not name.
	goalInferred, triggerInferred bool
	paths                         []string // sorted, without duplicates
	// none is set when nothing says what the reader is working on.
	none bool
}

// records returns the focus's records in the order in which they are printed.
func (f *focus) records() []*records.Record {
	var rs []*records.Record
	for _, r := range []*records.Record{f.goal, f.task, f.trigger} {
		if r != nil {
			rs = append(rs, r)
		}
	}
	return rs
}

func (f *focus) has(id records.ID) bool {
	return slices.ContainsFunc(f.records(), func(r *records.Record) bool { return r.ID == id })
}

func resolveFocus(v records.View, req Request) (*focus, error) {
	f := &focus{paths: slices.Compact(slices.Sorted(slices.Values(req.Focus.Paths)))}
	var err error
	if f.goal, err = focusRecord(v, req.Focus.Goal, records.Goal); err != nil {
		return nil, err
	}
	if f.task, err = focusRecord(v, req.Focus.Task, records.Task); err != nil {
		return nil, err
	}
	if f.trigger, err = focusRecord(v, req.Focus.Trigger, records.Trigger); err != nil {
		return nil, err
	}
	if f.task != nil && f.goal == nil {
		f.goal = firstActive(v, f.task.Links[records.Serves], req.Eval)
		f.goalInferred = f.goal != nil
	}
	if f.task != nil && f.trigger == nil {
		f.trigger = firstActive(v, v.Backlinks(f.task.ID, records.Starts), req.Eval)
		f.triggerInferred = f.trigger != nil
	}
	f.none = req.Purpose == "" && len(f.records()) == 0 && len(f.paths) == 0
	return f, nil
}

// focusRecord finds a record named as focus; an empty id is none.
func focusRecord(v records.View, id records.ID, want records.Kind) (*records.Record, error) {
	if id == "" {
		return nil, nil
	}
	r, ok := v.Record(id)
	switch {
	case !ok:
		return nil, &FocusError{ID: id, Want: want, Why: "no such record"}
	case r.Kind != want:
		return nil, &FocusError{ID: id, Want: want, Why: "it is a " + string(r.Kind)}
	case r.Forgotten():
		return nil, &FocusError{ID: id, Want: want, Why: "it was forgotten"}
	}
	return r, nil
}

// firstActive returns the first goal or trigger of ids that is in force.
func firstActive(v records.View, ids []records.ID, j records.EvalContext) *records.Record {
	for _, id := range ids {
		r, ok := v.Record(id)
		if ok && (r.Kind == records.Goal || r.Kind == records.Trigger) &&
			standing.Of(v, id, j).Class == records.Asserted {
			return r
		}
	}
	return nil
}
