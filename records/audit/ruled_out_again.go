package audit

import (
	"fmt"
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

var ruledOutAgain = &Rule{
	ID:       records.RuleRuledOutAgain,
	Severity: records.Error,
	Mild:     records.Warning,
	Summary:  "A record says what was refuted, rejected or forgotten, and does not say why again",
	Explanation: `Its title is, without case, white space and punctuation, that of a hypothesis, evidence,
decision or conclusion which is ruled out, or whose text was forgotten. Verbs refuse that; a
merge, a commit made by hand or a push from elsewhere can bring it. A record whose state
would assert it is in doubt for that, and the finding an error; else it is a warning.

Read why it was ruled out. Where that still holds, rule this one out too, or let
it be forgotten:

    git ctx show OLD
    git ctx forget ID --reason WHY

Where it no longer holds, say so with a link:

    git ctx link ID reopens=OLD`,
	check: func(p *pass, r *records.Record) {
		key := records.Normalize(r.Title)
		if key == "" || r.State().OutOfUse() {
			return
		}
		if veto, ok := p.in.View.Veto(r.ID); ok && veto != "" {
			return
		}
		doubt := make(map[records.ID]bool)
		for c := range p.causesOf(r, records.RuleRuledOutAgain) {
			for _, id := range c.Records {
				doubt[id] = true
				p.ruledOutAgain(r, id, records.Error)
			}
		}
		for _, k := range r.Kind.SameTextKinds() {
			for _, id := range p.in.View.Titled(k, key) {
				if o := p.get(id); o != nil && id != r.ID && !doubt[id] && p.standing(id).Class == records.RuledOut && !r.Overrides(o) {
					p.ruledOutAgain(r, id, records.Warning)
				}
			}
			for _, id := range p.in.View.Forgotten(k) {
				if o, ok := p.in.View.Record(id); ok && o.Recalls(key) {
					p.ruledOutAgain(r, id, records.Warning)
				}
			}
		}
	},
}

func (p *pass) ruledOutAgain(r *records.Record, id records.ID, level records.Severity) {
	if slices.Contains(r.Links[records.Reopens], id) {
		return
	}
	p.report(Finding{
		Record:   r.ID,
		Related:  []records.ID{id},
		Severity: level,
		Message:  fmt.Sprintf("%s says again what was %s as %s", name(r), p.standing(id).State, id),
		Hint:     show(id, r.ID),
	})
}
