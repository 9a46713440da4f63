package standing

import (
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

// An Evaluator works out the standings of one view, each once. It looks only at
// what a record depends on. It is not safe for concurrent use, and the view must
// not change under it.
type Evaluator struct {
	view  records.View
	ctx   records.EvalContext
	nodes map[records.ID]*node
}

// NewEvaluator returns an evaluator that has looked at nothing yet.
func NewEvaluator(v records.View, c records.EvalContext) *Evaluator {
	return &Evaluator{view: v, ctx: c, nodes: make(map[records.ID]*node)}
}

// records.EvalContext returns what the evaluator judges by.
func (e *Evaluator) Context() records.EvalContext { return e.ctx }

// Standing returns the standing of a record; that of a missing one is Gone.
func (e *Evaluator) Standing(id records.ID) records.Standing {
	n := e.labelled(id)
	if n.done == nil {
		st := e.finish(n)
		n.done = &st
	}
	return *n.done
}

// Timed reports whether the standing of a record may differ at another instant:
// it has a validity, or depends on a record that has.
func (e *Evaluator) Timed(id records.ID) bool {
	seen := map[records.ID]bool{}
	queue := []records.ID{id}
	for len(queue) > 0 {
		id := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		n := e.labelled(id)
		if seen[id] || n.r == nil {
			continue
		}
		seen[id] = true
		if n.r.Valid != (records.Validity{}) {
			return true
		}
		if n.candidate {
			queue = append(queue, e.depends(n)...)
			for _, m := range n.members {
				queue = append(queue, m.asked...)
			}
		}
	}
	return false
}

// node returns the node of a record, classified but not labelled.
func (e *Evaluator) node(id records.ID) *node {
	n := e.nodes[id]
	if n == nil {
		n = e.classify(id)
		e.nodes[id] = n
	}
	return n
}

// labelled returns the node of a record with its label.
func (e *Evaluator) labelled(id records.ID) *node {
	n := e.node(id)
	if n.label == unlabelled {
		e.solve(id)
	}
	return n
}

// depends lists the records that a candidate's label depends on.
func (e *Evaluator) depends(n *node) []records.ID {
	if !n.connected {
		e.connect(n)
		n.connected = true
	}
	var ids []records.ID
	for _, m := range n.members {
		for _, b := range m.bases {
			ids = append(ids, b.at)
		}
		for _, b := range m.evidence {
			ids = append(ids, b.at)
		}
		for _, a := range m.attackers {
			ids = append(ids, a.id)
		}
	}
	return ids
}

// solve labels a record and all that it depends on, one strongly connected
// component of the dependencies after the other, those that others depend on
// first (Tarjan 1972, without recursion). A component's labels depend on the
// labels below it alone, so that the whole is the well-founded model.
func (e *Evaluator) solve(root records.ID) {
	type frame struct {
		id   records.ID
		next []records.ID
	}
	index, low := map[records.ID]int{}, map[records.ID]int{}
	onStack := map[records.ID]bool{}
	var stack []records.ID
	var calls []frame
	enter := func(id records.ID) {
		index[id], low[id] = len(index), len(index)
		stack, onStack[id] = append(stack, id), true
		calls = append(calls, frame{id, e.depends(e.node(id))})
	}
	enter(root)
	for len(calls) > 0 {
		f := &calls[len(calls)-1]
		if len(f.next) > 0 {
			to := f.next[0]
			f.next = f.next[1:]
			switch _, seen := index[to]; {
			case e.node(to).label != unlabelled:
			case !seen:
				enter(to)
			case onStack[to]:
				low[f.id] = min(low[f.id], index[to])
			}
			continue
		}
		id := f.id
		calls = calls[:len(calls)-1]
		if len(calls) > 0 {
			up := calls[len(calls)-1].id
			low[up] = min(low[up], low[id])
		}
		if low[id] != index[id] {
			continue
		}
		at := len(stack) - 1
		for stack[at] != id {
			at--
		}
		e.label(stack[at:])
		for _, done := range stack[at:] {
			onStack[done] = false
		}
		stack = stack[:at]
	}
}

// label gives the records of one component their labels, by the alternating
// fixed point (Van Gelder 1989): what stands where everything possible is taken
// to attack is certain; what stands where only the certain attacks is possible.
func (e *Evaluator) label(component []records.ID) {
	members := make(map[records.ID]bool, len(component))
	for _, id := range component {
		members[id] = true
	}
	certain := map[records.ID]bool{}
	for {
		possible := e.least(component, members, certain, undecided)
		next := e.least(component, members, possible, stands)
		if len(next) == len(certain) {
			for _, id := range component {
				switch n := e.nodes[id]; {
				case next[id]:
					n.label = stands
				case possible[id]:
					n.label = undecided
				default:
					n.label = falls
				}
			}
			return
		}
		certain = next
	}
}

// least returns the least set of the component's records that stand where
// attacking is what attacks of the component, and what is labelled below it
// counts as a basis from the label given upwards. What is labelled attacks from
// the other label upwards.
func (e *Evaluator) least(component []records.ID, members, attacking map[records.ID]bool, counts label) map[records.ID]bool {
	attacks := undecided
	if counts == undecided {
		attacks = stands
	}
	in := map[records.ID]bool{}
	holds := func(id records.ID) bool {
		if members[id] {
			return in[id]
		}
		return e.nodes[id].label >= counts
	}
	against := func(a attacker) bool {
		if members[a.id] {
			return attacking[a.id]
		}
		return a.fixed() || e.nodes[a.id].label >= attacks
	}
	for grown := true; grown; {
		grown = false
		for _, id := range component {
			if !in[id] && slices.ContainsFunc(e.nodes[id].members, func(m *member) bool {
				return len(e.nodes[id].static) == 0 && m.holds(holds) && !slices.ContainsFunc(m.attackers, against)
			}) {
				in[id], grown = true, true
			}
		}
	}
	return in
}

// holds reports whether a member has its basis, by what stands.
func (m *member) holds(stands func(records.ID) bool) bool {
	has := func(b basis) bool { return b.lifted || stands(b.at) }
	for _, b := range m.bases {
		if !has(b) {
			return false
		}
	}
	return len(m.evidence) == 0 || slices.ContainsFunc(m.evidence, has)
}
