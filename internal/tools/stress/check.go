package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// check compares what is reachable with what was acknowledged, both ways, before
// and after a collection that prunes all it can.
func (g *ground) check(ctx context.Context, r *result) {
	must := func(args ...string) string {
		out, err := g.git(ctx, args...)
		if err != nil {
			r.fail("after: %v", err)
		}
		return out
	}
	for _, prune := range []bool{false, true} {
		if prune {
			must("gc", "--quiet", "--prune=now")
		}
		g.compare(r, must("ls-tree", "-r", "--name-only", branchRef), must("rev-list", g.base+".."+branchRef))
		must("fsck", "--strict", "--no-dangling")
	}
	for _, ref := range []string{neighbourRef, codeRef} {
		if now, left := must("rev-parse", ref), r.neighbour(ref, ""); now != left {
			r.fail("after: %s is at %s, its owner left it at %s", ref, now, left)
		}
	}
	if _, err := g.ctx(ctx, g.dir, "fsck", "--strict"); err != nil {
		r.fail("after: %v", err)
	}
	if out := must("status", "--porcelain"); out != "" {
		r.fail("after: git status is not clean: %s", out)
	}
	g.litter(r)
}

func (g *ground) compare(r *result, files, commits string) {
	reached := make(map[string]bool)
	for line := range strings.Lines(commits) {
		reached[strings.TrimSpace(line)] = true
	}
	acked := make(map[string]bool)
	r.reachable = 0
	for _, a := range r.acked {
		acked[a.Commit] = true
		switch {
		case !reached[a.Commit]:
			r.fail("lost: commit %s of %s", a.Commit, a.ID)
		case !strings.Contains(files, "/"+a.ID+".ctx.yaml"):
			r.fail("lost: record %s of commit %s", a.ID, a.Commit)
		default:
			r.reachable++
		}
	}
	for oid := range reached {
		if !acked[oid] {
			r.fail("commit %s is reachable, and nobody acknowledged it", oid)
		}
	}
}

// litter looks for what a process left behind.
func (g *ground) litter(r *result) {
	kept := 0
	err := filepath.WalkDir(filepath.Join(g.dir, ".git"), func(path string, d fs.DirEntry, err error) error {
		name := filepath.Base(path)
		// A git that failed leaves files of its own among the packs.
		packs := filepath.Base(filepath.Dir(path)) == "pack"
		if err == nil && !d.IsDir() && (strings.HasSuffix(name, ".lock") || strings.HasSuffix(name, "-tmp") ||
			!packs && (strings.HasPrefix(name, "tmp_") || strings.HasPrefix(name, ".tmp-"))) {
			r.fail("left behind: %s", path)
		}
		if base, ok := strings.CutSuffix(path, ".keep"); ok {
			kept++
			if _, err := os.Stat(base + ".idx"); err != nil {
				r.fail("left behind: %s", path)
			}
		}
		return err
	})
	if err != nil {
		r.fail("after: %v", err)
	}
	if kept == 0 || kept > 128 { // 32, or four times as many where a gc ran to the end
		r.fail("after: %d kept packs", kept)
	}
}
