//go:build !mcpfixtures

package mcpserver

import (
	"github.com/mark3labs/mcp-go/server"
)

// addFixtures adds nothing: the conformance suite's own tools are in a build of their own.
func addFixtures(*server.MCPServer) {}
