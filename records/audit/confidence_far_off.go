package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

// How the evidence weighs, in hundredths: what counts where evidence names no
// strength, what is assumed on either side before any, and how far off is far.
const (
	usualStrength = 50
	priorWeight   = 50
	farOff        = 40
)

var confidenceFarOff = &Rule{
	ID:       "confidence-far-off",
	Severity: records.Warning,
	Mild:     records.Info,
	Summary:  "The confidence in a hypothesis is far from what its evidence carries",
	Explanation: `With s the summed strength of the evidence that supports the hypothesis, and r of
that which refutes it, the evidence carries

    (s + 0.5) / (s + r + 1)

Evidence without a strength counts 0.5, model output half of its strength,
retracted evidence nothing. A confidence that differs from this by more than 0.4
is reported: as info while the hypothesis is open, as a warning once it is
supported. A hypothesis without evidence, or a refuted one, is not.

Record the evidence that is missing, or correct what is written:

    git ctx evidence add TITLE --supports ID --strength 0.8
    git ctx edit ID --confidence 0.6`,
	check: func(p *pass, r *records.Record) {
		if r.Kind != records.Hypothesis || r.Confidence == nil || r.Verdict == nil || !r.Open() && r.State() != records.Supported {
			return
		}
		favour, nFor := p.weight(r.ID, records.Supports)
		against, nAgainst := p.weight(r.ID, records.Refutes)
		if nFor+nAgainst == 0 {
			return
		}
		carried := 100 * (favour + priorWeight) / (favour + against + 2*priorWeight)
		if diff := int(*r.Confidence) - carried; diff <= farOff && diff >= -farOff {
			return
		}
		f := Finding{
			Record: r.ID,
			Message: fmt.Sprintf("%s has confidence %s, but its evidence (%d for, %d against) carries %s", name(r), r.Confidence, nFor, nAgainst,
				records.Fraction(carried)),
			Hint: show(r.ID),
		}
		if r.Open() {
			f.Severity = p.rule.Mild
		}
		p.report(f)
	},
}

// weight sums the strength of the standing evidence that bears on id by rel, and counts it.
func (p *pass) weight(id records.ID, rel records.Relation) (sum, n int) {
	for ev := range p.linked(id, rel) {
		if !ev.Counts() || ev.Verdict == nil {
			continue
		}
		w := usualStrength
		if ev.Strength != nil {
			w = int(*ev.Strength)
		}
		if ev.Type == "model-output" {
			w /= 2
		}
		sum, n = sum+w, n+1
	}
	return sum, n
}
