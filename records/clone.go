package records

import (
	"slices"

	"gopkg.in/yaml.v3"
)

// Clone returns a deep copy of the record.
func (r *Record) Clone() *Record {
	c := *r
	c.Options = slices.Clone(r.Options)
	c.Signals = slices.Clone(r.Signals)
	c.Preconditions = slices.Clone(r.Preconditions)
	c.Steps = slices.Clone(r.Steps)
	if r.Verdict != nil {
		v := r.Verdict.Clone()
		c.Verdict = &v
	}
	c.Also = slices.Clone(r.Also)
	for i := range c.Also {
		c.Also[i] = r.Also[i].Clone()
	}
	c.Conflicts = slices.Clone(r.Conflicts)
	for i := range c.Conflicts {
		c.Conflicts[i].Bases = cloneNodes(r.Conflicts[i].Bases)
		c.Conflicts[i].Sides = cloneNodes(r.Conflicts[i].Sides)
	}
	c.Confidence = clonePointer(r.Confidence)
	c.Impact = clonePointer(r.Impact)
	c.Cost = clonePointer(r.Cost)
	c.Strength = clonePointer(r.Strength)
	c.Priority = clonePointer(r.Priority)
	c.Tags = slices.Clone(r.Tags)
	if r.Links != nil {
		c.Links = make(map[Relation][]ID, len(r.Links))
		for rel, ids := range r.Links {
			c.Links[rel] = slices.Clone(ids)
		}
	}
	c.Paths = slices.Clone(r.Paths)
	c.Anchors = slices.Clone(r.Anchors)
	c.Files = slices.Clone(r.Files)
	c.Origin = clonePointer(r.Origin)
	c.Tombstone = clonePointer(r.Tombstone)
	c.Extra = slices.Clone(r.Extra)
	for i := range c.Extra {
		c.Extra[i].Value = cloneNode(r.Extra[i].Value)
	}
	return &c
}

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
