package audit

import (
	"fmt"
	"time"

	"github.com/git-ctx/git-ctx/records"
)

var expiredValidity = &Rule{
	ID:       "expired-validity",
	Severity: records.Warning,
	Summary:  "A record's state says that it holds, but its validity has ended",
	Explanation: `The record was given an end, and that has passed. Readers no longer assert it,
though its state still says so.

If it holds on, move the end; if another record took its place, say so:

    git ctx edit ID
    git ctx supersede ID --by NEW --reason WHY`,
	check: func(p *pass, r *records.Record) {
		until := r.Valid.Until
		if until.IsZero() || p.in.Eval.ValidAt.Before(until) || !p.claims(r) {
			return
		}
		p.report(Finding{
			Record:  r.ID,
			Message: fmt.Sprintf("%s is %s but was valid until %s only", name(r), r.State(), until.UTC().Format(time.RFC3339)),
			Hint:    command("edit", r.ID),
		})
	},
}
