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
	score   float64
	parts   Parts // of the score
	// level is how much it bears on the focus, in quarters rounded up; 0 is not at
	// all. An open question takes over the level of what cites it.
	level int
	// worth is its section's, or leastWorth.
	worth int
	// tier sets it behind the records of its section that have a lower one.
	tier int
	// relevant is set when anything ties the record to the focus, or when there is no focus.
	relevant bool
	// excluded records are not shown whatever the budget.
	excluded bool
	// byChance is set where it shares too few words with the purpose to be tied to it.
	byChance bool
	// duplicate is set where it is excluded for another of the same title.
	duplicate bool
	// unsignalled runbooks are excluded, unless much room is left at the end.
	unsignalled bool
	// onlyCited records are shown only where a record that is shown cites them.
	onlyCited bool
	// branch is the context branch that the record is from, "" for this one; warning
	// says that another branch ruled it out.
	branch, warning string
	// known records are, in a packet of changes, those that did not change: they
	// are named where others rest on them and not shown.
	known bool
	was   records.Standing // what it was, in a packet of changes
	// waiting is set while its line stands in a queue and holds up others.
	waiting bool
	shown   bool
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
	return st.Why != "" && st.Why != records.WhyForgotten && st.Class != records.Asserted && !r.Forgotten()
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
	case records.InDoubt:
		return secDoubt
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

// bases returns the ids of what a record rests on, by its own word and by that
// of the evidence that supports it, when it is one of those that show any.
func bases(v records.View, r *records.Record, sec sectionID) (named, supporting []records.ID) {
	if r.Verdict != nil {
		named = append(named, r.Verdict.Cites...)
	}
	named = append(named, r.Links[records.RestsOn]...)
	switch sec {
	case secSupported, secDecisions, secConclusions, secFocus:
		supporting = v.Backlinks(r.ID, records.Supports)
	}
	return named, supporting
}

// cites returns the records that c rests on and that a reader may look at:
// what its verdict cites and its rests-on links lead to, then the evidence
// that supports it, strongest first. The second result is how many of them the
// record names itself.
func (p *pool) cites(c *candidate) ([]*candidate, int) {
	var out []*candidate
	add := func(id records.ID) {
		o := p.find(id)
		if o == nil || o == c || o.excluded || slices.Contains(out, o) {
			return
		}
		switch o.st.Class {
		case records.Asserted, records.OpenQuestion, records.AwaitingReview:
			out = append(out, o)
		}
	}
	byName, supporting := bases(p.view, c.r, c.section)
	for _, id := range byName {
		add(id)
	}
	named := len(out)
	for _, id := range supporting {
		if o := p.find(id); o != nil && o.section == secEvidence {
			add(id)
		}
	}
	slices.SortStableFunc(out[named:], func(a, b *candidate) int { return strength(b.r) - strength(a.r) })
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
			return f.task.Open()
		}
		r, ok := p.view.Record(id)
		return ok && sectionOf(r, p.eval.Standing(id)) != secNone
	})
}
