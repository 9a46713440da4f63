package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var taskWithoutGoal = &Rule{
	ID:       "task-without-goal",
	Severity: records.Warning,
	Mild:     records.Info,
	Summary:  "A task serves no goal and tests no hypothesis",
	Explanation: `The task serves no goal, is part of no other task, and no hypothesis is about it, so
that nobody can say what it is for. That is info while it is open and a warning
once it is done; a dropped task is not reported.

Say what it is for:

    git ctx link ID serves=GOAL
    git ctx link ID part-of=TASK
    git ctx hypothesis add TITLE --about ID`,
	check: func(p *pass, r *records.Record) {
		if r.Kind != records.Task || r.Verdict == nil || r.State() == records.Dropped {
			return
		}
		if len(r.Links[records.Serves]) > 0 || len(r.Links[records.PartOf]) > 0 || p.hasLinked(r.ID, records.About) {
			return
		}
		f := Finding{
			Record:  r.ID,
			Message: fmt.Sprintf("%s serves no goal and no hypothesis is about it", name(r)),
			Hint:    command("link", string(r.ID), "serves=@goal"),
		}
		if r.Open() {
			f.Severity = p.rule.Mild
		}
		p.report(f)
	},
}
