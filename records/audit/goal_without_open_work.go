package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var goalWithoutOpenWork = &Rule{
	ID:       "goal-without-open-work",
	Severity: records.Info,
	Summary:  "An active goal has no open task or goal under it",
	Explanation: `The goal is active, but no open task serves it and no open goal is below it. Either it
is reached and nobody said so, or the next step is missing.

Say which:

    git ctx task add TITLE --goal ID
    git ctx achieve ID
    git ctx park ID`,
	check: func(p *pass, r *records.Record) {
		if r.Kind != records.Goal || r.State() != records.Active {
			return
		}
		for _, rel := range []records.Relation{records.Serves, records.Parent} {
			for work := range p.linked(r.ID, rel) {
				if work.Open() || work.Disputed() {
					return
				}
			}
		}
		p.report(Finding{
			Record:  r.ID,
			Message: fmt.Sprintf("%s is active, but no open work serves it", name(r)),
			Hint:    addFor(records.Task, "--goal", r.ID),
		})
	},
}
