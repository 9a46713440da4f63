package audit

import (
	"fmt"
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

var unattestedVerdict = &Rule{
	ID:       "unattested-verdict",
	Severity: records.Error,
	Mild:     records.Warning,
	Summary:  "A verdict claims to be a person's, and no verb of a person gave it",
	firm:     true,
	Explanation: `A person's verb names each verdict it gives in its commit. No commit in the history
names this one: somebody edited the file, rewrote a commit, or pushed with a program
of their own. Under review: human readers treat the verdict as not reviewed. Where
anyone may accept, or only a signature counts, the finding is a warning.

Find out who wrote it; then give the verdict yourself, or take it back:

    git ctx log ID
    git ctx accept ID
    git ctx reject ID --reason WHY`,
	check: func(p *pass, r *records.Record) {
		if p.in.Eval.Provenance == nil || p.signed(r) {
			return // the signature says who gave it
		}
		claims := false
		for v := range records.HumanVerdicts(r) {
			if p.in.Eval.Provenance(r, v).Named {
				return
			}
			claims = true
		}
		if !claims {
			return
		}
		where := "no commit of a person's verb gave it"
		if p.in.GivenIn != nil {
			if commit := p.in.GivenIn(r); commit != "" {
				where = fmt.Sprintf("commit %.12s, which no verb of a person made, brought it", commit)
			}
		}
		f := Finding{
			Record:  r.ID,
			Message: fmt.Sprintf("%s is %s by a person, it says: %s", name(r), r.State(), where),
			Hint:    "git ctx log " + string(r.ID),
		}
		if p.in.Eval.Review != records.ReviewHuman {
			f.Severity = p.rule.Mild
		}
		p.report(f)
	},
}

// signed reports whether a signature that counts gives the record its state.
func (p *pass) signed(r *records.Record) bool {
	return p.in.Eval.Signed != nil && slices.ContainsFunc(r.SignedVerdicts(), func(v *records.Verdict) bool { return p.in.Eval.Signed(r, v) })
}
