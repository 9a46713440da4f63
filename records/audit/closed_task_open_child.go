package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var openChild = &Rule{
	ID:       "closed-task-open-child",
	Severity: records.Warning,
	Summary:  "A closed task has a part that is still open",
	Explanation: `A task that is done or dropped claims that all of it is. With a part still open
one of the two is wrong.

Close the part, or open the whole again:

    git ctx done CHILD -m LEARNED
    git ctx drop CHILD --reason WHY
    git ctx reopen ID --reason WHY

Or say that the part stands on its own:

    git ctx unlink CHILD part-of=ID`,
	check: func(p *pass, r *records.Record) {
		if r.Kind != records.Task || !r.Settled() {
			return
		}
		for child := range p.linked(r.ID, records.PartOf) {
			if child.Kind != records.Task || !child.Open() || r.Overrides(child) || child.Overrides(r) {
				continue
			}
			p.report(Finding{
				Record:  r.ID,
				Related: []records.ID{child.ID},
				Message: fmt.Sprintf("%s is %s but its part %s is %s", name(r), r.State(), name(child), child.State()),
				Hint:    command("reopen", string(r.ID), "--reason", string(child.ID)+" is still open"),
			})
		}
	},
}
