package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var staleAnchor = &Rule{
	ID:       "stale-anchor",
	Severity: records.Warning,
	Summary:  "A record that stands cites lines of a file that are no longer there",
	Explanation: `An anchor names lines of a file and their digest. In this worktree the file does
not have those lines any more, or is gone: what they showed may no longer be so.
Lines that only moved, or whose file was renamed, are found and not reported.

Look at the file again. Where it still shows the same, anchor the record anew;
where it does not, say so:

    git ctx evidence recheck ID
    git ctx edit ID --clear anchors --anchor PATH:A-B
    git ctx retract ID --reason WHY`,
	check: func(p *pass, r *records.Record) {
		stale := p.stale[r.ID]
		if len(stale) == 0 {
			return
		}
		switch p.alone(r).Class {
		case records.RuledOut, records.Closed, records.Gone:
			return
		}
		for _, s := range stale {
			at, what := s.Anchor.Path, "what it cites is no longer in the file"
			if s.Anchor.Lines != "" {
				at += ":" + s.Anchor.Lines
			}
			if s.Gone {
				what = "there is no such file"
			}
			p.report(Finding{
				Record:  r.ID,
				Message: fmt.Sprintf("%s is anchored at '%s': %s", name(r), at, what),
				Hint:    fmt.Sprintf("git ctx evidence recheck %s", r.ID),
			})
		}
	},
}
