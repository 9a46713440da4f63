package graph

import (
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

// Lineage is where a record came from and what rests on it.
type Lineage struct {
	// From holds what the record came from, Rests what rests on it; both begin
	// at the record.
	From, Rests *Graph
}

// LineageOf follows a record's grounds back and what was grounded on it on:
// evidence for and against, what it rests on, derives from, cites or reopens,
// and what it took the place of. The bounds hold for each way.
func LineageOf(v records.View, id records.ID, b Bounds) Lineage {
	to := func(back bool) func(records.ID) []Edge {
		return func(id records.ID) []Edge {
			return slices.DeleteFunc(Edges(v, id), func(e Edge) bool {
				ground, ok := groundOf(e)
				return !ok || (ground != id) != back
			})
		}
	}
	return Lineage{From: walk(v, []records.ID{id}, b, to(true)), Rests: walk(v, []records.ID{id}, b, to(false))}
}

// groundOf returns the end of an edge that the other end stands on; false where
// the edge says nothing of that.
func groundOf(e Edge) (records.ID, bool) {
	switch e.Relation {
	case records.RestsOn, records.DerivedFrom, records.Cites, records.Reopens:
		return e.To, true
	case records.Supports, records.Refutes, records.SupersededBy:
		return e.From, true
	}
	return "", false
}

// Whole returns both ways as one graph.
func (l Lineage) Whole() *Graph {
	g := &Graph{Roots: l.From.Roots, More: l.From.More || l.Rests.More}
	g.Nodes = slices.Clone(l.From.Nodes)
	for _, id := range l.Rests.Nodes {
		if !slices.Contains(l.From.Nodes, id) {
			g.Nodes = append(g.Nodes, id)
		}
	}
	g.Edges = slices.Concat(l.From.Edges, l.Rests.Edges)
	slices.SortFunc(g.Edges, compareEdges)
	g.Edges = slices.Compact(g.Edges)
	return g
}
