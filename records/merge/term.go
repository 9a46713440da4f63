package merge

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/git-ctx/git-ctx/records"
)

// A term is one value of a field. Two terms are the same value exactly when
// their keys, the canonical texts, are equal. A nil node is the absent field.
type term struct {
	key  string
	node *yaml.Node
}

func newTerm(n *yaml.Node) term {
	if n == nil || n.ShortTag() == "!!null" {
		return term{key: records.FormatValue(nil)}
	}
	return term{key: records.FormatValue(n), node: n}
}

// writtenTerm is the term of a field that is there. Only an unknown field can be
// there and null; in a conflict the two are one.
func writtenTerm(n *yaml.Node) term {
	if t := newTerm(n); !t.absent() {
		return t
	}
	return term{key: writtenNull, node: n}
}

// writtenNull is no canonical text, so that no other term has this key.
const writtenNull = "~"

func (t term) absent() bool { return t.node == nil }

// values is a set of terms, sorted by key.
type values []term

func newValues(ts ...term) values {
	slices.SortFunc(ts, func(a, b term) int { return strings.Compare(a.key, b.key) })
	return slices.CompactFunc(ts, func(a, b term) bool { return a.key == b.key })
}

func nodeValues(ns []*yaml.Node) values {
	ts := make([]term, len(ns))
	for i, n := range ns {
		ts[i] = newTerm(n)
	}
	return newValues(ts...)
}

func (v values) nodes() []*yaml.Node {
	ns := make([]*yaml.Node, len(v))
	for i, t := range v {
		if ns[i] = t.node; t.absent() {
			ns[i] = nullNode()
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

func nullNode() *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
}

func textNode(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
}

func sequenceNode(ns []*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: ns}
}

func mappingNode(pairs ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: pairs}
}

// child returns the value of a key of a mapping, or nil.
func child(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// lookup returns the text of a key of a mapping, or "".
func lookup(n *yaml.Node, key string) string {
	if v := child(n, key); v != nil {
		return v.Value
	}
	return ""
}
