package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var unreviewedVerdict = &Rule{
	ID:       "unreviewed-verdict",
	Severity: records.Warning,
	Mild:     records.Info,
	Summary:  "A verdict lacks the reviewer that the policy asks for",
	firm:     true,
	Explanation: `Under the policy review: human only a person accepts decisions and conclusions,
verifies evidence and puts goals, runbooks and triggers into force. This verdict
is nobody's, so readers show the record as awaiting review. Evidence counts as
recorded instead of verified, and the finding is info. The verdict may be older
than the policy, pushed by a program without it, or edited by hand.

Read the record and give the verdict yourself, or take it back:

    git ctx show ID
    git ctx accept ID
    git ctx reject ID --reason WHY`,
	check: func(p *pass, r *records.Record) {
		if r.Verdict != nil && r.Verdict.Actor == records.Human {
			return // a person's, it says: other rules ask for the proof
		}
		if p.signedReview() || p.alone(r).Why != records.WhyUnreviewed {
			return
		}
		f := Finding{
			Record: r.ID,
			Message: fmt.Sprintf("%s is %s by %s, which the policy (review: %s) does not take as a review",
				name(r), r.State(), r.Verdict.Actor, p.in.Eval.Review),
			Hint: verdictCommand(r, r.State()),
		}
		if r.Kind == records.Evidence {
			f.Severity = p.rule.Mild
		}
		p.report(f)
	},
}
