// Command stress writes through git-ctx and through MCP servers from many
// processes at once, beside the things git does to a repository at the same
// time: gc, repack, prune, pack-refs, updates of neighbour refs, and readers of ours. It proves
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
	"strings"
	"time"
)

func main() {
	short := flag.Bool("short", false, "a fifth of the writes")
	writers := flag.Int("writers", 8, "processes that write at once")
	writes := flag.Int("writes", 100, "tasks that each adds, every fourth of which it starts")
	limit := flag.Duration("limit", 10*time.Minute, "the longest a scenario may take")
	only := flag.String("only", "", "only the scenarios whose name holds this")
	read := flag.String("read", "", "be the long-lived reader of the repository at `DIR` until standard input ends")
	flag.Parse()
	if *read != "" {
		exit(readLong(*read))
	}
	if *short {
		*writes /= 5
	}
	exit(stress(*only, *writers, *writes, *limit))
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
	// Loops of git's work on objects, each beside the others.
	tidying [][][]string
}

// The loops that spare nothing, which no write may notice.
var (
	gcNow     = [][]string{{"gc", "--quiet", "--prune=now"}}
	repackAll = [][]string{{"repack", "-adq"}}
	pruneNow  = [][]string{{"prune", "--expire=now"}}
)

// gcAndRepack are by turns: a gc beside a repack -ad fails now and then with
// git's own writers alone ("unable to get object info").
func gcAndRepack() [][][]string { return [][][]string{{{"gc", "--quiet"}, {"repack", "-adq"}}} }

func scenarios() []scenario {
	return []scenario{
		{name: "one worktree", tidying: gcAndRepack()},
		{name: "a worktree for each writer", worktrees: true, tidying: gcAndRepack()},
		{name: "one worktree, a long-lived reader", longLived: true, tidying: gcAndRepack()},
		{name: "gc --prune=now", tidying: [][][]string{gcNow}},
		{name: "repack -ad", tidying: [][][]string{repackAll}},
		{name: "prune --expire=now", tidying: [][][]string{pruneNow}},
		{name: "gc --prune=now, repack -ad and prune --expire=now at once", tidying: [][][]string{gcNow, repackAll, pruneNow}},
	}
}

func stress(only string, writers, writes int, limit time.Duration) error {
	dir, err := os.MkdirTemp("", "git-ctx-stress-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if out, err := exec.Command("go", "build", "-o", dir, "./cmd/git-ctx", "./cmd/git-ctx-mcp").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	bin := filepath.Join(dir, "git-ctx")
	failed := 0
	for i, s := range scenarios() {
		if !strings.Contains(s.name, only) {
			continue
		}
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
	stop := surround(ctx, g, r, s.tidying)
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
