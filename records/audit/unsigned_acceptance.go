package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var unsignedAcceptance = &Rule{
	ID:       "unsigned-acceptance",
	Severity: records.Warning,
	Mild:     records.Info,
	Summary:  "A verdict lacks the signature that the policy asks for",
	firm:     true,
	Explanation: `Under the policy review: signed only a signature proves that a person accepted a
decision or conclusion, verified evidence or put a goal, runbook or trigger into
force. This verdict has none that counts here: it was given before the policy or
without git ctx, its key is not among the allowed signers or was revoked, or what
it stands on was changed. Readers show the record as awaiting review. Evidence
counts as recorded instead of verified, and the finding is info.

Whose signatures count is in the file that git's own configuration names:

    git config gpg.ssh.allowedSignersFile

Read the record and sign the verdict yourself, or take it back:

    git ctx review show ID
    git ctx accept ID
    git ctx reject ID --reason WHY`,
	check: func(p *pass, r *records.Record) {
		if !p.signedReview() || p.alone(r).Why != records.WhyUnreviewed {
			return
		}
		why := "no signature on it counts"
		if p.in.SignatureFault != nil {
			if err := p.in.SignatureFault(r); err != nil {
				why = err.Error()
			}
		}
		f := Finding{
			Record:  r.ID,
			Message: fmt.Sprintf("%s is %s by %s, and the policy asks for a signature: %s", name(r), r.State(), r.Verdict.Actor, why),
			Hint:    verdictCommand(r, r.State()),
		}
		if r.Kind == records.Evidence {
			f.Severity = p.rule.Mild
		}
		p.report(f)
	},
}

// signedReview reports whether only a signature counts as a review.
func (p *pass) signedReview() bool {
	return p.in.Eval.Review != records.ReviewAny && p.in.Eval.Review != records.ReviewHuman
}
