package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var leftBehind = &Rule{
	ID:       "branch-left-behind",
	Severity: records.Warning,
	Summary:  "A code branch is done with, and the context branch that followed it is not merged",
	Explanation: `With ctx.follow a context branch goes with each code branch. The code branch is gone,
was merged, or its changes are in the default branch as other commits, but what
was recorded beside it is on no branch that anybody reads.

Merge it, or delete it once another branch holds its commits:

    git ctx merge BRANCH
    git ctx branch -d BRANCH`,
	store: func(p *pass) {
		for _, b := range p.in.LeftBehind {
			commits := "1 commit"
			if b.Commits != 1 {
				commits = fmt.Sprintf("%d commits", b.Commits)
			}
			p.report(Finding{
				Message: fmt.Sprintf("context branch %q holds %s that the default branch lacks, and its code branch is %s", b.Branch, commits, b.Code),
				Hint:    b.Command,
				key:     b.Branch,
			})
		}
	},
}
