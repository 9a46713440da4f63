package graph

import (
	"cmp"
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

// An Edge leads from the record that names another to that one.
type Edge struct {
	From     records.ID
	To       records.ID
	Relation records.Relation
}

// Other returns the end of the edge that id is not.
func (e Edge) Other(id records.ID) records.ID {
	if e.From == id {
		return e.To
	}
	return e.From
}

func compareEdges(a, b Edge) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Relation, b.Relation), cmp.Compare(a.To, b.To))
}

// A Graph is part of a view's records with all edges of the walk between them.
type Graph struct {
	// Roots are the records that the walk began at.
	Roots []records.ID
	// Nodes are all records, those of the roots first, the nearer before the farther.
	Nodes []records.ID
	Edges []Edge // sorted
	// More tells that a bound left records out.
	More bool
}

// Bounds limit a walk; 0 is no limit.
type Bounds struct {
	Steps int // from a root
	Nodes int
}

// Around walks links of the given relations, all where there are none, both
// ways from the roots. A root that is not a record of the view is left out.
func Around(v records.View, roots []records.ID, b Bounds, relations ...records.Relation) *Graph {
	wanted := func(e Edge) bool { return len(relations) == 0 || slices.Contains(relations, e.Relation) }
	return walk(v, roots, b, func(id records.ID) []Edge {
		return slices.DeleteFunc(Edges(v, id), func(e Edge) bool { return !wanted(e) })
	})
}

// Among returns the graph of the records given and of the edges between them.
func Among(v records.View, ids []records.ID) *Graph {
	in := make(map[records.ID]bool, len(ids))
	for _, id := range ids {
		in[id] = true
	}
	return walk(v, ids, Bounds{}, func(id records.ID) []Edge {
		return slices.DeleteFunc(Edges(v, id), func(e Edge) bool { return !in[e.Other(id)] })
	})
}

// Edges returns all edges at a record: its own in canonical order, then those
// that lead to it, by relation. A record that is not there has none.
func Edges(v records.View, id records.ID) []Edge {
	r, ok := v.Record(id)
	if !ok {
		return nil
	}
	edges := own(r)
	seen := make(map[records.ID]bool)
	for _, from := range append(v.Backlinks(id, records.AnyLink), v.Backlinks(id, records.SupersededBy)...) {
		o, ok := v.Record(from)
		if !ok || seen[from] || from == id {
			continue
		}
		seen[from] = true
		for _, e := range own(o) {
			if e.To == id {
				edges = append(edges, e)
			}
		}
	}
	slices.SortStableFunc(edges, func(a, b Edge) int {
		if a.From == id || b.From == id {
			return cmp.Compare(inward(a, id), inward(b, id))
		}
		return cmp.Or(cmp.Compare(a.Relation, b.Relation), cmp.Compare(a.From, b.From))
	})
	return edges
}

func inward(e Edge, id records.ID) int {
	if e.From == id {
		return 0
	}
	return 1
}

// own returns the edges that a record names: its links, what its verdict cites,
// and what supersedes it.
func own(r *records.Record) []Edge {
	var edges []Edge
	for _, rel := range records.Relations(r.Kind) {
		for _, to := range r.Links[rel] {
			edges = append(edges, Edge{r.ID, to, rel})
		}
	}
	if r.Verdict != nil {
		for _, to := range r.Verdict.Cites {
			edges = append(edges, Edge{r.ID, to, records.Cites})
		}
	}
	for _, to := range r.Successors() {
		edges = append(edges, Edge{r.ID, to, records.SupersededBy})
	}
	return edges
}

// walk goes breadth first along the edges that next names, and takes in those
// between records that it reached.
func walk(v records.View, roots []records.ID, b Bounds, next func(records.ID) []Edge) *Graph {
	g := &Graph{}
	steps := make(map[records.ID]int)
	reach := func(id records.ID, step int) bool {
		if _, ok := steps[id]; ok {
			return true
		}
		if _, ok := v.Record(id); !ok {
			return false
		}
		if b.Nodes > 0 && len(g.Nodes) == b.Nodes || b.Steps > 0 && step > b.Steps {
			g.More = true
			return false
		}
		steps[id] = step
		g.Nodes = append(g.Nodes, id)
		return true
	}
	for _, id := range roots {
		if reach(id, 0) && !slices.Contains(g.Roots, id) {
			g.Roots = append(g.Roots, id)
		}
	}
	for i := 0; i < len(g.Nodes); i++ {
		at := g.Nodes[i]
		for _, e := range next(at) {
			if reach(e.Other(at), steps[at]+1) {
				g.Edges = append(g.Edges, e)
			}
		}
	}
	slices.SortFunc(g.Edges, compareEdges)
	g.Edges = slices.Compact(g.Edges)
	return g
}
