package packet

import (
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// A candidate is a record that may stand in a section.
type candidate struct {
	r       *records.Record
	st      records.Standing
	section sectionID
	// index is the record's place among all of the view, for the link graph.
	index int
	score float64
	// relevant is set when anything ties the record to the focus, or when there is no focus.
	relevant bool
	// barred records are not shown whatever the budget.
	barred bool
	// onlyCited records are shown only where a record that is shown cites them.
	onlyCited bool
	shown     bool
}

// A pool is every record of the view as the packet sees it.
type pool struct {
	all        []*records.Record // in id order
	ids        []records.ID      // of all
	candidates []*candidate      // in id order
	suppressed map[string]int
	// tied is set when a word, link or path ties any candidate to the focus.
	tied bool
}

// collect judges each record once and sorts it into its section.
func collect(v records.View, req Request, f *focus) *pool {
	p := &pool{
		all:        make([]*records.Record, 0, v.Len()),
		ids:        make([]records.ID, 0, v.Len()),
		suppressed: map[string]int{},
	}
	for r := range v.All() {
		st := records.Effective(v, r.ID, req.Judge)
		if suppressed(r, st) {
			p.suppressed[string(st.Why)]++
		}
		sec := sectionOf(r, st)
		if sec != secNone && !f.has(r.ID) && (req.Kinds == nil || slices.Contains(req.Kinds, r.Kind)) {
			c := &candidate{r: r, st: st, section: sec, index: len(p.all), onlyCited: sec == secEvidence}
			p.candidates = append(p.candidates, c)
		}
		p.all = append(p.all, r)
		p.ids = append(p.ids, r.ID)
	}
	return p
}

// find returns the candidate of that id, or nil.
func (p *pool) find(id records.ID) *candidate {
	i, ok := slices.BinarySearchFunc(p.candidates, id, func(c *candidate, id records.ID) int {
		return strings.Compare(string(c.r.ID), string(id))
	})
	if !ok {
		return nil
	}
	return p.candidates[i]
}

// suppressed reports whether a rule, and not its state alone, keeps the record
// from being asserted. Forgotten records are not spoken of at all.
func suppressed(r *records.Record, st records.Standing) bool {
	return st.Why != "" && st.Why != records.WhyForgotten && st.Class != records.Asserted && r.Tombstone == nil
}

// sectionOf says where a record of this standing may be shown. No record has two places.
func sectionOf(r *records.Record, st records.Standing) sectionID {
	switch st.Class {
	case records.AwaitingReview:
		return secReview
	case records.OpenQuestion:
		return secOpen
	case records.RuledOut:
		return secRuledOut
	case records.InDispute:
		return secDisputed
	case records.Asserted:
		return assertedSection(r.Kind)
	}
	return secNone // closed or gone
}

func assertedSection(k records.Kind) sectionID {
	switch k {
	case records.Decision:
		return secDecisions
	case records.Conclusion:
		return secConclusions
	case records.Hypothesis:
		return secSupported
	case records.Evidence:
		return secEvidence
	case records.Runbook:
		return secRunbooks
	case records.Task:
		return secNext
	case records.Goal, records.Trigger:
		return secFocus
	}
	return secNone
}

// cites returns the records that c rests on and that a reader may look at:
// what its verdict cites and its rests-on links lead to, then the evidence
// that supports it, strongest first. The second result is how many of them the
// record names itself.
func (p *pool) cites(v records.View, c *candidate) ([]*candidate, int) {
	var out []*candidate
	add := func(id records.ID) {
		o := p.find(id)
		if o == nil || o == c || o.barred || slices.Contains(out, o) {
			return
		}
		switch o.st.Class {
		case records.Asserted, records.OpenQuestion, records.AwaitingReview:
			out = append(out, o)
		}
	}
	if c.r.Verdict != nil {
		for _, id := range c.r.Verdict.Cites {
			add(id)
		}
	}
	for _, id := range c.r.Links[records.RestsOn] {
		add(id)
	}
	named := len(out)
	switch c.section {
	case secSupported, secDecisions, secConclusions:
		for _, id := range v.Backlinks(c.r.ID, records.Supports) {
			if o := p.find(id); o != nil && o.section == secEvidence {
				add(id)
			}
		}
		slices.SortStableFunc(out[named:], func(a, b *candidate) int { return strength(b.r) - strength(a.r) })
	}
	return out, named
}

func strength(r *records.Record) int {
	if r.Strength == nil {
		return 50
	}
	return int(*r.Strength)
}

// waits reports whether an open task cannot be begun: it is blocked, or
// depends on a task that is not closed.
func (p *pool) waits(c *candidate, f *focus) bool {
	if c.st.State == records.Blocked {
		return true
	}
	return slices.ContainsFunc(c.r.Links[records.DependsOn], func(id records.ID) bool {
		if f.task != nil && f.task.ID == id {
			return records.Task.Schema().Open(f.task.State())
		}
		return p.find(id) != nil
	})
}
