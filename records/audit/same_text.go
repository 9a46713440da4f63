package audit

import (
	"fmt"
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

var sameText = &Rule{
	ID:       "same-text",
	Severity: records.Warning,
	Summary:  "Two records in force say the same",
	Explanation: `Their kind, title and text are equal but for case, white space and punctuation, and
the states of both say that they hold. git ctx refuses to write down a text twice, so
two clones did, or another program. Links and judgements split over both.

Keep one:

    git ctx show ID OTHER
    git ctx supersede ID --by OTHER --reason WHY

Records that are known to be alike are not reported: say so with a link.

    git ctx link ID duplicates=OTHER`,
	check: func(p *pass, r *records.Record) {
		if !p.asserts(r) {
			return
		}
		for _, id := range p.in.View.Titled(r.Kind, records.Normalize(r.Title)) {
			if id >= r.ID {
				return // reported with the last of them
			}
			o := p.get(id)
			if o == nil || !sameWords(r, o) || !p.asserts(o) || p.knownAlike(r, id) {
				continue
			}
			p.report(Finding{
				Record:  r.ID,
				Related: []records.ID{id},
				Message: fmt.Sprintf("%s says what %s says", name(r), name(o)),
				Hint:    show(id, r.ID),
			})
			return
		}
	},
}

// sameWords reports whether two records of one title agree in their other texts.
func sameWords(r, o *records.Record) bool {
	for _, t := range [][2]string{{r.Body, o.Body}, {r.Question, o.Question}, {r.Text, o.Text}, {r.When, o.When}} {
		if records.Normalize(t[0]) != records.Normalize(t[1]) {
			return false
		}
	}
	return slices.EqualFunc(r.Steps, o.Steps, func(a, b records.Step) bool { return a.Do == b.Do && a.Verify == b.Verify })
}

// asserts reports whether r is of a kind that claims something to be so, and in a state that says it is.
func (p *pass) asserts(r *records.Record) bool {
	switch r.Kind {
	case records.Decision, records.Conclusion, records.Hypothesis, records.Runbook:
		return p.alone(r).Class == records.Asserted
	}
	return false
}
