package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var rivalDecisions = &Rule{
	ID:       records.RuleRivalDecisions,
	Severity: records.Error,
	Summary:  "Two accepted decisions answer one question",
	Explanation: `Both claim to settle the same question, compared without case, white space and
punctuation. Readers assert neither, since they cannot know which one holds.

Read both and say which stands:

    git ctx show ID OTHER
    git ctx supersede OLD --by NEW --reason WHY

Where they answer different questions, word the questions apart:

    git ctx edit ID`,
	check: func(p *pass, r *records.Record) {
		for c := range p.contradictionsOf(r, records.RuleRivalDecisions) {
			if c.IDs[0] != r.ID {
				continue // reported with the first of the two
			}
			rivals := others(c, r.ID)
			p.report(Finding{
				Record:  r.ID,
				Related: rivals,
				Message: fmt.Sprintf("%s and %s are both accepted on one question: %.80q", name(r), p.names(rivals), r.Question),
				Hint:    show(c.IDs...),
			})
		}
	},
}
