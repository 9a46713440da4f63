package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var openHypothesisOnClosedWork = &Rule{
	ID:       "open-hypothesis-on-closed-work",
	Severity: records.Warning,
	Summary:  "A hypothesis was left open when the work it is about was closed",
	Explanation: `All tasks and goals that the hypothesis is about are closed, so nobody will test it.
The next reader cannot tell whether it was forgotten or answered.

Judge it by what the work showed, or put another in its place:

    git ctx support ID --evidence TEXT
    git ctx refute ID --evidence TEXT --reason WHY

Or tie it to work that goes on:

    git ctx link ID about=TASK`,
	check: func(p *pass, r *records.Record) {
		if r.Kind != records.Hypothesis || !r.Open() {
			return
		}
		var work []records.ID
		for _, id := range r.Links[records.About] {
			w := p.get(id)
			switch {
			case w == nil:
			case !w.Settled():
				return
			default:
				work = append(work, id)
			}
		}
		if len(work) == 0 {
			return
		}
		p.report(Finding{
			Record:  r.ID,
			Related: work,
			Message: fmt.Sprintf("%s is still %s, but the work it is about is closed: %s", name(r), r.State(), p.names(work)),
			Hint:    show(r.ID),
		})
	},
}
