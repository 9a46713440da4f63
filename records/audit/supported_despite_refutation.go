package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var supportedDespiteRefutation = &Rule{
	ID:       records.RuleRefuted,
	Severity: records.Error,
	Summary:  "A record in force has evidence against it that its verdict does not know",
	Explanation: `Evidence that stands is linked as refuting the record, and its verdict was not given
despite it. The record may be false, so readers do not assert it. Evidence of an agent does
not count against a person's verdict before a person verified it.

Read the evidence and give the verdict anew, in knowledge of it, or another:

    git ctx show ID EVIDENCE
    git ctx support ID --despite EVIDENCE --reason WHY
    git ctx refute ID --cite EVIDENCE --reason WHY

Or withdraw evidence that is wrong:

    git ctx retract EVIDENCE --reason WHY`,
	check: checkCause(records.RuleRefuted, func(p *pass, r *records.Record, c records.Cause) string {
		return fmt.Sprintf("%s is %s, and evidence stands against it: %s", name(r), r.State(), p.names(c.Records))
	}),
}
