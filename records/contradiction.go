package records

import (
	"iter"
	"slices"
	"strings"
)

// A Contradiction is an error-level clash between records of one tree. It
// suppresses the records it names until a verdict is renewed with despite.
// It depends on states and links only, so that a merge can tell which
// contradictions it made itself.
type Contradiction struct {
	// Rule is the stable id of the audit rule that reports it.
	Rule string
	// IDs are the records named, sorted.
	IDs []ID
}

// Key identifies the contradiction among those of other trees.
func (c Contradiction) Key() string {
	var b strings.Builder
	b.WriteString(c.Rule)
	for _, id := range c.IDs {
		b.WriteByte(' ')
		b.WriteString(string(id))
	}
	return b.String()
}

// The rules of contradictions.
const (
	RuleRestsOnDead     = "rests-on-dead"
	RuleRivalDecisions  = "rival-decisions"
	RuleOpenChild       = "closed-task-open-child"
	RuleSupersedesFork  = "supersession-fork"
	RuleSupersedesCycle = "supersession-cycle"
)

func newContradiction(rule string, ids ...ID) Contradiction {
	slices.Sort(ids)
	return Contradiction{Rule: rule, IDs: slices.Compact(ids)}
}

// ContradictionsOf returns the contradictions that name the record, sorted by [Contradiction.Key].
func ContradictionsOf(v View, id ID) []Contradiction {
	r, ok := v.Record(id)
	if !ok || r.Verdict == nil || r.Forgotten() {
		return nil
	}
	var out []Contradiction
	out = append(out, fallenBases(v, r)...)
	out = append(out, restingOnFallen(v, r)...)
	out = append(out, rivals(v, r)...)
	out = append(out, openFamily(v, r)...)
	out = append(out, supersessionForks(v, r)...)
	out = append(out, supersessionCycle(v, r)...)
	slices.SortFunc(out, func(a, b Contradiction) int { return strings.Compare(a.Key(), b.Key()) })
	return slices.CompactFunc(out, func(a, b Contradiction) bool { return a.Key() == b.Key() })
}

// Contradictions yields every contradiction of the view once, ordered by its
// first record and then by key.
func Contradictions(v View) iter.Seq[Contradiction] {
	return func(yield func(Contradiction) bool) {
		for r := range v.All() {
			for _, c := range ContradictionsOf(v, r.ID) {
				if c.IDs[0] == r.ID && !yield(c) {
					return
				}
			}
		}
	}
}

// fallenBases finds what r rests on, though it no longer holds. A basis that
// nobody can read may be anything, so nothing rests on it either.
func fallenBases(v View, r *Record) []Contradiction {
	if !r.InForce() {
		return nil
	}
	var out []Contradiction
	for _, id := range r.Links[RestsOn] {
		basis, ok := v.Record(id)
		if !ok || basis.DefeatedIn(v) && !r.Overrides(basis) {
			out = append(out, newContradiction(RuleRestsOnDead, r.ID, id))
		}
	}
	return out
}

// restingOnFallen finds what still rests on r, though it no longer holds.
func restingOnFallen(v View, r *Record) []Contradiction {
	if !r.DefeatedIn(v) {
		return nil
	}
	var out []Contradiction
	for _, id := range v.Backlinks(r.ID, RestsOn) {
		if d, ok := v.Record(id); ok && d.InForce() && !d.Overrides(r) {
			out = append(out, newContradiction(RuleRestsOnDead, r.ID, id))
		}
	}
	return out
}

// rivals finds other accepted decisions on r's question.
func rivals(v View, r *Record) []Contradiction {
	key := QuestionKey(r.Question)
	if r.Kind != Decision || key == "" || r.State() != Accepted {
		return nil
	}
	var out []Contradiction
	for _, id := range v.OnQuestion(key) {
		o, ok := v.Record(id)
		if ok && id != r.ID && o.State() == Accepted && !r.Overrides(o) && !o.Overrides(r) {
			out = append(out, newContradiction(RuleRivalDecisions, r.ID, id))
		}
	}
	return out
}

// openFamily finds a closed task with an open child, from either end.
func openFamily(v View, r *Record) []Contradiction {
	if r.Kind != Task {
		return nil
	}
	var out []Contradiction
	if r.Open() {
		for _, id := range r.Links[PartOf] {
			if p, ok := v.Record(id); ok && p.Kind == Task && p.Settled() && !p.Overrides(r) && !r.Overrides(p) {
				out = append(out, newContradiction(RuleOpenChild, r.ID, id))
			}
		}
		return out
	}
	for _, id := range v.Backlinks(r.ID, PartOf) {
		if c, ok := v.Record(id); ok && c.Kind == Task && c.Open() && !c.Overrides(r) && !r.Overrides(c) {
			out = append(out, newContradiction(RuleOpenChild, r.ID, id))
		}
	}
	return out
}

// supersessionForks finds records with two successors, as the record itself or
// as one of the successors.
func supersessionForks(v View, r *Record) []Contradiction {
	var out []Contradiction
	for _, id := range append(slices.Clone(v.Backlinks(r.ID, SupersededBy)), r.ID) {
		old, ok := v.Record(id)
		if !ok {
			continue
		}
		if next := old.Successors(); len(next) > 1 {
			out = append(out, newContradiction(RuleSupersedesFork, append(next, id)...))
		}
	}
	return out
}

// supersessionCycle finds the cycle of successors that r lies on.
func supersessionCycle(v View, r *Record) []Contradiction {
	path := []ID{r.ID}
	for cur := r; ; {
		next := cur.Successors()
		if len(next) != 1 {
			return nil // the end, or a fork, which is reported as such
		}
		if next[0] == r.ID {
			return []Contradiction{newContradiction(RuleSupersedesCycle, path...)}
		}
		if slices.Contains(path, next[0]) {
			return nil // r leads into a cycle but is not on it
		}
		n, ok := v.Record(next[0])
		if !ok {
			return nil
		}
		path = append(path, n.ID)
		cur = n
	}
}
