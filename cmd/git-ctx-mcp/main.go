// Command git-ctx-mcp is what git ctx mcp runs: the MCP server, apart from the
// program that everything else starts.
package main

import (
	"context"
	"os"

	"github.com/git-ctx/git-ctx/internal/cli"
	"github.com/git-ctx/git-ctx/internal/mcpserver"
)

func main() {
	env := cli.OSEnv()
	env.ServeMCP = func(ctx context.Context, r cli.MCPRun) error { return mcpserver.Serve(ctx, mcpserver.Options(r)) }
	os.Exit(cli.Process(env, append([]string{"mcp"}, os.Args[1:]...)))
}
