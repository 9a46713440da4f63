package query

import (
	"slices"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/graph"
)

// GraphOptions say which links to follow, and how far.
type GraphOptions struct {
	// Roots are where to begin; without any the graph is of all records that
	// stand or are open, and goes no farther.
	Roots     []records.ID
	Relations []records.Relation // of these links alone; none are all
	Bounds    graph.Bounds
}

// Graph walks the links around records.
func Graph(rd *Reading, o GraphOptions) (*graph.Graph, error) {
	if len(o.Roots) > 0 {
		return graph.Around(rd.View, o.Roots, o.Bounds, o.Relations...), rd.Err()
	}
	ls, more, err := List(rd, ListOptions{Limit: o.Bounds.Nodes})
	if err != nil {
		return nil, err
	}
	var ids []records.ID
	for _, l := range ls {
		ids = append(ids, l.Record.ID)
	}
	g := graph.Among(rd.View, ids)
	if len(o.Relations) > 0 {
		g.Edges = slices.DeleteFunc(g.Edges, func(e graph.Edge) bool { return !slices.Contains(o.Relations, e.Relation) })
	}
	g.More = more
	return g, rd.Err()
}

// GraphAnswer is the JSON answer of graph.
type GraphAnswer struct {
	Format int          `json:"format"`
	Commit gitstore.OID `json:"commit"`
	Branch string       `json:"branch,omitempty"`
	Roots  []records.ID `json:"roots"`
	// More tells that a bound left records out.
	More  bool        `json:"more"`
	Nodes []GraphNode `json:"nodes"`
	Edges []GraphEdge `json:"edges"`
}

// A GraphNode is a record of a graph.
type GraphNode struct {
	ID    records.ID    `json:"id"`
	Kind  records.Kind  `json:"kind"`
	State records.State `json:"state"`
	Class records.Class `json:"class"`
	Title string        `json:"title"`
}

// A GraphEdge leads from the record that names another to that one.
type GraphEdge struct {
	From     records.ID       `json:"from"`
	To       records.ID       `json:"to"`
	Relation records.Relation `json:"relation"`
}

// GraphAnswerOf is a graph as a JSON answer.
func GraphAnswerOf(rd *Reading, g *graph.Graph) GraphAnswer {
	out := GraphAnswer{Format: AnswerFormat, Commit: rd.Commit, Branch: rd.Branch, More: g.More,
		Roots: append([]records.ID{}, g.Roots...), Nodes: []GraphNode{}, Edges: []GraphEdge{}}
	for _, id := range g.Nodes {
		out.Nodes = append(out.Nodes, NodeOf(rd, id))
	}
	for _, e := range g.Edges {
		out.Edges = append(out.Edges, GraphEdge(e))
	}
	return out
}

// NodeOf is a record of the reading as graphs show it.
func NodeOf(rd *Reading, id records.ID) GraphNode {
	n := GraphNode{ID: id, Kind: id.Kind()}
	if r, ok := rd.Record(id); ok {
		st := rd.Standing(id)
		n.State, n.Class, n.Title = st.State, st.Class, TitleIn(r, st)
	}
	return n
}

// LineageAnswer is the JSON answer of lineage: the graph of both ways, and
// which of its nodes lie on which.
type LineageAnswer struct {
	GraphAnswer
	From  []records.ID `json:"came_from"`
	Rests []records.ID `json:"rests_on_it"`
}

// LineageAnswerOf is a lineage as a JSON answer.
func LineageAnswerOf(rd *Reading, l graph.Lineage) LineageAnswer {
	return LineageAnswer{
		GraphAnswer: GraphAnswerOf(rd, l.Whole()),
		From:        append([]records.ID{}, l.From.Nodes[len(l.From.Roots):]...),
		Rests:       append([]records.ID{}, l.Rests.Nodes[len(l.Rests.Roots):]...),
	}
}
