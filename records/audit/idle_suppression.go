package audit

import (
	"fmt"
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

var idleSuppression = &Rule{
	ID:       "idle-suppression",
	Severity: records.Info,
	Summary:  "A suppression in the policy has no effect",
	Explanation: `A suppression in ctx.yaml has ended, or names a rule or a record that does not exist; or
it silences an error, or a rule that tells whether reviews can be believed, and no verb of
a person wrote it. It has no effect, and a reader takes it for one that has.

Look whether it is wanted still, and take it out:

    git ctx audit --rule RULE
    git ctx audit --unsuppress RULE --record ID`,
	store: func(p *pass) {
		if p.in.Policy == nil {
			return
		}
		for _, s := range p.in.Policy.Suppressed {
			why := ""
			switch {
			case !slices.Contains(p.known, s.Rule):
				why = fmt.Sprintf("audit rule %q does not exist", s.Rule)
			case !s.InForce(p.in.Now):
				why = "ended " + records.FormatInstant(s.Until)
			case !p.granted(&s):
				why = "no person decided on it"
			case p.get(s.Record) == nil && !p.unreadable[s.Record]:
				why = "the record is not there"
			default:
				continue
			}
			p.report(Finding{
				Related: []records.ID{s.Record},
				Path:    policyPath,
				Message: fmt.Sprintf("the suppression of %s on %s does nothing: %s", s.Rule, s.Record, why),
				Hint:    command("audit --unsuppress", s.Rule, "--record", string(s.Record)),
				key:     s.Rule,
			})
		}
	},
}
