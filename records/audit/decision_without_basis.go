package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var decisionWithoutBasis = &Rule{
	ID:       "decision-without-basis",
	Severity: records.Warning,
	Summary:  "An accepted decision has neither evidence nor a reason",
	Explanation: `It rests on nothing, no evidence supports it, and its verdict neither cites a record
nor gives a reason. Who comes later cannot tell when it stops being right.

Tie it to what it rests on and accept it again, or give the reason:

    git ctx link ID rests-on=RECORD
    git ctx accept ID --reason WHY`,
	check: func(p *pass, r *records.Record) {
		if r.Kind != records.Decision || r.State() != records.Accepted || !p.claims(r) {
			return
		}
		if len(r.Links[records.RestsOn]) > 0 || len(r.Verdict.Cites) > 0 || r.Verdict.Reason != "" || p.evidenced(r) {
			return
		}
		p.report(Finding{
			Record:  r.ID,
			Message: fmt.Sprintf("%s is accepted without evidence or a reason", name(r)),
			Hint:    addFor(records.Evidence, "--supports", r.ID),
		})
	},
}
