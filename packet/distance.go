package packet

import (
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

// distances returns how many links away from the focus the records are that
// are at most maxDistance away, the focus itself at 0. Links count in both
// directions, and so do the records a verdict cites. The view is asked for the
// neighbours of what is near alone.
func distances(v records.View, f *focus) map[records.ID]int {
	dist := map[records.ID]int{}
	var ring []records.ID
	for _, r := range f.records() {
		dist[r.ID] = 0
		ring = append(ring, r.ID)
	}
	rels := relations()
	for d := 1; d <= maxDistance; d++ {
		var next []records.ID
		reach := func(ids []records.ID) {
			for _, id := range ids {
				if _, seen := dist[id]; !seen {
					dist[id] = d
					next = append(next, id)
				}
			}
		}
		for _, id := range ring {
			r, ok := v.Record(id)
			if !ok {
				continue
			}
			for _, to := range r.Links {
				reach(to)
			}
			if r.Verdict != nil {
				reach(r.Verdict.Cites)
			}
			for _, rel := range rels {
				reach(v.Backlinks(id, rel))
			}
		}
		ring = next
	}
	return dist
}

// relations returns all that can lead from one record to another.
func relations() []records.Relation {
	rels := []records.Relation{records.Cites}
	for _, sch := range records.Schemas() {
		for _, rel := range records.Relations(sch.Kind) {
			if !slices.Contains(rels, rel) {
				rels = append(rels, rel)
			}
		}
	}
	return rels
}
