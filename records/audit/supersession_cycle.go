package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/standing"
)

var supersessionCycle = &Rule{
	ID:       records.RuleSupersedesCycle,
	Severity: records.Error,
	Summary:  "Records supersede each other in a circle",
	Explanation: `Each of them was put in the place of another, so none holds and what they settled
is lost. Two sides of a merge each superseded the other's record.

Open the one that holds again, and judge it:

    git ctx show ID OTHER
    git ctx reopen ID --reason WHY`,
	check: func(p *pass, r *records.Record) {
		rest := standing.SuccessionCycle(p.in.View, r)
		if rest == nil || len(rest) > 0 && rest[0] < r.ID {
			return // reported with the first on the circle
		}
		message := fmt.Sprintf("%s supersedes itself", name(r))
		if len(rest) > 0 {
			message = fmt.Sprintf("%s and %s supersede each other in a circle", name(r), p.names(rest))
		}
		p.report(Finding{Record: r.ID, Related: rest, Message: message, Hint: show(append([]records.ID{r.ID}, rest...)...)})
	},
}
