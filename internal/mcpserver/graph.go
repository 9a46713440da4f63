package mcpserver

import (
	"fmt"
	"slices"

	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/graph"
)

// graphSteps is how far a graph goes from its roots.
const graphSteps = 2

// showGraph is the neighbourhood of records, as nodes and edges.
func showGraph(rd *query.Reading, a showArgs) (any, error) {
	limit, err := a.items()
	if err != nil {
		return nil, err
	}
	if a.Cursor != "" {
		return nil, &argumentError{name: "cursor", why: "a graph has no pages: name records for a smaller one, or raise limit"}
	}
	rs, err := findAll(rd, a.IDs)
	if err != nil {
		return nil, err
	}
	bounds := graph.Bounds{Steps: graphSteps, Nodes: limit}
	if a.View == viewLineage {
		if len(rs) != 1 {
			return nil, &argumentError{name: "ids", why: fmt.Sprintf("a lineage is of one record, not of %d", len(rs))}
		}
		bounds.Steps = 0
		out := &lineageAnswer{LineageAnswer: query.LineageAnswerOf(rd, graph.LineageOf(rd.View, rs[0].ID, bounds))}
		out.Truncated = out.More
		return out, rd.Err()
	}
	g, err := query.Graph(rd, query.GraphOptions{Roots: ids(rs), Bounds: bounds})
	if err != nil {
		return nil, err
	}
	out := &graphAnswer{GraphAnswer: query.GraphAnswerOf(rd, g)}
	out.Truncated = out.More
	return out, nil
}

type graphAnswer struct {
	query.GraphAnswer
	page
}

type lineageAnswer struct {
	query.LineageAnswer
	page
}

func ids(rs []*records.Record) []records.ID {
	var out []records.ID
	for _, r := range rs {
		if !slices.Contains(out, r.ID) {
			out = append(out, r.ID)
		}
	}
	return out
}
