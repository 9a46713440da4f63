package standing

import (
	"iter"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// A Contradiction is a cause of doubt that states and links alone give: no
// clock, code or policy. A merge can tell which of them it made itself.
type Contradiction struct {
	Rule string
	// IDs are the record in doubt and the others concerned, sorted.
	IDs []records.ID

	of records.ID // the record in doubt
}

// Key identifies the contradiction among those of other trees.
func (c Contradiction) Key() string { return records.Cause{Rule: c.Rule, Records: c.IDs}.Key(c.of) }

// Contradictions yields why each of the records, or all of the view where ids is
// nil, is in doubt by states and links alone; each contradiction once, in the
// order of the records. A merge conflict is none: it stands in the record as data.
func Contradictions(v records.View, ids []records.ID) iter.Seq[Contradiction] {
	e := NewEvaluator(v, records.EvalContext{ByState: true})
	if ids == nil {
		for r := range v.All() {
			ids = append(ids, r.ID)
		}
	}
	return func(yield func(Contradiction) bool) {
		seen := map[string]bool{}
		for _, id := range ids {
			for _, c := range e.contradictions(id) {
				if key := c.Key(); !seen[key] {
					seen[key] = true
					if !yield(c) {
						return
					}
				}
			}
		}
	}
}

func (e *Evaluator) contradictions(id records.ID) []Contradiction {
	var out []Contradiction
	for _, c := range e.Standing(id).Causes {
		if c.Rule != records.RuleConflict {
			out = append(out, Contradiction{Rule: c.Rule, IDs: sorted(append(slices.Clone(c.Records), id), ""), of: id})
		}
	}
	r, ok := e.view.Record(id)
	if !ok || r.Forgotten() {
		return out
	}
	if r.Kind.Schema().Open(r.State()) { // it asserts nothing yet
		for o := range e.ruledOutText(r) {
			out = append(out, Contradiction{Rule: records.RuleRuledOutAgain, IDs: sorted([]records.ID{id, o.ID}, ""), of: id})
		}
	}
	// What is superseded asserts nothing, whatever its successors are.
	if next := r.Successors(); len(next) > 1 {
		out = append(out, Contradiction{Rule: records.RuleSupersedesFork, IDs: sorted(append(next, id), ""), of: id})
	}
	if path := SuccessionCycle(e.view, r); path != nil {
		out = append(out, Contradiction{Rule: records.RuleSupersedesCycle, IDs: sorted(append(path, id), ""), of: id})
	}
	return out
}

// Made returns the contradictions of a view that none of the others has, sorted
// by key. Changed are the records that differ from them, nil for all.
func Made(v records.View, others []records.View, changed []records.ID) []Contradiction {
	if changed != nil {
		changed = Dependents(v, changed)
	}
	before := make([]*Evaluator, len(others))
	for i, o := range others {
		before[i] = NewEvaluator(o, records.EvalContext{ByState: true})
	}
	var out []Contradiction
	for c := range Contradictions(v, changed) {
		if !slices.ContainsFunc(before, func(e *Evaluator) bool { return e.has(c) }) {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b Contradiction) int { return strings.Compare(a.Key(), b.Key()) })
	return out
}

func (e *Evaluator) has(c Contradiction) bool {
	return slices.ContainsFunc(e.contradictions(c.of), func(o Contradiction) bool { return o.Key() == c.Key() })
}
