package records

import (
	"slices"

	"gopkg.in/yaml.v3"
)

// Clone returns a deep copy of the verdict.
func (v Verdict) Clone() Verdict {
	v.Cites = slices.Clone(v.Cites)
	v.Despite = slices.Clone(v.Despite)
	return v
}

func clonePointer[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

func cloneNodes(ns []*yaml.Node) []*yaml.Node {
	out := slices.Clone(ns)
	for i := range out {
		out[i] = cloneNode(out[i])
	}
	return out
}

func cloneNode(n *yaml.Node) *yaml.Node {
	if n == nil {
		return nil
	}
	c := *n
	c.Content = cloneNodes(n.Content)
	return &c
}
