package standing

import (
	"maps"
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

// Dependents returns the records whose class may differ after those of ids
// changed, themselves included, sorted: what rests on them, cites them, is contradicted,
// rivalled or refuted by them, and so link after link. Where a change took a
// link, question or title away, the view before it is to be asked too.
func Dependents(v records.View, ids []records.ID) []records.ID {
	seen := make(map[records.ID]bool, len(ids))
	queue := slices.Clone(ids)
	for len(queue) > 0 {
		id := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if seen[id] {
			continue
		}
		seen[id] = true
		queue = append(queue, dependents(v, id)...)
	}
	return slices.Sorted(maps.Keys(seen))
}

// Affected is [Dependents] of one record that changed from old to new, nil for
// no record, in the view after the change.
func Affected(v records.View, old, new *records.Record) []records.ID {
	var ids []records.ID
	for _, r := range []*records.Record{old, new} {
		if r != nil {
			ids = append(append(ids, r.ID), toldBy(v, r)...)
		}
	}
	return Dependents(v, ids)
}

// dependents returns the records that ask for id, in [Evaluator.connect] or for their class.
func dependents(v records.View, id records.ID) []records.ID {
	var out []records.ID
	for _, rel := range []records.Relation{records.RestsOn, records.Cites, records.Contradicts, records.SupersededBy, records.Serves} {
		out = append(out, v.Backlinks(id, rel)...)
	}
	if r, ok := v.Record(id); ok {
		out = append(out, toldBy(v, r)...)
	}
	return out
}

// ruledOut reports whether r may rule its text out, here or by the default branch.
func ruledOut(v records.View, r *records.Record) bool {
	veto, vetoed := v.Veto(r.ID)
	return r.State().Class(r.Kind) == records.RuledOut || vetoed && veto.Class(r.Kind) == records.RuledOut
}

// toldBy returns the records whose class reads r by what r says of itself.
func toldBy(v records.View, r *records.Record) []records.ID {
	out := slices.Concat(r.Links[records.Contradicts], r.Links[records.Refutes])
	if key := records.QuestionKey(r.Question); key != "" && r.State() == records.Accepted {
		out = append(out, v.OnQuestion(key)...)
	}
	if key := records.Normalize(r.Title); key != "" && r.Kind.Claims() && ruledOut(v, r) {
		for _, k := range r.Kind.SameTextKinds() {
			out = append(out, v.Titled(k, key)...)
		}
	}
	// Its successors may be a fork, and the chain from there a cycle.
	return append(out, r.Successors()...)
}
