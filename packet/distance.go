package packet

import "github.com/git-ctx/git-ctx/records"

// distances returns, for each record by its index, how many links away from
// the focus it is, or 0 where that is more than maxDistance or where it is the
// focus itself. Links count in both directions, and so do the records a
// verdict cites. Without a focus record the result is nil.
func (p *pool) distances(f *focus) []int8 {
	start := f.records()
	if len(start) == 0 {
		return nil
	}
	index := make(map[records.ID]int32, len(p.ids))
	for i, id := range p.ids {
		index[id] = int32(i)
	}
	neighbours := p.neighbours(index)
	dist := make([]int8, len(p.ids))
	seen := make([]bool, len(p.ids))
	var ring []int32
	for _, r := range start {
		ring = append(ring, index[r.ID])
		seen[index[r.ID]] = true
	}
	for d := int8(1); d <= maxDistance; d++ {
		var next []int32
		for _, i := range ring {
			for _, n := range neighbours[i] {
				if !seen[n] {
					seen[n] = true
					dist[n] = d
					next = append(next, n)
				}
			}
		}
		ring = next
	}
	return dist
}

func (p *pool) neighbours(index map[records.ID]int32) [][]int32 {
	ns := make([][]int32, len(p.ids))
	link := func(from int, to []records.ID) {
		for _, id := range to {
			if t, ok := index[id]; ok {
				ns[from] = append(ns[from], t)
				ns[t] = append(ns[t], int32(from))
			}
		}
	}
	for i, r := range p.all {
		for _, to := range r.Links {
			link(i, to)
		}
		if r.Verdict != nil {
			link(i, r.Verdict.Cites)
		}
	}
	return ns
}
