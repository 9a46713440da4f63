package audit

import (
	"fmt"
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

var openChild = &Rule{
	ID:       records.RuleOpenChild,
	Severity: records.Error,
	Summary:  "A closed task has a part that is still open",
	Explanation: `A task that is done or dropped claims that all of it is. With a part still open
one of the two is wrong, and readers show neither as work to do.

Close the part, or open the whole again:

    git ctx done CHILD -m LEARNED
    git ctx drop CHILD --reason WHY
    git ctx reopen ID --reason WHY

Or say that the part stands on its own:

    git ctx unlink CHILD part-of=ID`,
	check: func(p *pass, r *records.Record) {
		for c := range p.contradictionsOf(r, records.RuleOpenChild) {
			for _, id := range others(c, r.ID) {
				child := p.get(id)
				if child == nil || !r.Settled() || !slices.Contains(child.Links[records.PartOf], r.ID) {
					continue // reported with the closed task
				}
				p.report(Finding{
					Record:  r.ID,
					Related: []records.ID{id},
					Message: fmt.Sprintf("%s is %s but its part %s is %s", name(r), r.State(), name(child), child.State()),
					Hint:    command("reopen", string(r.ID), "--reason", string(id)+" is still open"),
				})
			}
		}
	},
}
