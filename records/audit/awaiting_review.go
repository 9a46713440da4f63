package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var awaitingReview = &Rule{
	ID:       "awaiting-review",
	Severity: records.Info,
	Summary:  "A record was proposed for acceptance and waits for a reviewer",
	Explanation: `Someone, mostly an agent, asked for the record to be accepted, and the policy leaves
that to others. Until then it is not asserted.

Read it and what it rests on, then accept or reject it:

    git ctx review
    git ctx review show ID
    git ctx accept ID
    git ctx reject ID --reason WHY`,
	check: func(p *pass, r *records.Record) {
		st := p.alone(r)
		if st.Class != records.AwaitingReview || st.Why != "" {
			return
		}
		p.report(Finding{
			Record:  r.ID,
			Message: fmt.Sprintf("%s awaits review: proposed as %s by %s", name(r), r.Verdict.Asks, r.Verdict.Actor),
			Hint:    verdictCommand(r, r.Verdict.Asks),
		})
	},
}
