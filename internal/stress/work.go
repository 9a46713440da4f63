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

// writeAll lets one writer work in each directory, all at once. Each adds tasks
// and starts every fourth of them: every write is a process of its own.
func writeAll(ctx context.Context, g *ground, r *result, dirs []string, writes int) {
	var wg sync.WaitGroup
	for w, dir := range dirs {
		wg.Go(func() {
			last := ""
			for i := range writes {
				args := []string{"--format=json", "task", "add", fmt.Sprintf("Write %d of writer %d", i, w)}
				if i%4 == 3 && last != "" {
					args = []string{"--format=json", "start", last}
				}
				out, err := g.ctx(ctx, dir, args...)
				var a acknowledged
				if err == nil {
					err = json.Unmarshal([]byte(out), &a)
				}
				if err != nil {
					r.fail("writer %d: %v", w, err)
					continue
				}
				if last == "" || args[1] == "task" {
					last = a.ID
				}
				r.acknowledge(acknowledged{ID: last, Commit: a.Commit})
			}
		})
	}
	wg.Wait()
}

// surround starts the neighbours and the readers; what it returns ends them.
func surround(ctx context.Context, g *ground, r *result) (stop func()) {
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
	// By turns: a gc beside a repack -ad fails now and then with git's own
	// writers alone ("unable to get object info"), so that would prove nothing.
	loop("gc and repack", 200*time.Millisecond, func(int) error {
		if _, err := g.git(ctx, "gc", "--quiet"); err != nil {
			return err
		}
		_, err := g.git(ctx, "repack", "-adq")
		return err
	})
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
