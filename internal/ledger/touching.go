package ledger

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

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

// Touching returns records, sorted, whose paths or anchors may concern one of the
// files, given from the worktree's top: all that do are among them.
func (v *View) Touching(files []string) ([]records.ID, error) {
	var ids []records.ID
	if v.snap == nil || v.laid {
		for r := range v.All() {
			if len(r.Paths)+len(r.Anchors) > 0 {
				ids = append(ids, r.ID)
			}
		}
		return ids, v.Err()
	}
	for _, f := range files {
		found, err := v.snap.Touching(f, math.MaxInt)
		if err != nil {
			return nil, err
		}
		ids = append(ids, found...)
	}
	slices.Sort(ids)
	return slices.Compact(ids), v.Err()
}
