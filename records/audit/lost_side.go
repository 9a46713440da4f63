package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var lostSide = &Rule{
	ID:       "lost-side",
	Severity: records.Error,
	Summary:  "A merge made without git ctx dropped what one side had recorded",
	firm:     true,
	Explanation: `A merge commit lacks a value that one of its parents had, and nothing since has
replaced it: a hosting service or a clone without the merge driver made the merge,
or somebody committed one side of a conflict. Nobody decided against the value.

Put it back; where it clashes with what stands the record becomes disputed, and
resolve settles it on record:

    git ctx resolve --restore COMMIT
    git ctx resolve ID --pick N --reason WHY

Make git merge records by meaning in this clone:

    git ctx hooks install`,
	store: func(p *pass) {
		byRecord := make(map[LostSide]int)
		for _, s := range p.in.LostSides {
			key := LostSide{Merge: s.Merge, Record: s.Record, Field: s.Field}
			if byRecord[key]++; byRecord[key] > 1 {
				continue // one finding tells of all members of a set
			}
			what := "the whole record"
			if s.Field != "" {
				what = "a value of " + s.Field
			}
			p.report(Finding{
				Related: []records.ID{s.Record},
				Path:    records.IDPath(s.Record),
				Message: fmt.Sprintf("merge %.10s lost %s of %s", s.Merge, what, s.Record),
				Hint:    fmt.Sprintf("git ctx resolve --restore %.10s:%s", s.Merge, s.Record),
				key:     s.Merge + " " + s.Field,
			})
		}
	},
}
