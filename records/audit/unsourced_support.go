package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var unsourcedSupport = &Rule{
	ID:       "unsourced-support",
	Severity: records.Info,
	Summary:  "An agent called a hypothesis supported without evidence that anyone can check",
	Explanation: `Under this policy an agent's support counts only when the verdict cites evidence that
stands, is not model output, and names a source or carries an anchor. Readers
treat the hypothesis as an open question until then.

Record the evidence with its source and judge again, or let a human confirm it:

    git ctx evidence add TITLE --supports ID --source WHERE
    git ctx support ID --cite EVIDENCE`,
	check: func(p *pass, r *records.Record) {
		if p.alone(r).Why != records.WhyUnsourced {
			return
		}
		p.report(Finding{
			Record:  r.ID,
			Message: fmt.Sprintf("%s is supported by %s without citing evidence that has a source", name(r), r.Verdict.Actor),
			Hint:    addFor(records.Evidence, "--supports", r.ID),
		})
	},
}
