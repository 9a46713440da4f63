package packet

import (
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// importer is the actor of records that were taken over from another system.
const importer records.Actor = "agent/import"

// A pool is every record considered, as the packet sees it.
type pool struct {
	view       records.View
	judge      records.Judge
	candidates []*candidate // in id order
	suppressed map[string]int
	// inFocus counts the focus's records by the section they would stand in.
	inFocus map[sectionID]int
	// tied is set when a word, link or path ties any candidate to the focus.
	tied bool
}

// collect judges each record once and sorts it into its section: all of the
// view, or the request's candidates, the focus and what these rest on.
func collect(v records.View, req Request, f *focus) *pool {
	p := &pool{view: v, judge: req.Judge, suppressed: map[string]int{}, inFocus: map[sectionID]int{}}
	if req.Candidates == nil {
		for r := range v.All() {
			p.add(r, req.Kinds, f)
		}
		return p
	}
	queue := slices.Clone(req.Candidates)
	for _, r := range f.records() {
		queue = append(queue, r.ID)
	}
	seen := make(map[records.ID]bool, len(queue))
	for len(queue) > 0 {
		id := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		r, ok := v.Record(id)
		if !ok || seen[id] {
			continue
		}
		seen[id] = true
		if sec := p.add(r, req.Kinds, f); sec != secNone {
			named, supporting := bases(v, r, sec)
			queue = append(append(queue, named...), supporting...)
		}
	}
	slices.SortFunc(p.candidates, func(a, b *candidate) int { return strings.Compare(string(a.r.ID), string(b.r.ID)) })
	return p
}

// add judges a record and returns the section it is shown in, if any.
func (p *pool) add(r *records.Record, kinds []records.Kind, f *focus) sectionID {
	st := records.Effective(p.view, r.ID, p.judge)
	if suppressed(r, st) {
		p.suppressed[string(st.Why)]++
	}
	sec := sectionOf(r, st)
	switch {
	case f.has(r.ID):
		p.inFocus[sec]++
		return secFocus
	case sec == secNone || kinds != nil && !slices.Contains(kinds, r.Kind):
		return secNone
	}
	p.candidates = append(p.candidates, &candidate{
		r: r, st: st, section: sec, worth: layouts[sec].worth, lag: lag(r, st), onlyCited: sec == secEvidence,
	})
	return sec
}

// lag sets drafts of conclusions behind the questions that someone asks, and
// those that an import left behind them: nobody waits for an answer.
func lag(r *records.Record, st records.Standing) int {
	switch {
	case r.Kind != records.Conclusion || st.Class != records.OpenQuestion || st.State != records.Draft:
		return 0
	case r.Created.Actor == importer || r.Verdict.Actor == importer:
		return 2
	}
	return 1
}

// SectionName returns the name of the section in which a record of that
// standing may be shown, "" when there is none. [Request.Totals] counts by it.
func SectionName(r *records.Record, st records.Standing) string {
	if sec := sectionOf(r, st); sec != secNone {
		return layouts[sec].name
	}
	return ""
}
