package packet

import "github.com/git-ctx/git-ctx/records"

// distances returns how many links away from the focus the records are that
// are at most maxDistance away, the focus itself at 0. Links count in both
// directions, and so do the records a verdict cites. The view is asked for the
// neighbours of what is near alone, and goes on only from what is considered, nil being all.
func distances(v records.View, f *focus, considered map[records.ID]bool) map[records.ID]int {
	dist := map[records.ID]int{}
	var ring []records.ID
	for _, r := range f.records() {
		dist[r.ID] = 0
		ring = append(ring, r.ID)
	}
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
			if d > 1 && considered != nil && !considered[id] {
				continue
			}
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
			reach(v.Backlinks(id, records.AnyLink))
		}
		ring = next
	}
	return dist
}

// idSet returns the ids as a set, nil for nil.
func idSet(ids []records.ID) map[records.ID]bool {
	if ids == nil {
		return nil
	}
	set := make(map[records.ID]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}
