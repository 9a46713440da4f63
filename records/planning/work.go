package planning

import (
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

// A Work is a task or goal with what was recorded for it: the goals and tasks
// below, the hypotheses about them, and the evidence, decisions and conclusions
// that bear on these. Its lists hold no record twice, the nearest first.
type Work struct {
	Root                                                       *records.Record
	Goals, Tasks, Hypotheses, Evidence, Decisions, Conclusions []*records.Record
	// Cut tells that the limit left some out.
	Cut bool

	view  records.View
	seen  map[records.ID]bool
	limit int
}

// Around gathers the work of a task or goal, at most limit records; 0 is no limit.
func Around(v records.View, root *records.Record, limit int) *Work {
	w := &Work{Root: root, view: v, limit: limit, seen: make(map[records.ID]bool)}
	w.add(root)
	// The lists grow while they are walked: below a goal there may be more.
	for i := 0; i < len(w.Goals); i++ {
		w.addLinked(w.Goals[i].ID, records.Parent, records.Serves)
	}
	for i := 0; i < len(w.Tasks); i++ {
		w.addLinked(w.Tasks[i].ID, records.PartOf)
	}
	for _, r := range slices.Concat(w.Tasks, w.Goals) {
		w.addLinked(r.ID, records.About, records.Closes, records.RelatesTo)
		w.addAll(r.Links[records.RelatesTo])
	}
	for _, c := range w.Conclusions {
		w.addAll(c.Links[records.RestsOn])
	}
	for _, h := range w.Hypotheses {
		w.addLinked(h.ID, records.Supports, records.Refutes, records.RestsOn)
		w.addAll(cites(h))
	}
	for _, e := range w.Evidence {
		w.addLinked(e.ID, records.RestsOn)
	}
	return w
}

// All returns every record of the work, the root first.
func (w *Work) All() []*records.Record {
	return slices.Concat(w.Goals, w.Tasks, w.Hypotheses, w.Evidence, w.Decisions, w.Conclusions)
}

func (w *Work) addLinked(id records.ID, rels ...records.Relation) {
	for _, rel := range rels {
		w.addAll(w.view.Backlinks(id, rel))
	}
}

func (w *Work) addAll(ids []records.ID) {
	for _, id := range ids {
		if !w.seen[id] {
			w.add(get(w.view, id))
		}
	}
}

// add puts a record into its list. Relations reach other work too, such as a
// goal that is merely related: of goals and tasks only what is below counts.
func (w *Work) add(r *records.Record) {
	if r == nil || w.seen[r.ID] || (r.Kind == records.Goal || r.Kind == records.Task) && r != w.Root && !w.below(r) {
		return
	}
	var list *[]*records.Record
	switch r.Kind {
	case records.Goal:
		list = &w.Goals
	case records.Task:
		list = &w.Tasks
	case records.Hypothesis:
		list = &w.Hypotheses
	case records.Evidence:
		list = &w.Evidence
	case records.Decision:
		list = &w.Decisions
	case records.Conclusion:
		list = &w.Conclusions
	default:
		return
	}
	if w.limit > 0 && len(w.seen) == w.limit {
		w.Cut = true
		return
	}
	w.seen[r.ID] = true
	*list = append(*list, r)
}

// below reports whether a goal or task belongs to one of the work.
func (w *Work) below(r *records.Record) bool {
	for _, rel := range []records.Relation{records.Parent, records.Serves, records.PartOf} {
		if slices.ContainsFunc(r.Links[rel], func(id records.ID) bool { return w.seen[id] }) {
			return true
		}
	}
	return false
}

func cites(r *records.Record) []records.ID {
	if r.Verdict == nil {
		return nil
	}
	return r.Verdict.Cites
}
