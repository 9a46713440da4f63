package standing

import (
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

// staticCauses lists what speaks against a record whatever other records are.
func (e *Evaluator) staticCauses(r *records.Record) []records.Cause {
	own := []records.ID{r.ID}
	var out []records.Cause
	if r.Disputed() || r.Verdict == nil {
		out = append(out, records.Cause{Rule: records.RuleConflict, Root: own})
	}
	out = append(out, e.lost(r.ID)...)
	out = append(out, e.forks(r)...)
	if path := SuccessionCycle(e.view, r); path != nil {
		out = append(out, records.Cause{Rule: records.RuleSupersedesCycle, Records: path, Root: own})
	}
	if e.ctx.StaleDoubt && e.ctx.Stale != nil {
		if s, stale := e.ctx.Stale(r); stale {
			out = append(out, records.Cause{Rule: records.RuleStaleAnchor, Commit: s.Commit, Root: own})
		}
	}
	return out
}

func (e *Evaluator) lost(id records.ID) []records.Cause {
	if e.ctx.Lost == nil || e.ctx.ByState {
		return nil
	}
	var out []records.Cause
	for _, l := range e.ctx.Lost(id) {
		out = append(out, records.Cause{Rule: l.Rule, Commit: l.Commit, Root: []records.ID{id}})
	}
	return out
}

// forks finds records that name r and another as their successors.
func (e *Evaluator) forks(r *records.Record) []records.Cause {
	var out []records.Cause
	for _, id := range e.view.Backlinks(r.ID, records.SupersededBy) {
		old, ok := e.view.Record(id)
		if !ok || liftedBy(r, old) {
			continue
		}
		if next := old.Successors(); len(next) > 1 {
			others := sorted(append(slices.Clone(next), id), r.ID)
			out = append(out, records.Cause{Rule: records.RuleSupersedesFork, Records: others, Root: []records.ID{id}})
		}
	}
	return out
}

// SuccessionCycle returns the other records on the cycle of single successors
// that r lies on, sorted; nil where it lies on none.
func SuccessionCycle(v records.View, r *records.Record) []records.ID {
	var path []records.ID
	for cur := r; ; {
		next := cur.Successors()
		switch {
		case len(next) != 1 || slices.Contains(path, next[0]):
			return nil
		case next[0] == r.ID:
			return append([]records.ID{}, sorted(path, r.ID)...)
		}
		n, ok := v.Record(next[0])
		if !ok {
			return nil
		}
		path = append(path, n.ID)
		cur = n
	}
}

// connect fills in what a candidate's members depend on.
func (e *Evaluator) connect(n *node) {
	for _, m := range n.members {
		e.connectBases(n.r, m)
		e.connectAttackers(n, m)
	}
}

func (e *Evaluator) connectBases(r *records.Record, m *member) {
	for _, id := range r.Links[records.RestsOn] {
		o, ok := e.view.Record(id)
		b := basis{named: id, at: e.successor(id), lifted: ok && m.verdict.Knew(o)}
		if ok && o.Kind == records.Evidence {
			m.evidence = append(m.evidence, b)
		} else {
			m.bases = append(m.bases, b)
		}
	}
	for _, id := range m.verdict.Cites {
		o, ok := e.view.Record(id)
		if ok && (o.Kind != records.Evidence || slices.Contains(o.Links[records.Refutes], r.ID)) {
			continue
		}
		if !slices.ContainsFunc(m.evidence, func(b basis) bool { return b.named == id }) {
			m.evidence = append(m.evidence, basis{named: id, at: id, lifted: ok && m.verdict.Knew(o)})
		}
	}
}

// successor follows a superseded record to the one that took its place, itself
// where there is none.
func (e *Evaluator) successor(id records.ID) records.ID {
	seen := []records.ID{id}
	for {
		n := e.node(id)
		if n.r == nil || n.class.Class != records.Gone || n.class.State != records.Superseded {
			return id
		}
		next := n.r.Successors()
		if len(next) != 1 || slices.Contains(seen, next[0]) {
			return id
		}
		id = next[0]
		seen = append(seen, id)
	}
}

// connectAttackers finds what speaks against a member while it stands itself.
func (e *Evaluator) connectAttackers(n *node, m *member) {
	r := n.r
	add := func(o *records.Record, rule string) {
		m.asked = append(m.asked, o.ID)
		switch a := e.node(o.ID); {
		case !a.candidate && rule != records.RuleRuledOutAgain:
		case a.rank < m.rank:
			m.challengers = append(m.challengers, o.ID)
		default:
			m.attackers = append(m.attackers, attacker{id: o.ID, rule: rule})
		}
	}
	for o := range e.contradicting(r) {
		if !m.verdict.Knew(o) && !liftedBy(o, r) {
			add(o, records.RuleContradiction)
		}
	}
	for o := range e.rivals(r) {
		if !m.verdict.Knew(o) && !liftedBy(o, r) {
			add(o, records.RuleRivalDecisions)
		}
	}
	for o := range e.refuting(r) {
		if !m.verdict.Knew(o) {
			add(o, records.RuleRefuted)
		}
	}
	for o := range e.ruledOutText(r) {
		if !m.verdict.Knew(o) {
			add(o, records.RuleRuledOutAgain)
		}
	}
}

// sorted returns ids without one of them, sorted, each once.
func sorted(ids []records.ID, without records.ID) []records.ID {
	out := slices.DeleteFunc(slices.Clone(ids), func(id records.ID) bool { return id == without })
	slices.Sort(out)
	return slices.Compact(out)
}
