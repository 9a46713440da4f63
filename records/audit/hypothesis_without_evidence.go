package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var hypothesisWithoutEvidence = &Rule{
	ID:       "hypothesis-without-evidence",
	Severity: records.Warning,
	Mild:     records.Info,
	Summary:  "A hypothesis has no evidence for or against it",
	Explanation: `No evidence is linked to the hypothesis and its verdict cites none. While it is open
that is info: the evidence is the work to do. Once it is supported or refuted it
is a warning, since nobody can check the judgement.

Record what was observed, with its source:

    git ctx evidence add TITLE --supports ID --source WHERE
    git ctx evidence add TITLE --refutes ID --source WHERE`,
	check: func(p *pass, r *records.Record) {
		if r.Kind != records.Hypothesis || r.State() == records.Superseded || r.Verdict == nil || p.evidenced(r) {
			return
		}
		f := Finding{
			Record:  r.ID,
			Message: fmt.Sprintf("%s is %s without evidence", name(r), r.State()),
			Hint:    addFor(records.Evidence, "--supports", r.ID),
		}
		if r.State() == records.Refuted {
			f.Hint = addFor(records.Evidence, "--refutes", r.ID)
		}
		if r.Open() {
			f.Severity = p.rule.Mild
		}
		p.report(f)
	},
}

// evidenced reports whether evidence is linked to r or cited by its verdict.
func (p *pass) evidenced(r *records.Record) bool {
	if p.hasLinked(r.ID, records.Supports) || p.hasLinked(r.ID, records.Refutes) {
		return true
	}
	for _, id := range r.Verdict.Cites {
		if ev := p.get(id); ev != nil && ev.Kind == records.Evidence {
			return true
		}
	}
	return false
}
