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
punctuation, for paths that overlap. Readers assert neither, since they cannot know which one holds.

Read both and say which stands:

    git ctx show ID OTHER
    git ctx supersede OLD --by NEW --reason WHY

Where they answer different questions, word the questions apart:

    git ctx edit ID

or give them paths that do not overlap:

    git ctx edit ID --path GLOB`,
	check: checkCause(records.RuleRivalDecisions, func(p *pass, r *records.Record, c records.Cause) string {
		return fmt.Sprintf("%s and %s are both accepted on one question: %.80q", name(r), p.names(c.Records), r.Question)
	}),
}
