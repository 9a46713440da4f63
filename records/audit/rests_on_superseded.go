package audit

import (
	"fmt"
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

var restsOnSuperseded = &Rule{
	ID:       "rests-on-superseded",
	Severity: records.Warning,
	Summary:  "An accepted decision or conclusion rests on a superseded or forgotten record",
	Explanation: `Its basis was replaced or forgotten. What took its place may say something else, so
that the decision would fall differently today.

Read the successor. If the decision still holds, let it rest on that and accept it again:

    git ctx show SUCCESSOR
    git ctx link ID rests-on=SUCCESSOR
    git ctx accept ID

Otherwise decide anew:

    git ctx supersede ID --by NEW --reason WHY`,
	check: func(p *pass, r *records.Record) {
		if !r.InForce() || !p.claims(r) {
			return
		}
		for _, id := range r.Links[records.RestsOn] {
			basis, ok := p.in.View.Record(id)
			if !ok || r.Overrides(basis) {
				continue
			}
			switch {
			case basis.Forgotten():
				p.report(Finding{
					Record:  r.ID,
					Related: []records.ID{id},
					Message: fmt.Sprintf("%s is accepted but rests on %s, which was forgotten", name(r), id),
					Hint:    unlink(r.ID, records.RestsOn, id),
				})
			case basis.State() == records.Superseded:
				p.supersededBasis(r, basis)
			}
		}
	},
}

// supersededBasis reports that r rests on basis, unless r rests on a successor of basis too.
func (p *pass) supersededBasis(r, basis *records.Record) {
	chain := []records.ID{basis.ID}
	for i := 0; i < len(chain); i++ {
		at := p.get(chain[i])
		if at == nil {
			continue
		}
		for _, next := range at.Successors() {
			if slices.Contains(r.Links[records.RestsOn], next) {
				return // which is judged for itself
			}
			if !slices.Contains(chain, next) {
				chain = append(chain, next)
			}
		}
	}
	hint := show(basis.ID)
	if len(chain) > 1 {
		hint = show(chain[len(chain)-1])
	}
	p.report(Finding{
		Record:  r.ID,
		Related: []records.ID{basis.ID},
		Message: fmt.Sprintf("%s is accepted but rests on %s, which is superseded", name(r), name(basis)),
		Hint:    hint,
	})
}
