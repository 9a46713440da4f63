package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var agentOnlyEvidence = &Rule{
	ID:       "agent-only-evidence",
	Severity: records.Warning,
	Summary:  "All evidence under an accepted decision or conclusion is an agent's word",
	Explanation: `The evidence that the record and the hypotheses below it rest on, cite, or are
supported by was recorded by agents, no person verified any of it, and none of it
is checkable: it is model output, or names neither source nor anchor. Whoever
accepted the record took an agent's word for it.

Look at the evidence, and verify what holds or say where it can be checked:

    git ctx show EVIDENCE
    git ctx verify EVIDENCE
    git ctx edit EVIDENCE --source WHERE`,
	check: func(p *pass, r *records.Record) {
		if !r.InForce() || !p.claims(r) {
			return
		}
		evidence := p.standingEvidence(r)
		for _, id := range r.Links[records.RestsOn] {
			if h := p.get(id); h != nil && h.Kind == records.Hypothesis {
				evidence = append(evidence, p.standingEvidence(h)...)
			}
		}
		if len(evidence) == 0 {
			return // that it lacks a basis is another rule's to say
		}
		var ids []records.ID
		for _, ev := range evidence {
			if !agentsWord(ev) {
				return
			}
			ids = append(ids, ev.ID)
		}
		p.report(Finding{
			Record:  r.ID,
			Related: ids,
			Message: fmt.Sprintf("%s is accepted on the word of agents alone: %s", name(r), p.names(unique(ids))),
			Hint:    show(unique(ids)...),
		})
	},
}

// standingEvidence returns the evidence not retracted that r rests on or cites, or that supports it.
func (p *pass) standingEvidence(r *records.Record) []*records.Record {
	ids := append([]records.ID(nil), r.Links[records.RestsOn]...)
	if r.Verdict != nil {
		ids = append(ids, r.Verdict.Cites...)
	}
	ids = append(ids, p.in.View.Backlinks(r.ID, records.Supports)...)
	var out []*records.Record
	for _, id := range ids {
		if ev := p.get(id); ev != nil && ev.Counts() {
			out = append(out, ev)
		}
	}
	return out
}

// agentsWord reports whether nothing but an agent's say-so carries the evidence.
func agentsWord(ev *records.Record) bool {
	verified := ev.State() == records.Verified && ev.Verdict.Actor == records.Human
	return ev.Created.Actor != records.Human && !verified && !ev.Citable()
}
