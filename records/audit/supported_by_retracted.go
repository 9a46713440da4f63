package audit

import (
	"fmt"
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

var supportedByRetracted = &Rule{
	ID:       records.RuleEvidenceGone,
	Severity: records.Error,
	Mild:     records.Warning,
	Summary:  "None of the evidence that a record in force rests on or cites stands",
	Explanation: `The record rests on evidence, or its verdict cites some, and all of that was retracted,
forgotten or is in doubt itself. Readers do not assert it. Where only part of it is
gone, or what is linked as supporting a hypothesis whose verdict cites nothing, readers do
assert it and the finding is a warning.

Look at what is left and judge again, citing only what stands:

    git ctx show ID EVIDENCE
    git ctx support ID --cite OTHER
    git ctx refute ID --reason WHY`,
	check: func(p *pass, r *records.Record) {
		for c := range p.causesOf(r, records.RuleEvidenceGone) {
			p.withdrawn(r, c.Records, records.Error, "none of its evidence stands", p.from(c))
		}
		if r.Kind != records.Hypothesis || r.State() != records.Supported || !p.claims(r) {
			return
		}
		for _, m := range p.standing(r.ID).Marks {
			if m.Name == records.MarkBasisReduced {
				p.withdrawn(r, m.Records, records.Warning, "part of its evidence does not stand", "")
			}
		}
		if gone := p.linkedGone(r); len(gone) > 0 {
			p.withdrawn(r, gone, records.Warning, "all evidence linked as supporting it was withdrawn", "")
		}
	},
}

func (p *pass) withdrawn(r *records.Record, gone []records.ID, level records.Severity, what, from string) {
	p.report(Finding{
		Record:   r.ID,
		Related:  gone,
		Severity: level,
		Message:  fmt.Sprintf("%s is %s but %s: %s%s", name(r), r.State(), what, p.names(gone), from),
		Hint:     show(append([]records.ID{r.ID}, gone...)...),
	})
}

// linkedGone returns the evidence linked as supporting a record whose verdict
// cites none, when all of it was withdrawn.
func (p *pass) linkedGone(r *records.Record) []records.ID {
	cites := func(id records.ID) bool { return id.Kind() == records.Evidence }
	if slices.ContainsFunc(r.Verdict.Cites, cites) || slices.ContainsFunc(r.Links[records.RestsOn], cites) {
		return nil
	}
	var gone []records.ID
	for _, id := range p.in.View.Backlinks(r.ID, records.Supports) {
		ev, ok := p.in.View.Record(id)
		if !ok || r.Overrides(ev) {
			continue
		}
		if ev.Tombstone == nil && ev.State() != records.Retracted {
			return nil
		}
		gone = append(gone, id)
	}
	return gone
}
