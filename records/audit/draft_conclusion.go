package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var draftConclusion = &Rule{
	ID:       "draft-conclusion",
	Severity: records.Warning,
	Summary:  "The conclusion of closed work is still a draft",
	Explanation: `The task is done or the goal achieved, but what was learned was never accepted, so
that no packet states it. A draft that was proposed for acceptance is reported
under awaiting-review instead, and one beside an accepted conclusion not at all.

Accept it, or reject it and write another:

    git ctx accept ID
    git ctx reject ID --reason WHY`,
	check: func(p *pass, r *records.Record) {
		if r.Kind != records.Conclusion || r.State() != records.Draft || r.Verdict.Asks != "" {
			return
		}
		var work []records.ID
		for _, id := range r.Links[records.Closes] {
			w := p.get(id)
			if w != nil && (w.State() == records.Done || w.State() == records.Achieved) && !p.concluded(id) {
				work = append(work, id)
			}
		}
		if len(work) == 0 {
			return
		}
		p.report(Finding{
			Record:  r.ID,
			Related: work,
			Message: fmt.Sprintf("%s is a draft but closes finished work: %s", name(r), p.names(work)),
			Hint:    verdictCommand(r, records.Accepted),
		})
	},
}

// concluded reports whether an accepted conclusion closes the task or goal.
func (p *pass) concluded(id records.ID) bool {
	for c := range p.linked(id, records.Closes) {
		if c.State() == records.Accepted {
			return true
		}
	}
	return false
}
