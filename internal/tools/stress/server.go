package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

// server is a writer whose writes are calls of one MCP server.
type server struct{ client *client.Client }

func startServer(ctx context.Context, g *ground, dir string) (*server, error) {
	c, err := client.NewStdioMCPClient(filepath.Join(filepath.Dir(g.bin), "git-ctx-mcp"), g.env, "-C", dir, "--mode", "write")
	if err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "stress", Version: "1"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		return nil, errors.Join(fmt.Errorf("start the server: %w", err), c.Close())
	}
	return &server{c}, nil
}

func (s *server) close() { _ = s.client.Close() }

func (s *server) add(ctx context.Context, title string) (acknowledged, error) {
	return s.call(ctx, "add", map[string]any{"kind": "task", "title": title})
}

func (s *server) start(ctx context.Context, id string) (acknowledged, error) {
	a, err := s.call(ctx, "update", map[string]any{"verb": "start", "ids": []string{id}})
	a.ID = id
	return a, err
}

func (s *server) call(ctx context.Context, tool string, args map[string]any) (a acknowledged, err error) {
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = tool, args
	res, err := s.client.CallTool(ctx, req)
	if err != nil {
		return a, err
	}
	said, err := json.Marshal(res)
	if err != nil {
		return a, err
	}
	if res.IsError {
		return a, fmt.Errorf("%s: %s", tool, said)
	}
	var answer struct {
		Wrote acknowledged `json:"structuredContent"`
	}
	if err := json.Unmarshal(said, &answer); err != nil || answer.Wrote.Commit == "" {
		return a, fmt.Errorf("%s: %s: %w", tool, said, err)
	}
	return answer.Wrote, nil
}
