package ledger

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/git-ctx/git-ctx/records"
)

// StagedFiles lists the files of the code index that differ from HEAD, from the
// worktree's top, sorted; both names of a renamed file. A bare repository has none.
func (l *Ledger) StagedFiles(ctx context.Context) ([]string, error) {
	if l.repo.WorkTree() == "" {
		return nil, nil
	}
	out, err := l.repo.Git(ctx, nil, "diff", "--cached", "--name-only", "-z", "--no-relative", "--no-renames", "--ignore-submodules=dirty", "--")
	if err != nil {
		return nil, fmt.Errorf("find the staged files: %w", err)
	}
	names := slices.DeleteFunc(strings.Split(string(out), "\x00"), func(name string) bool { return name == "" })
	slices.Sort(names)
	return names, nil
}

// Touching returns the records, sorted, whose paths or anchors name one of the
// files, given from the worktree's top.
func (v *View) Touching(files []string) ([]records.ID, error) {
	var ids []records.ID
	add := func(r *records.Record) {
		if r.Tombstone == nil && slices.ContainsFunc(files, func(f string) bool { return names(r, f) }) {
			ids = append(ids, r.ID)
		}
	}
	if v.snap == nil || v.laid {
		for r := range v.All() {
			add(r)
		}
		return ids, v.Err()
	}
	var near []records.ID
	for _, f := range files {
		found, err := v.snap.Touching(f, math.MaxInt)
		if err != nil {
			return nil, err
		}
		near = append(near, found...)
	}
	slices.Sort(near)
	for _, id := range slices.Compact(near) {
		if r, ok := v.Record(id); ok {
			add(r)
		}
	}
	return ids, v.Err()
}

// names reports whether one of r's anchors or globs names a file, or a folder above it.
func names(r *records.Record, file string) bool {
	below := func(dir string) bool {
		dir = strings.TrimSuffix(dir, "/")
		return dir == file || strings.HasPrefix(file, dir+"/")
	}
	return slices.ContainsFunc(r.Anchors, func(a records.Anchor) bool { return below(a.Path) }) ||
		slices.ContainsFunc(r.Paths, func(g string) bool {
			ok, err := doublestar.Match(g, file)
			return below(g) || err == nil && ok
		})
}
