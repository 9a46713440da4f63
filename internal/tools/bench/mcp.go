package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// mcpRuns is how many calls of each kind are timed, turn by turn.
const mcpRuns = 60

// benchMCP times packet and search over MCP beside the command line, and beside
// the protocol's memory server on a file with as many entities, where npm put it in modules.
func (s *shop) benchMCP(records int, modules string) error {
	mcp := filepath.Join(filepath.Dir(s.bin), "git-ctx-mcp")
	if out, err := exec.Command("go", "build", "-o", mcp, "./cmd/git-ctx-mcp").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	ours, err := newCaller(nil, mcp, "-C", s.dir)
	if err != nil {
		return err
	}
	defer ours.close()
	type timed struct {
		name string
		run  func() error
		took []time.Duration
	}
	// Words of one record, and words of an eighth of all.
	few, many := "goes 1 cache latency", "cache latency"
	jobs := []*timed{
		{name: "packet, MCP", run: func() error { return ours.tool("packet", map[string]any{"purpose": many}) }},
		{name: "packet, command line", run: func() error { return s.ctx("packet", "--purpose", many) }},
		{name: "search for words of few records, MCP", run: func() error { return ours.tool("search", map[string]any{"query": few}) }},
		{name: "the same, command line", run: func() error { return s.ctx("search", "-n", "20", few) }},
		{name: "search for words of an eighth, MCP", run: func() error { return ours.tool("search", map[string]any{"query": many}) }},
		{name: "the same, command line", run: func() error { return s.ctx("search", "-n", "20", many) }},
	}
	if memory, err := s.memoryServer(records, modules); err == nil {
		defer memory.close()
		jobs = append(jobs, &timed{name: "search_nodes for few, memory server", run: func() error { return memory.tool("search_nodes", map[string]any{"query": "case 17 "}) }},
			&timed{name: "search_nodes for an eighth, memory server", run: func() error { return memory.tool("search_nodes", map[string]any{"query": many}) }})
	} else {
		fmt.Fprintln(os.Stderr, "bench: without the memory server:", err)
	}
	for range mcpRuns + 1 {
		for _, j := range jobs {
			took, err := clock(j.run)
			if err != nil {
				return fmt.Errorf("%s: %w", j.name, err)
			}
			j.took = append(j.took, took)
		}
	}
	fmt.Printf("\n%d records, %d calls of each, turn by turn\n\n| work | p50 | p95 |\n|---|---|---|\n", records, mcpRuns)
	for _, j := range jobs {
		took := j.took[1:] // the first warms up
		slices.Sort(took)
		fmt.Printf("| %s | %s | %s |\n", j.name, round(took[len(took)/2]), round(took[len(took)*95/100]))
	}
	return nil
}

// memoryServer starts the memory server on a file of n entities with the titles of
// our records.
func (s *shop) memoryServer(n int, modules string) (*caller, error) {
	bin, err := filepath.Abs(filepath.Join(modules, ".bin"))
	if err != nil {
		return nil, err
	}
	server := filepath.Join(bin, "mcp-server-memory")
	if _, err := os.Stat(server); err != nil {
		return nil, err
	}
	name := filepath.Join(filepath.Dir(s.dir), "memory.jsonl")
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	for i := range n {
		e := map[string]any{"type": "entity", "name": fmt.Sprintf("case %d about %s", i, subjects[i%len(subjects)]), "entityType": "hypothesis",
			"observations": []string{fmt.Sprintf("It goes %d ways with %s", i, subjects[i%len(subjects)])}}
		if err := enc.Encode(e); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		return nil, err
	}
	return newCaller(append(os.Environ(), "MEMORY_FILE_PATH="+name), filepath.Join(bin, "node"), server)
}

// A caller is a client of a server over stdio that asks one thing at a time.
type caller struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	next int
}

func newCaller(env []string, name string, args ...string) (*caller, error) {
	c := &caller{cmd: exec.Command(name, args...)}
	c.cmd.Env = env
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewReader(out)
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	if err := c.ask("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "bench", "version": "1"}}); err != nil {
		return nil, err
	}
	_, err = fmt.Fprintln(c.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c, err
}

func (c *caller) tool(name string, args map[string]any) error {
	return c.ask("tools/call", map[string]any{"name": name, "arguments": args})
}

func (c *caller) ask(method string, params map[string]any) error {
	c.next++
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.next, "method": method, "params": params})
	if err != nil {
		return err
	}
	if _, err := c.in.Write(append(b, '\n')); err != nil {
		return err
	}
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			return err
		}
		var m struct {
			ID     int `json:"id"`
			Error  any `json:"error"`
			Result struct {
				IsError bool `json:"isError"`
			} `json:"result"`
		}
		switch err := json.Unmarshal(line, &m); {
		case err != nil:
			return err
		case m.ID != c.next: // a notification
		case m.Error != nil || m.Result.IsError:
			return fmt.Errorf("%s: %.300s", method, line)
		default:
			return nil
		}
	}
}

func (c *caller) close() {
	_ = c.in.Close()
	_ = c.cmd.Wait()
}
