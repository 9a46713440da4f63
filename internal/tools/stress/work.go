package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"
)

// An acknowledged write is what the program said it did.
type acknowledged struct{ ID, Commit string }

// A writer adds a task of that title, or starts the task of that id, and returns
// what the answer says.
type writer interface {
	add(ctx context.Context, title string) (acknowledged, error)
	start(ctx context.Context, id string) (acknowledged, error)
}

// writeAll lets one writer work in each directory, all at once: the command
// line, where every write is a process of its own, and every fourth an MCP
// server. Each adds tasks and starts every fourth of them.
func writeAll(ctx context.Context, g *ground, r *result, dirs []string, writes int) {
	var wg sync.WaitGroup
	for i, dir := range dirs {
		wg.Go(func() {
			var w writer = &commandLine{g, dir}
			if i%4 == 3 {
				server, err := startServer(ctx, g, dir)
				if err != nil {
					r.fail("writer %d: %v", i, err)
					return
				}
				defer server.close()
				w = server
			}
			for n := range writes {
				a, err := w.add(ctx, fmt.Sprintf("Write %d of writer %d", n, i))
				if err == nil && n%4 == 3 {
					r.acknowledge(a)
					a, err = w.start(ctx, a.ID)
				}
				if err != nil {
					r.fail("writer %d: %v", i, err)
					continue
				}
				r.acknowledge(a)
			}
		})
	}
	wg.Wait()
}

// commandLine is a writer whose writes are processes of their own.
type commandLine struct {
	g   *ground
	dir string
}

func (c *commandLine) add(ctx context.Context, title string) (acknowledged, error) {
	return c.run(ctx, "task", "add", title)
}

func (c *commandLine) start(ctx context.Context, id string) (acknowledged, error) {
	return c.run(ctx, "start", id)
}

func (c *commandLine) run(ctx context.Context, args ...string) (a acknowledged, err error) {
	out, err := c.g.ctx(ctx, c.dir, append([]string{"--format=json"}, args...)...)
	if err == nil {
		err = json.Unmarshal([]byte(out), &a)
	}
	return a, err
}

// surround starts the neighbours and the readers; what it returns ends them.
func surround(ctx context.Context, g *ground, r *result, tidying [][][]string) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	loop := func(name string, pause time.Duration, turn func(i int) error) {
		wg.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				if err := turn(i); err != nil {
					r.fail("%s: %v", name, err)
				}
				r.count(name)
				select {
				case <-done:
					return
				case <-time.After(pause):
				}
			}
		})
	}
	for _, turn := range tidying {
		loop(strings.Join(turn[0], " "), 50*time.Millisecond, func(i int) error {
			return tidy(ctx, g, r, turn[i%len(turn)], len(tidying) > 1)
		})
	}
	loop("pack-refs", 100*time.Millisecond, func(int) error {
		_, err := g.git(ctx, "pack-refs", "--all")
		return err
	})
	loop("update-ref", 50*time.Millisecond, func(i int) error { return moveNeighbours(ctx, g, r, i) })
	loop("read", 20*time.Millisecond, func(i int) error { return readOnce(ctx, g, r, i) })
	return func() {
		close(done)
		wg.Wait()
	}
}

// tidy runs one of git's commands that work on objects. It may fail as it does
// without us: where several run at once, as one deletes the other's temporary
// files; and prune, when a pack that it listed is gone as it opens it.
func tidy(ctx context.Context, g *ground, r *result, args []string, atOnce bool) error {
	_, err := g.git(ctx, args...)
	switch {
	case err == nil:
	case atOnce:
		r.count("failed " + args[0])
	case args[0] == "prune" && strings.Contains(err.Error(), "unable to mark recent objects"):
		r.count("failed " + args[0])
		_, err = g.git(ctx, args...)
		return err
	default:
		return err
	}
	return nil
}

// moveNeighbours moves two refs that nobody of us writes, as their owner would:
// from the value it left them at. It makes no objects: git's own way to make
// them fails now and then while gc removes empty directories.
func moveNeighbours(ctx context.Context, g *ground, r *result, i int) error {
	for ref, rev := range map[string]string{neighbourRef: branchRef, codeRef: fmt.Sprintf("HEAD~%d", i%2)} {
		oid, err := g.git(ctx, "rev-parse", rev)
		if err != nil {
			return err
		}
		old := r.neighbour(ref, "")
		if old == "" {
			old = strings.Repeat("0", len(oid))
		}
		if _, err := g.git(ctx, "update-ref", ref, oid, old); err != nil {
			return err
		}
		r.neighbour(ref, oid)
	}
	return nil
}

// readOnce runs one reading command, which must see every write that was
// acknowledged before it began.
func readOnce(ctx context.Context, g *ground, r *result, i int) error {
	before := r.writes()
	switch i % 3 {
	case 0:
		_, err := g.ctx(ctx, g.dir, "show", g.goal)
		return err
	case 1:
		_, err := g.ctx(ctx, g.dir, "packet", "--purpose", "latency")
		return err
	}
	out, err := g.ctx(ctx, g.dir, "list", "--all", "--porcelain")
	if err != nil {
		return err
	}
	for _, a := range before {
		if !strings.Contains(out, a.ID) {
			return fmt.Errorf("list does not show %s, which was acknowledged", a.ID)
		}
	}
	return nil
}
