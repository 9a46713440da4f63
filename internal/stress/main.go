// Command stress writes through the git-ctx program from many processes at
// once, beside the things git does to a repository at the same time: gc,
// repack, pack-refs, updates of neighbour refs, and readers of ours. It proves
// that every write that was acknowledged is there in the end, that nothing else
// is, that no reader ever met an error, and that git's own work never failed.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

func main() {
	short := flag.Bool("short", false, "a fifth of the writes")
	writers := flag.Int("writers", 8, "processes that write at once")
	writes := flag.Int("writes", 100, "writes of each")
	limit := flag.Duration("limit", 10*time.Minute, "the longest a scenario may take")
	read := flag.String("read", "", "be the long-lived reader of the repository at `DIR` until standard input ends")
	flag.Parse()
	if *read != "" {
		exit(readLong(*read))
	}
	if *short {
		*writes /= 5
	}
	exit(stress(*writers, *writes, *limit))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "stress:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// A scenario is one way in which people work at once.
type scenario struct {
	name      string
	worktrees bool // each writer in a linked worktree of its own
	longLived bool // a process that keeps the ledger open reads throughout
}

func stress(writers, writes int, limit time.Duration) error {
	dir, err := os.MkdirTemp("", "git-ctx-stress-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bin := filepath.Join(dir, "git-ctx")
	if out, err := exec.Command("go", "build", "-o", bin, "./cmd/git-ctx").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	failed := 0
	for i, s := range []scenario{
		{name: "one worktree"},
		{name: "a worktree for each writer", worktrees: true},
		{name: "one worktree, a long-lived reader", longLived: true},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		r, err := run(ctx, s, filepath.Join(dir, fmt.Sprint(i)), bin, writers, writes)
		cancel()
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if !r.print() {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d scenarios failed", failed)
	}
	return nil
}

// run makes the scenario's repository, lets everybody work in it until the
// writers are done, and checks what is left.
func run(ctx context.Context, s scenario, dir, bin string, writers, writes int) (*result, error) {
	g, err := found(ctx, dir, bin)
	if err != nil {
		return nil, err
	}
	r := &result{name: s.name, runs: make(map[string]int)}
	dirs := make([]string, writers)
	for i := range dirs {
		dirs[i] = g.dir
		if s.worktrees {
			dirs[i] = filepath.Join(dir, fmt.Sprintf("tree%d", i))
			if _, err := g.git(ctx, "worktree", "add", "--quiet", "-b", fmt.Sprintf("tree%d", i), dirs[i]); err != nil {
				return nil, err
			}
		}
	}
	start := time.Now()
	stop := surround(ctx, g, r)
	var reader *longReader
	if s.longLived {
		if reader, err = startReader(ctx, g.dir); err != nil {
			return nil, err
		}
	}
	writeAll(ctx, g, r, dirs, writes)
	stop()
	reader.end(r)
	r.took = time.Since(start)
	g.check(ctx, r)
	return r, nil
}
