package merge

import (
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// A term is one value of a field. Two terms are the same value exactly when
// their keys, the canonical texts, are equal. A nil value is the absent field.
type term struct {
	key   string
	value *records.Value
}

func newTerm(n *records.Value) term {
	if n.IsNull() {
		return term{key: records.FormatValue(nil)}
	}
	return term{key: records.FormatValue(n), value: n}
}

// writtenTerm is the term of a field that is there. Only an unknown field can be
// there and null; in a conflict the two are one.
func writtenTerm(n *records.Value) term {
	if t := newTerm(n); !t.absent() {
		return t
	}
	return term{key: writtenNull, value: n}
}

// writtenNull is not a canonical text, so that no other term has this key.
const writtenNull = "~"

func (t term) absent() bool { return t.value == nil }

// values is a set of terms, sorted by key.
type values []term

func newValues(ts ...term) values {
	slices.SortFunc(ts, func(a, b term) int { return strings.Compare(a.key, b.key) })
	return slices.CompactFunc(ts, func(a, b term) bool { return a.key == b.key })
}

func termsOf(ns []*records.Value) values {
	ts := make([]term, len(ns))
	for i, n := range ns {
		ts[i] = newTerm(n)
	}
	return newValues(ts...)
}

func (v values) list() []*records.Value {
	ns := make([]*records.Value, len(v))
	for i, t := range v {
		if ns[i] = t.value; t.absent() {
			ns[i] = &records.Value{Text: "null"}
		}
	}
	return ns
}

func (v values) has(t term) bool {
	_, ok := slices.BinarySearchFunc(v, t.key, func(a term, key string) int { return strings.Compare(a.key, key) })
	return ok
}

func (v values) equal(w values) bool {
	return slices.EqualFunc(v, w, func(a, b term) bool { return a.key == b.key })
}

func (v values) containsAll(w values) bool {
	for _, t := range w {
		if !v.has(t) {
			return false
		}
	}
	return true
}

func (v values) filter(keep func(term) bool) values {
	var out values
	for _, t := range v {
		if keep(t) {
			out = append(out, t)
		}
	}
	return out
}

// oneNull drops the absent field beside a written null: no conflict could tell
// them apart, and a key that is there must not be lost.
func (v values) oneNull() values {
	if !v.has(term{key: writtenNull}) {
		return v
	}
	return v.filter(func(t term) bool { return !t.absent() })
}

func (v values) minus(w values) values { return v.filter(func(t term) bool { return !w.has(t) }) }
func (v values) both(w values) values  { return v.filter(w.has) }
func (v values) union(w values) values { return newValues(slices.Concat(v, w)...) }

// netEffect is what is left of two sets that both began as base: what both
// hold, and what either added.
func netEffect(base, ours, theirs values) values {
	return ours.both(theirs).union(ours.minus(base)).union(theirs.minus(base))
}

// A sum is what a field holds: one side when it is settled, or the terms of a
// conflict. The sides of a settled verdict are bundles that agree.
type sum struct {
	bases, sides values
}

func settledSum(t term) sum { return sum{sides: values{t}} }

func absentSum() sum { return settledSum(newTerm(nil)) }

func (s sum) equal(t sum) bool { return s.bases.equal(t.bases) && s.sides.equal(t.sides) }

func (s sum) join(t sum) sum {
	return sum{bases: s.bases.union(t.bases), sides: s.sides.union(t.sides)}
}

func listOf(ns []*records.Value) *records.Value {
	return &records.Value{Type: records.ListValue, Items: ns}
}

func mapOf(pairs ...*records.Value) *records.Value {
	return &records.Value{Type: records.MapValue, Items: pairs}
}
