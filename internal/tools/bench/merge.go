package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// mergeChanges is how many records each side of the merge changes, of a store
// that is large enough.
const mergeChanges = 1000

// mergeRuns is how often the merges are run at most: they are long.
const mergeRuns = 7

// benchMerge times 'git ctx merge' of two branches beside 'git merge' of the
// same trees, in a worktree of a clone that knows no driver. Each side changes
// records of its own: as text, git can merge only such.
func (s *shop) benchMerge(records, runs int) error {
	changes := min(mergeChanges, records/10)
	if err := s.forkStore(changes); err != nil {
		return fmt.Errorf("merge: make two sides: %w", err)
	}
	plain, err := s.plainClone()
	if err != nil {
		return fmt.Errorf("merge: clone: %w", err)
	}
	ours := "refs/ctx/heads/main"
	tip, err := s.output("rev-parse", ours)
	if err != nil {
		return err
	}
	// Each merge starts from where the last one did, and with a warm index.
	back := func() error {
		if err := s.git("update-ref", ours, tip); err != nil {
			return err
		}
		return s.ctx("list", "--porcelain")
	}
	var times, plainTimes []time.Duration
	for range min(runs, mergeRuns) + 1 {
		if err := errors.Join(back(), plain.git("reset", "-q", "--hard", "ours")); err != nil {
			return fmt.Errorf("merge: start again: %w", err)
		}
		took, err := clock(func() error { return s.ctx("merge", "side") })
		if err != nil {
			return err
		}
		base, err := clock(func() error { return plain.git("merge", "-q", "--no-edit", "theirs") })
		if err != nil {
			return err
		}
		times, plainTimes = append(times, took), append(plainTimes, base)
	}
	if err := s.sameTree(plain); err != nil {
		return err
	}
	took, base := median(times[1:]), median(plainTimes[1:]) // the first run warms up
	fmt.Printf("| merge, %d changed each side | %s | git merge %s | %.2f | ≤ 0.5 |\n", changes, round(took), round(base), float64(took)/float64(base))
	return nil
}

// sameTree checks that both merges made the same: else the times compare nothing.
func (s *shop) sameTree(plain *shop) error {
	a, err := s.output("rev-parse", "refs/ctx/heads/main:records")
	if err != nil {
		return err
	}
	b, err := plain.output("rev-parse", "HEAD:records")
	if err == nil && a != b {
		err = fmt.Errorf("merge: git ctx made the tree %s and git %s", a, b)
	}
	return err
}

// forkStore changes n records on main and n others on a branch side.
func (s *shop) forkStore(n int) error {
	ids, err := s.outputOf(s.bin, "list", "--all", "--porcelain")
	if err != nil {
		return err
	}
	var records []string
	for line := range strings.Lines(ids) {
		id, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
		records = append(records, id)
	}
	slices.Sort(records)
	if len(records) < 2*n {
		return fmt.Errorf("the list holds %d records, too few to change %d on each side", len(records), n)
	}
	if err := s.ctx("switch", "-c", "side"); err != nil {
		return err
	}
	if err := s.tag(records[:n], "theirs"); err != nil {
		return err
	}
	if err := s.ctx("switch", "main"); err != nil {
		return err
	}
	return s.tag(records[len(records)-n:], "ours")
}

// tag gives records a tag, in one commit.
func (s *shop) tag(ids []string, tag string) error {
	var ops []map[string]any
	for _, id := range ids {
		ops = append(ops, map[string]any{"verb": "edit", "id": id, "tags": []string{tag}})
	}
	batch, err := json.Marshal(ops)
	if err != nil {
		return err
	}
	return s.exec(batch, s.bin, "apply", "-")
}

// plainClone makes a repository that shares the store's objects and has both
// sides as code branches, one of them checked out as text to be merged.
func (s *shop) plainClone() (*shop, error) {
	p := &shop{dir: filepath.Join(filepath.Dir(s.dir), "plain"), bin: s.bin}
	for _, args := range [][]string{
		{"clone", "-q", "--shared", "--no-checkout", s.dir, p.dir},
		{"-C", p.dir, "fetch", "-q", "origin", "refs/ctx/heads/main:refs/heads/ours", "refs/ctx/heads/side:refs/heads/theirs"},
		{"-C", p.dir, "config", "user.name", "Ada Example"},
		{"-C", p.dir, "config", "user.email", "ada@example.com"},
		{"-C", p.dir, "config", "gc.auto", "0"},
	} {
		if err := s.git(args...); err != nil {
			return nil, err
		}
	}
	// Without a driver of ours, and without the tracked merge=binary.
	attributes := filepath.Join(p.dir, ".git", "info", "attributes")
	if err := os.WriteFile(attributes, []byte("* !merge\n"), 0o644); err != nil {
		return nil, err
	}
	return p, p.git("checkout", "-q", "-B", "work", "ours")
}

func (s *shop) output(args ...string) (string, error) { return s.outputOf("git", args...) }

// outputOf is exec for a command whose answer is wanted.
func (s *shop) outputOf(name string, args ...string) (string, error) {
	var out bytes.Buffer
	err := s.run(nil, &out, name, args...)
	return strings.TrimSpace(out.String()), err
}
