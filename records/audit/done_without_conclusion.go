package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var doneWithoutConclusion = &Rule{
	ID:       "done-without-conclusion",
	Severity: records.Warning,
	Summary:  "A done task has no conclusion that says what was learned",
	Explanation: `No conclusion closes the task, or all that do were rejected or superseded. What the
work taught is lost to the next reader. A conclusion that is still a draft is
reported under draft-conclusion or awaiting-review instead.

Write what was learned, and accept it:

    git ctx conclusion add TITLE --closes ID
    git ctx accept CONCLUSION`,
	check: func(p *pass, r *records.Record) {
		if r.Kind != records.Task || r.State() != records.Done {
			return
		}
		for c := range p.linked(r.ID, records.Closes) {
			if c.State() == records.Accepted || c.State() == records.Draft || c.Disputed() {
				return
			}
		}
		p.report(Finding{
			Record:  r.ID,
			Message: fmt.Sprintf("%s is done without a conclusion", name(r)),
			Hint:    addFor(records.Conclusion, "--closes", r.ID),
		})
	},
}
