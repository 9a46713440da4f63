package mcpserver

import (
	"context"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
)

// CompleteResourceArgument implements mcp-go's completion of resource templates.
func (s *Server) CompleteResourceArgument(ctx context.Context, uri string, a mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	if strings.HasPrefix(uri, uriRecord) || strings.HasPrefix(uri, uriGraph) {
		return s.completeIDs(ctx, a.Value, index.Query{Order: index.Newest})
	}
	return s.completeBranches(ctx, a.Value)
}

// CompletePromptArgument implements mcp-go's completion of prompts.
func (s *Server) CompletePromptArgument(ctx context.Context, prompt string, a mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	q := index.Query{Order: index.ByPriority}
	switch {
	case prompt == promptDispute && a.Name == "id":
		q.Classes = []records.Class{records.InDoubt}
	case a.Name == "task":
		q.Kinds = []records.Kind{records.Task}
		q.Classes = []records.Class{records.Asserted, records.OpenQuestion}
	default:
		return &mcp.Completion{}, nil
	}
	return s.completeIDs(ctx, a.Value, q)
}

// completeIDs lists the ids that begin as the value does, with or without their kind.
func (s *Server) completeIDs(ctx context.Context, value string, q index.Query) (*mcp.Completion, error) {
	out := &mcp.Completion{}
	err := s.read(ctx, query.Clocks{}, func(rd *query.Reading) error {
		for row, err := range rd.Rows(rd.Eval, q) {
			if err != nil {
				return err
			}
			_, random, _ := strings.Cut(string(row.ID), "-")
			if !strings.HasPrefix(string(row.ID), value) && !strings.HasPrefix(random, value) {
				continue
			}
			if out.HasMore = len(out.Values) == mostItems; out.HasMore {
				return nil
			}
			out.Values = append(out.Values, string(row.ID))
		}
		return nil
	})
	return out, err
}

func (s *Server) completeBranches(ctx context.Context, value string) (*mcp.Completion, error) {
	out := &mcp.Completion{}
	err := s.with(ctx, s.author(ctx), func(led *ledger.Ledger) error {
		bs, err := led.Branches(ctx)
		for _, b := range bs {
			if strings.HasPrefix(b.Name, value) && len(out.Values) < mostItems {
				out.Values = append(out.Values, b.Name)
			}
		}
		return err
	})
	return out, err
}
