package audit

import (
	"fmt"
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

var restsOnDead = &Rule{
	ID:       records.RuleRestsOnDead,
	Severity: records.Error,
	Summary:  "An accepted decision or conclusion rests on a refuted, rejected or retracted record",
	Explanation: `What it was accepted for no longer holds. Readers do not assert it until someone
looks again.

Find out why its basis fell, then put another in its place:

    git ctx log BASIS
    git ctx decision add TITLE --rests-on OTHER
    git ctx supersede ID --by NEW --reason WHY

Or rule it out:

    git ctx reject ID --reason WHY

Where it holds all the same, accept it anew in knowledge of the fallen basis:

    git ctx accept ID --despite BASIS --reason WHY`,
	check: func(p *pass, r *records.Record) {
		for c := range p.contradictionsOf(r, records.RuleRestsOnDead) {
			for _, id := range others(c, r.ID) {
				basis := p.get(id)
				if basis == nil || !r.InForce() || !slices.Contains(r.Links[records.RestsOn], id) {
					continue // reported with the record that rests on it
				}
				state := string(basis.State())
				if veto, ok := p.in.View.Veto(id); ok {
					state = string(veto) + " on the default branch"
				}
				p.report(Finding{
					Record:  r.ID,
					Related: []records.ID{id},
					Message: fmt.Sprintf("%s is accepted but rests on %s, which is %s", name(r), name(basis), state),
					Hint:    show(r.ID, id),
				})
			}
		}
	},
}
