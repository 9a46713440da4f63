package standing

import (
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

// importer is the actor of records taken over from another system.
const importer records.Actor = "agent/import"

// marks lists what to say beside a record that stands by a member of its verdict.
func (e *Evaluator) marks(n *node, m *member) []records.Mark {
	if e.ctx.ByState {
		return nil
	}
	var out []records.Mark
	add := func(name records.MarkName, ids []records.ID) {
		if len(ids) > 0 {
			out = append(out, records.Mark{Name: name, Records: sorted(ids, "")})
		}
	}
	if e.ctx.Stale != nil && !e.ctx.StaleDoubt {
		if s, stale := e.ctx.Stale(n.r); stale {
			out = append(out, records.Mark{Name: records.MarkStale, Commit: s.Commit})
		}
	}
	out = append(out, e.challenged(n, m)...)
	if e.agentOnly(n, m) {
		out = append(out, records.Mark{Name: records.MarkAgentOnly})
	}
	var succeeded, reduced []records.ID
	for _, b := range m.bases {
		if b.at != b.named && e.stands(b.at) {
			succeeded = append(succeeded, b.at)
		}
	}
	for _, b := range m.evidence {
		if !b.lifted && !e.stands(b.at) {
			reduced = append(reduced, b.named)
		}
	}
	add(records.MarkBasisSucceeded, succeeded)
	add(records.MarkBasisReduced, reduced)
	add(records.MarkDerived, e.fallen(n.r.Links[records.DerivedFrom]))
	if n.r.Kind == records.Conclusion {
		add(records.MarkReopenedTask, e.openTasks(n.r.Links[records.Closes]))
	}
	if n.r.Created.Actor == importer && m.verdict.Actor == importer && claims(n.r.Kind) {
		out = append(out, records.Mark{Name: records.MarkImported})
	}
	return out
}

// challenged is the mark of the challenges to a record, the first of them named.
func (e *Evaluator) challenged(n *node, m *member) []records.Mark {
	var by []records.ID
	if m != nil {
		for _, id := range m.challengers {
			if o := e.labelled(id); o.label >= undecided || o.class.Class == records.RuledOut {
				by = append(by, id)
			}
		}
	}
	count := len(by) + len(n.r.Challenges)
	if count == 0 {
		return nil
	}
	mark := records.Mark{Name: records.MarkChallenged, Count: count - 1}
	if by = sorted(by, ""); len(by) > 0 {
		mark.Records = by[:1]
	}
	return []records.Mark{mark}
}

// agentOnly reports whether all evidence under a decision or conclusion is an
// agent's word, where the policy makes a difference.
func (e *Evaluator) agentOnly(n *node, m *member) bool {
	if e.ctx.Review == records.ReviewAny || n.r.Kind != records.Decision && n.r.Kind != records.Conclusion {
		return false
	}
	evidence := slices.Clone(m.evidence)
	for _, b := range m.bases {
		if o := e.node(b.at); o.candidate && o.r.Kind == records.Hypothesis {
			evidence = append(evidence, o.members[0].evidence...)
		}
	}
	return len(evidence) > 0 && !slices.ContainsFunc(evidence, func(b basis) bool { return e.node(b.at).rank > records.AgentRank })
}

// fallen returns those of the records that were ruled out, are gone or in doubt.
func (e *Evaluator) fallen(ids []records.ID) []records.ID {
	return slices.DeleteFunc(slices.Clone(ids), func(id records.ID) bool {
		n := e.labelled(id)
		if n.candidate {
			return n.label == stands
		}
		return n.class.Class != records.RuledOut && n.class.Class != records.Gone && n.class.Class != records.InDoubt
	})
}

func (e *Evaluator) openTasks(ids []records.ID) []records.ID {
	return slices.DeleteFunc(slices.Clone(ids), func(id records.ID) bool {
		t, ok := e.view.Record(id)
		return !ok || t.Kind != records.Task || !records.Task.Schema().Open(t.State())
	})
}
