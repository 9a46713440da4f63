package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var contradictingRecords = &Rule{
	ID:       records.RuleContradiction,
	Severity: records.Error,
	Summary:  "Two records whose states assert them are linked as contradicting each other",
	Explanation: `A contradicts link joins two decisions, conclusions, hypotheses, evidence or runbooks
whose states both say that they hold. At most one of them does, so readers assert neither.

Read both and say which stands:

    git ctx show ID OTHER
    git ctx supersede OLD --by NEW --reason WHY
    git ctx reject ID --reason WHY

Where both hold all the same, judge one anew in knowledge of the other:

    git ctx accept ID --despite OTHER --reason WHY`,
	check: checkCause(records.RuleContradiction, func(p *pass, r *records.Record, c records.Cause) string {
		return fmt.Sprintf("%s and %s contradict each other", name(r), p.names(c.Records))
	}),
}
