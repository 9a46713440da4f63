package packet

import "github.com/git-ctx/git-ctx/records"

// distances returns how many links away from the focus the records are that
// are at most maxDistance away, the focus itself at 0. Links count in both
// directions, and so do the records a verdict cites. Where the request names
// candidates it goes on only from these and the focus; what it tells then holds
// for the pool and for what records of other branches link to.
func (p *pool) distances(f *focus, req Request) map[records.ID]int {
	dist := map[records.ID]int{}
	var ring []records.ID
	for _, r := range f.records() {
		dist[r.ID] = 0
		ring = append(ring, r.ID)
	}
	if len(ring) == 0 {
		return dist
	}
	considered := idSet(req.Candidates)
	linking := p.linking(f, considered)
	for d := 1; d <= maxDistance; d++ {
		var next []records.ID
		reach := func(id records.ID) {
			if _, seen := dist[id]; !seen {
				dist[id] = d
				next = append(next, id)
			}
		}
		for _, id := range ring {
			if d > 1 && considered != nil && !considered[id] {
				continue
			}
			r, ok := p.view.Record(id)
			if !ok {
				continue
			}
			eachLink(r, reach)
			for _, from := range linking(id) {
				reach(from)
			}
		}
		ring = next
	}
	return dist
}

// linking returns what tells the records that link to one. Of candidates, which
// are read already, their own links tell: thousands may link to the focus.
func (p *pool) linking(f *focus, considered map[records.ID]bool) func(records.ID) []records.ID {
	if considered == nil {
		return func(id records.ID) []records.ID { return p.view.Backlinks(id, records.AnyLink) }
	}
	back, seen := map[records.ID][]records.ID{}, map[records.ID]bool{}
	look := func(id records.ID) {
		r, ok := p.view.Record(id)
		if !ok || seen[id] {
			return
		}
		seen[id] = true
		eachLink(r, func(to records.ID) { back[to] = append(back[to], id) })
	}
	for id := range considered {
		look(id)
	}
	for _, r := range f.records() {
		look(r.ID)
	}
	for _, c := range p.candidates {
		if c.branch == "" {
			look(c.r.ID)
		} else {
			eachLink(c.r, look)
		}
	}
	return func(id records.ID) []records.ID { return back[id] }
}

// eachLink calls fn for what a record links to and what its verdict cites.
func eachLink(r *records.Record, fn func(records.ID)) {
	for _, ids := range r.Links {
		for _, id := range ids {
			fn(id)
		}
	}
	if r.Verdict != nil {
		for _, id := range r.Verdict.Cites {
			fn(id)
		}
	}
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
