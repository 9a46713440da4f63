package graph

import "github.com/git-ctx/git-ctx/records"

// A Visit is one line of a graph written as a tree.
type Visit struct {
	ID    records.ID
	Depth int
	// Edge leads to the record from the one above, either way; nil for the root of a tree.
	Edge *Edge
	// Again tells that the record stands elsewhere in the tree, with what is below it.
	Again bool
}

// Tree writes the graph as trees that begin at the roots and, for what they do
// not reach, at the first record left. Each record stands once with what is
// below it, each edge once.
func (g *Graph) Tree() []Visit {
	at := make(map[records.ID][]int) // indices of edges
	for i, e := range g.Edges {
		at[e.From] = append(at[e.From], i)
		if e.To != e.From {
			at[e.To] = append(at[e.To], i)
		}
	}
	t := &tree{g: g, at: at, placed: make(map[records.ID]bool), used: make([]bool, len(g.Edges))}
	for _, id := range g.Nodes { // the roots come first
		if !t.placed[id] {
			t.place(id)
		}
	}
	return t.visits
}

type tree struct {
	g      *Graph
	at     map[records.ID][]int
	placed map[records.ID]bool
	used   []bool
	visits []Visit
}

// place writes the tree of a root. A record is placed below the nearest one to
// the root that leads to it, so the tree is found breadth first, then written.
func (t *tree) place(root records.ID) {
	below := make(map[records.ID][]int)
	t.placed[root] = true
	tree := make(map[int]bool)
	for queue := []records.ID{root}; len(queue) > 0; queue = queue[1:] {
		id := queue[0]
		for _, i := range t.at[id] {
			if t.used[i] {
				continue
			}
			t.used[i] = true
			below[id] = append(below[id], i)
			if o := t.g.Edges[i].Other(id); !t.placed[o] {
				t.placed[o], tree[i] = true, true
				queue = append(queue, o)
			}
		}
	}
	t.visits = append(t.visits, Visit{ID: root})
	type step struct {
		id    records.ID
		depth int
		edges []int
	}
	for stack := []step{{root, 1, below[root]}}; len(stack) > 0; {
		top := &stack[len(stack)-1]
		if len(top.edges) == 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		i := top.edges[0]
		top.edges = top.edges[1:]
		o, depth := t.g.Edges[i].Other(top.id), top.depth
		t.visits = append(t.visits, Visit{ID: o, Depth: depth, Edge: &t.g.Edges[i], Again: !tree[i]})
		if tree[i] {
			stack = append(stack, step{o, depth + 1, below[o]})
		}
	}
}
