package ledger

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
)

// OpenWorktree opens the top of the worktree, so that no name below it leads
// out. Without a worktree the error is [ErrNoWorktree].
func (l *Ledger) OpenWorktree() (*os.Root, error) {
	top := l.repo.WorkTree()
	if top == "" {
		return nil, ErrNoWorktree
	}
	return os.OpenRoot(top)
}

// WorktreeFiles lists the worktree's files that match the pathspecs, from its
// top and sorted: those that git tracks and those that it would, so neither
// what is ignored nor what another repository within it holds.
func (l *Ledger) WorktreeFiles(ctx context.Context, pathspecs ...string) ([]string, error) {
	if l.repo.WorkTree() == "" {
		return nil, ErrNoWorktree
	}
	args := append([]string{"ls-files", "-z", "--cached", "--others", "--exclude-standard", "--full-name", "--"}, pathspecs...)
	out, err := l.repo.Git(ctx, nil, args...)
	if err != nil {
		return nil, fmt.Errorf("list the files of the worktree: %w", err)
	}
	var names []string
	for name := range bytes.SplitSeq(out, []byte{0}) {
		if len(name) > 0 {
			names = append(names, string(name))
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil // one in conflict is listed once a side
}
