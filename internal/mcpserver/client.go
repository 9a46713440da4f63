package mcpserver

import (
	"cmp"
	"context"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// A client is what a session knows of its client. It is safe for concurrent use.
type client struct {
	mu           sync.Mutex
	ready        bool
	info         mcp.Implementation
	capabilities mcp.ClientCapabilities
	version      string
	logLevel     mcp.LoggingLevel
	listening    []context.CancelFunc
}

// Initialize implements the session of mcp-go.
func (c *client) Initialize() { c.locked(func() { c.ready = true }) }

// Initialized implements the session of mcp-go.
func (c *client) Initialized() (is bool) {
	c.locked(func() { is = c.ready })
	return is
}

// GetClientInfo implements the session of mcp-go.
func (c *client) GetClientInfo() (info mcp.Implementation) {
	c.locked(func() { info = c.info })
	return info
}

// SetClientInfo implements the session of mcp-go.
func (c *client) SetClientInfo(info mcp.Implementation) { c.locked(func() { c.info = info }) }

// GetClientCapabilities implements the session of mcp-go.
func (c *client) GetClientCapabilities() (caps mcp.ClientCapabilities) {
	c.locked(func() { caps = c.capabilities })
	return caps
}

// SetClientCapabilities implements the session of mcp-go.
func (c *client) SetClientCapabilities(caps mcp.ClientCapabilities) {
	c.locked(func() { c.capabilities = caps })
}

// ProtocolVersion implements the session of mcp-go.
func (c *client) ProtocolVersion() (v string) {
	c.locked(func() { v = c.version })
	return v
}

// SetProtocolVersion implements the session of mcp-go.
func (c *client) SetProtocolVersion(v string) { c.locked(func() { c.version = v }) }

// GetLogLevel implements the session of mcp-go.
func (c *client) GetLogLevel() (level mcp.LoggingLevel) {
	c.locked(func() { level = cmp.Or(c.logLevel, mcp.LoggingLevelError) })
	return level
}

// SetLogLevel implements the session of mcp-go.
func (c *client) SetLogLevel(level mcp.LoggingLevel) { c.locked(func() { c.logLevel = level }) }

// listens remembers how to end a request that waits for notices to come.
func (c *client) listens(end context.CancelFunc) {
	c.locked(func() { c.listening = append(c.listening, end) })
}

func (c *client) stopListening() {
	c.locked(func() {
		for _, end := range c.listening {
			end()
		}
	})
}

func (c *client) locked(fn func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fn()
}
