package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var supersessionFork = &Rule{
	ID:       records.RuleSupersedesFork,
	Severity: records.Error,
	Summary:  "A record is superseded by two different records",
	Explanation: `Two sides of a merge each put another record in its place. Which of them holds is
open, so readers assert neither.

Read both and put one under the other; then say again what supersedes the old one:

    git ctx show SUCCESSOR OTHER
    git ctx supersede OTHER --by SUCCESSOR --reason WHY
    git ctx supersede ID --by SUCCESSOR --reason WHY`,
	check: func(p *pass, r *records.Record) {
		next := r.Successors()
		if r.Verdict == nil || len(next) < 2 {
			return // forks that r is a successor in are reported with the old record
		}
		for _, id := range next {
			if p.standing(id).Class == records.Asserted {
				return // it was given in knowledge of the fork
			}
		}
		p.report(Finding{
			Record:  r.ID,
			Related: next,
			Message: fmt.Sprintf("%s is superseded by %s at once", name(r), p.names(next)),
			Hint:    show(next...),
		})
	},
}
