package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var supportedByRetracted = &Rule{
	ID:       "supported-by-retracted",
	Severity: records.Error,
	Summary:  "A supported hypothesis cites evidence that was retracted or forgotten",
	Explanation: `The verdict says what it stands on, and part of that was withdrawn. A verdict that
cites nothing stands on the evidence linked as supporting it, and is reported
when all of that was withdrawn.

Look at what is left and judge again, citing only what stands:

    git ctx show ID EVIDENCE
    git ctx support ID --cite OTHER
    git ctx refute ID --reason WHY`,
	check: func(p *pass, r *records.Record) {
		if r.Kind != records.Hypothesis || r.State() != records.Supported || !p.claims(r) {
			return
		}
		gone := p.withdrawnBasis(r)
		if len(gone) == 0 {
			return
		}
		p.report(Finding{
			Record:  r.ID,
			Related: gone,
			Message: fmt.Sprintf("%s is supported but stands on withdrawn evidence: %s", name(r), p.names(gone)),
			Hint:    show(append([]records.ID{r.ID}, gone...)...),
		})
	},
}

// withdrawnBasis returns the withdrawn evidence that the hypothesis stands on.
func (p *pass) withdrawnBasis(r *records.Record) []records.ID {
	var gone []records.ID
	cited, standing := false, false
	look := func(id records.ID) {
		ev, ok := p.in.View.Record(id)
		switch {
		case !ok || ev.Kind != records.Evidence || r.Overrides(ev):
		case !ev.Counts():
			gone = append(gone, id)
		default:
			standing = true
		}
	}
	for _, id := range r.Verdict.Cites {
		if ev, ok := p.in.View.Record(id); ok && ev.Kind == records.Evidence {
			cited = true
			look(id)
		}
	}
	if cited {
		return gone
	}
	for _, id := range p.in.View.Backlinks(r.ID, records.Supports) {
		look(id)
	}
	if standing {
		return nil
	}
	return gone
}
