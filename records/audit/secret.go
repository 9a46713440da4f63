package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

// A Secret tells where in a record a password, token or key stands, and by which
// rule it is taken for one.
type Secret struct{ Rule, Field string }

var secret = &Rule{
	ID:       "secret",
	Severity: records.Error,
	Summary:  "A record holds a password, token or key",
	Explanation: `A text of the record is taken for a secret by one of gitleaks' rules. Verbs refuse
such text; this one came by a hand-made commit, a push or a merge, or before there
was the rule. Everybody who fetches the context can read it, in every version of the
record that holds it.

Revoke it where it was issued: it has to count as known. Then take the record out of
the whole history, which this tells about first:

    git ctx purge ID --reason 'held a secret' --dry-run

What only looks like a secret is let pass by the commit of any verb on the record:

    git ctx edit ID --tag TAG --allow-secret RULE`,
	check: func(p *pass, r *records.Record) {
		if p.in.Secrets == nil {
			return
		}
		for _, s := range p.in.Secrets(r) {
			what := name(r)
			if s.Field == "title" {
				what = string(r.ID)
			}
			p.report(Finding{
				Record:  r.ID,
				Message: fmt.Sprintf("%s holds a secret in field '%s' (rule %s)", what, s.Field, s.Rule),
				Hint:    fmt.Sprintf("git ctx purge %s --reason 'held a secret' --dry-run", r.ID),
				key:     s.Rule + " " + s.Field,
			})
		}
	},
}
