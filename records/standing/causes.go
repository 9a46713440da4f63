package standing

import (
	"cmp"
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

// finish returns the standing of a labelled node.
func (e *Evaluator) finish(n *node) records.Standing {
	st := n.class
	if !n.candidate {
		if n.r != nil && st.Class != records.Gone {
			st.Marks = e.challenged(n, nil)
		}
		return st
	}
	if n.label != stands {
		st.Class, st.Why = records.InDoubt, records.WhyDoubt
		st.Causes = e.causes(n)
		return st
	}
	m := e.standing(n)
	st.Verdict = m.verdict
	st.Marks = e.marks(n, m)
	return st
}

// standing returns the first member by which a node stands.
func (e *Evaluator) standing(n *node) *member {
	for _, m := range n.members {
		if m.holds(e.stands) && !slices.ContainsFunc(m.attackers, e.speaks) {
			return m
		}
	}
	return n.members[0] // not reached: the label says that one does
}

func (e *Evaluator) stands(id records.ID) bool { return e.node(id).label == stands }

// speaks reports whether an attacker counts, once all is labelled.
func (e *Evaluator) speaks(a attacker) bool { return a.fixed() || e.node(a.id).label >= undecided }

// causes lists why a candidate does not stand: by its first sound verdict, as
// the others agree with it.
func (e *Evaluator) causes(n *node) []records.Cause {
	out := slices.Clone(n.static)
	m := n.members[0]
	for _, b := range m.bases {
		if !b.lifted && !e.stands(b.at) {
			out = append(out, e.basisCause(n, records.RuleRestsOnDead, []basis{b}))
		}
	}
	if len(m.evidence) > 0 && !slices.ContainsFunc(m.evidence, func(b basis) bool { return b.lifted || e.stands(b.at) }) {
		out = append(out, e.basisCause(n, records.RuleEvidenceGone, m.evidence))
	}
	var evidence []records.ID
	for _, a := range m.attackers {
		switch {
		case !e.speaks(a):
		case a.rule == records.RuleRefuted:
			evidence = append(evidence, a.id)
		default:
			out = append(out, records.Cause{Rule: a.rule, Records: []records.ID{a.id}, Root: []records.ID{n.r.ID}})
		}
	}
	if len(evidence) > 0 {
		out = append(out, records.Cause{Rule: records.RuleRefuted, Records: sorted(evidence, ""), Root: []records.ID{n.r.ID}})
	}
	slices.SortFunc(out, compareCauses)
	return out
}

func compareCauses(a, b records.Cause) int {
	return cmp.Or(cmp.Compare(a.Rule, b.Rule), slices.Compare(a.Records, b.Records), cmp.Compare(a.Commit, b.Commit))
}

// basisCause is the cause that a basis does not stand, with where that begins.
func (e *Evaluator) basisCause(n *node, rule string, bases []basis) records.Cause {
	c := records.Cause{Rule: rule}
	var roots []records.ID
	seen := map[records.ID]bool{n.r.ID: true}
	for _, b := range bases {
		c.Records = append(c.Records, b.named)
		roots = e.roots(b.at, seen, roots)
	}
	c.Records = sorted(c.Records, "")
	if c.Root = sorted(roots, ""); len(c.Root) == 0 {
		c.Rule, c.Root = records.RuleCircularBasis, []records.ID{n.r.ID}
	}
	return c
}

// roots adds the records at which a basis begins not to stand: those that
// something other than their own basis speaks against.
func (e *Evaluator) roots(from records.ID, seen map[records.ID]bool, roots []records.ID) []records.ID {
	queue := []records.ID{from}
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		if seen[id] {
			continue
		}
		seen[id] = true
		n := e.node(id)
		if !n.candidate || len(n.static) > 0 || slices.ContainsFunc(n.members[0].attackers, e.speaks) {
			roots = append(roots, id)
			continue
		}
		for _, bs := range [][]basis{n.members[0].bases, n.members[0].evidence} {
			for _, b := range bs {
				if !b.lifted && !e.stands(b.at) {
					queue = append(queue, b.at)
				}
			}
		}
	}
	return roots
}
