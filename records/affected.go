package records

import (
	"maps"
	"slices"
)

// Affected returns the records, sorted, whose [Effective] standing may differ
// after a record changed from old to new; nil stands for no record. V is the
// view after the change. Where several records changed at once, v is the view
// after all of it, and the union over the changes is what is affected.
func Affected(v View, old, new *Record) []ID {
	ids := make(map[ID]bool)
	for _, r := range []*Record{old, new} {
		if r == nil {
			continue
		}
		ids[r.ID] = true
		// What rests on it, cites it, or is part of it reads its state and nonce.
		for _, rel := range []Relation{RestsOn, Cites, PartOf} {
			for _, id := range v.Backlinks(r.ID, rel) {
				ids[id] = true
			}
		}
		if key := QuestionKey(r.Question); key != "" {
			for _, id := range v.OnQuestion(key) {
				ids[id] = true
			}
		}
		followSuccessors(v, r, ids)
	}
	return slices.Sorted(maps.Keys(ids))
}

// followSuccessors adds what r's verdict names as its successors, which read it
// when it forks, and the chain of single successors from there, which a change
// of r may close to a cycle or open.
func followSuccessors(v View, r *Record, ids map[ID]bool) {
	next := r.Successors()
	seen := map[ID]bool{r.ID: true}
	for len(next) == 1 && !seen[next[0]] {
		seen[next[0]], ids[next[0]] = true, true
		n, ok := v.Record(next[0])
		if !ok {
			return
		}
		next = n.Successors()
	}
	if len(seen) == 1 { // r itself forks, so it is on no cycle
		for _, id := range next {
			ids[id] = true
		}
	}
}
