package audit

import (
	"fmt"
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

var contradictingRecords = &Rule{
	ID:       "contradicting-records",
	Severity: records.Error,
	Summary:  "Two records in force are linked as contradicting each other",
	Explanation: `A contradicts link joins two decisions, conclusions, hypotheses or runbooks whose
states both say that they hold. At most one of them does, and readers assert both.

Read both and say which stands:

    git ctx show ID OTHER
    git ctx supersede OLD --by NEW --reason WHY
    git ctx reject ID --reason WHY

Where both hold all the same, judge one anew in knowledge of the other:

    git ctx accept ID --despite OTHER --reason WHY`,
	check: func(p *pass, r *records.Record) {
		if !p.asserts(r) {
			return
		}
		ids := append(slices.Clone(r.Links[records.Contradicts]), p.in.View.Backlinks(r.ID, records.Contradicts)...)
		slices.Sort(ids)
		for _, id := range slices.Compact(ids) {
			o := p.get(id)
			if o == nil || id <= r.ID { // reported with the first of the two
				continue
			}
			if !p.asserts(o) || r.Overrides(o) || o.Overrides(r) {
				continue
			}
			p.report(Finding{
				Record:  r.ID,
				Related: []records.ID{id},
				Message: fmt.Sprintf("%s and %s contradict each other, and both are in force", name(r), name(o)),
				Hint:    show(r.ID, id),
			})
		}
	},
}

// asserts reports whether r is of a kind that claims something to be so, and in a state that says it is.
func (p *pass) asserts(r *records.Record) bool {
	switch r.Kind {
	case records.Decision, records.Conclusion, records.Hypothesis, records.Runbook:
		return p.alone(r).Class == records.Asserted
	}
	return false
}
