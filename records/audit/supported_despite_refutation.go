package audit

import (
	"fmt"
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

var supportedDespiteRefutation = &Rule{
	ID:       "supported-despite-refutation",
	Severity: records.Warning,
	Summary:  "A supported hypothesis has evidence against it that its verdict does not weigh",
	Explanation: `Evidence that was not retracted is linked as refuting the hypothesis, and the
verdict neither cites it nor was given despite it. The hypothesis may be false,
and is asserted.

Read the evidence and judge again. Citing it says that it was weighed:

    git ctx show ID EVIDENCE
    git ctx support ID --cite EVIDENCE --reason WHY
    git ctx refute ID --cite EVIDENCE --reason WHY

Or withdraw evidence that is wrong:

    git ctx retract EVIDENCE --reason WHY`,
	check: func(p *pass, r *records.Record) {
		if r.Kind != records.Hypothesis || r.State() != records.Supported || !p.claims(r) {
			return
		}
		var against []records.ID
		for ev := range p.linked(r.ID, records.Refutes) {
			if ev.Counts() && !slices.Contains(r.Verdict.Cites, ev.ID) && !r.Overrides(ev) {
				against = append(against, ev.ID)
			}
		}
		if len(against) == 0 {
			return
		}
		p.report(Finding{
			Record:  r.ID,
			Related: against,
			Message: fmt.Sprintf("%s is supported without weighing evidence against it: %s", name(r), p.names(against)),
			Hint:    show(append([]records.ID{r.ID}, against...)...),
		})
	},
}
