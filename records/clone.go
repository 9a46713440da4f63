package records

import (
	"slices"
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

func cloneValues(ns []*Value) []*Value {
	out := slices.Clone(ns)
	for i := range out {
		out[i] = cloneValue(out[i])
	}
	return out
}

func cloneValue(n *Value) *Value {
	if n == nil {
		return nil
	}
	c := *n
	c.Items = cloneValues(n.Items)
	return &c
}
