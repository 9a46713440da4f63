package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var expiredClaim = &Rule{
	ID:       "expired-claim",
	Severity: records.Info,
	Summary:  "A claim on a task has ended, and the task is still open",
	Explanation: `A session claimed the task and neither finished it, gave it back, nor renewed its
claim in time. It may have died half-way.

See what it left, and take the task over:

    git ctx log ID
    git ctx claim ID`,
	store: func(p *pass) {
		for _, c := range p.in.Claims {
			r := p.get(c.Task)
			if r == nil || !r.Open() || p.in.Now.Before(c.Expires) {
				continue
			}
			p.report(Finding{
				Related: []records.ID{c.Task},
				Path:    records.IDPath(c.Task),
				Message: fmt.Sprintf("%s was claimed by %s until %s, and is still %s", name(r), c.Holder, records.FormatInstant(c.Expires), r.State()),
				Hint:    command("log", c.Task),
			})
		}
	},
}
