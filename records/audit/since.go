package audit

import (
	"maps"
	"slices"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/standing"
)

// Since returns those findings of [Run] on now that are about a changed record,
// or that Run on before does not have: what the change brought in, wherever it
// shows, and all that is wrong with what changed. Changed are the records that
// differ between the views of the two; but for View, Unreadable and LostSides the
// inputs are to be equal. It looks only where the change reaches.
func Since(now, before Input, changed []records.ID) []Finding {
	changed = append(slices.Clone(changed), turned(now, before)...)
	reach := Reach(now.View, before.View, changed)
	known := make(map[string]bool)
	for _, f := range around(before, reach) {
		known[f.Fingerprint] = true
	}
	touched := make(map[records.ID]bool, len(changed))
	for _, id := range changed {
		touched[id] = true
	}
	return slices.DeleteFunc(around(now, reach), func(f Finding) bool { return known[f.Fingerprint] && !touched[f.Record] })
}

// turned returns the records whose files can be read in one of the inputs alone.
func turned(a, b Input) []records.ID {
	in, was := unreadableIDs(a.Unreadable), unreadableIDs(b.Unreadable)
	var ids []records.ID
	for _, side := range []map[records.ID]bool{in, was} {
		for id := range side {
			if in[id] != was[id] {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// around returns the findings of [Run] about some records, those of far rules
// about any, and those about none.
func around(in Input, ids []records.ID) []Finding {
	p := newPass(in)
	done := make(map[records.ID]bool, len(ids))
	for _, id := range ids {
		if r, ok := in.View.Record(id); ok {
			p.record(r)
			done[id] = true
		}
	}
	if len(ids) > 0 { // where nothing changed, nothing far away did
		p.far(done)
	}
	return p.finish()
}

// Reach returns the records, sorted, about which findings may differ between two
// views that differ in the changed records, but for those of rules that look
// further than links, citations, questions and titles lead.
func Reach(now, before records.View, changed []records.ID) []records.ID {
	ids := make(map[records.ID]bool)
	for _, id := range changed {
		old, _ := before.Record(id)
		new, _ := now.Record(id)
		reach{before, ids}.from(id, old, new)
		reach{now, ids}.from(id, old, new)
	}
	return slices.Sorted(maps.Keys(ids))
}

// reachOf is Reach of records that do not change.
func reachOf(v records.View, asked []records.ID) []records.ID {
	ids := make(map[records.ID]bool)
	for _, id := range asked {
		r, _ := v.Record(id)
		reach{v, ids}.from(id, r, nil)
	}
	return slices.Sorted(maps.Keys(ids))
}

// reach collects the records of one view that a record bears on.
type reach struct {
	v   records.View
	ids map[records.ID]bool
}

// from adds everything whose findings may read the record of an id, that it was
// or that it is; nil is none.
func (a reach) from(id records.ID, old, new *records.Record) {
	a.ids[id] = true
	a.add(standing.Affected(a.v, old, new))
	a.add(a.v.Backlinks(id, records.AnyLink)) // of one that neither view has, too
	for _, r := range []*records.Record{old, new} {
		if r != nil {
			a.of(r)
		}
	}
}

// of adds everything whose findings may read r, r as it was or as it is.
func (a reach) of(r *records.Record) {
	near := a.neighbours(r)
	for _, id := range near {
		a.ids[id] = true
	}
	for _, id := range a.v.Titled(r.Kind, records.Normalize(r.Title)) {
		a.ids[id] = true
	}
	for _, id := range near {
		switch {
		case r.Kind == records.Conclusion: // other conclusions that close the same work
			a.add(a.v.Backlinks(id, records.Closes))
		case r.Kind == records.Evidence: // what rests on, or contradicts, the hypothesis it bears on
			a.add(a.v.Backlinks(id, records.RestsOn))
			a.contradicting(id)
		}
	}
	for _, rel := range records.Relations(r.Kind) {
		if rel.Acyclic() {
			a.along(r, rel)
		}
	}
	a.predecessors(r.ID)
}

func (a reach) add(ids []records.ID) {
	for _, id := range ids {
		a.ids[id] = true
	}
}

// neighbours lists what r leads to and what leads to r.
func (a reach) neighbours(r *records.Record) []records.ID {
	var ids []records.ID
	for _, targets := range r.Links {
		ids = append(ids, targets...)
	}
	if r.Verdict != nil {
		ids = append(ids, r.Verdict.Cites...)
	}
	ids = append(ids, r.Successors()...)
	ids = append(ids, a.v.Backlinks(r.ID, records.AnyLink)...)
	return unique(append(ids, a.v.Backlinks(r.ID, records.SupersededBy)...))
}

func (a reach) contradicting(id records.ID) {
	a.add(a.v.Backlinks(id, records.Contradicts))
	if r, ok := a.v.Record(id); ok {
		a.add(r.Links[records.Contradicts])
	}
}

// along adds all that r leads to by one relation: the circles that it may be on.
func (a reach) along(r *records.Record, rel records.Relation) {
	seen := map[records.ID]bool{}
	for queue := slices.Clone(r.Links[rel]); len(queue) > 0; queue = queue[1:] {
		id := queue[0]
		if seen[id] {
			continue
		}
		seen[id], a.ids[id] = true, true
		if t, ok := a.v.Record(id); ok {
			queue = append(queue, t.Links[rel]...)
		}
	}
}

// predecessors adds what was superseded by id, at however many removes, and what rests on it.
func (a reach) predecessors(id records.ID) {
	seen := map[records.ID]bool{}
	for queue := []records.ID{id}; len(queue) > 0; queue = queue[1:] {
		if seen[queue[0]] {
			continue
		}
		seen[queue[0]] = true
		a.add(a.v.Backlinks(queue[0], records.RestsOn))
		queue = append(queue, a.v.Backlinks(queue[0], records.SupersededBy)...)
	}
	for p := range seen {
		a.ids[p] = true
	}
}
