package packet

import (
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// addElsewhere takes up what other branches rule out. A record that this
// branch has stays where it is, with a warning while it is alive; one that this
// branch does not know is ruled out here as well. Only the default branch vetoes.
func (p *pool) addElsewhere(v records.View, req Request) {
	var more []*candidate
	for _, e := range req.Elsewhere {
		if c := p.find(e.Record.ID); c != nil {
			if c.section != secRuledOut && c.section != secFallen {
				c.warning = string(e.Record.State()) + " on branch " + plainName(e.Branch)
			}
			continue
		}
		if _, ok := v.Record(e.Record.ID); ok || req.Kinds != nil && !slices.Contains(req.Kinds, e.Record.Kind) {
			continue
		}
		more = append(more, &candidate{
			r: e.Record, st: records.Standing{Class: records.RuledOut, State: e.Record.State()},
			section: secRuledOut, worth: layouts[secRuledOut].worth, branch: e.Branch,
		})
	}
	if len(more) > 0 {
		p.candidates = append(p.candidates, more...)
		p.changed = true
		p.sort()
	}
}

func (p *pool) sort() {
	slices.SortFunc(p.candidates, func(a, b *candidate) int { return strings.Compare(string(a.r.ID), string(b.r.ID)) })
}

// linkDistance is how many links from the focus a record of another branch is
// by its own links, which no neighbour here answers for; 0 is too far.
func linkDistance(r *records.Record, distance map[records.ID]int) int {
	best := 0
	for _, rel := range records.Relations(r.Kind) {
		for _, id := range r.Links[rel] {
			if d, ok := distance[id]; ok && d < maxDistance && (best == 0 || d+1 < best) {
				best = d + 1
			}
		}
	}
	return best
}
