package codelink

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
)

// OpenWorktree opens the top of the worktree, so that no name below it leads
// out. Without a worktree the error is [ErrNoWorktree].
func OpenWorktree(repo *gitstore.Repo) (*os.Root, error) {
	top := repo.WorkTree()
	if top == "" {
		return nil, ErrNoWorktree
	}
	return os.OpenRoot(top)
}

// WorktreeFiles lists the worktree's files that match the pathspecs, from its
// top and sorted: those that git tracks and those that it would, so neither
// what is ignored nor what another repository within it holds.
func WorktreeFiles(ctx context.Context, repo *gitstore.Repo, pathspecs ...string) ([]string, error) {
	if repo.WorkTree() == "" {
		return nil, ErrNoWorktree
	}
	args := append([]string{"ls-files", "-z", "--cached", "--others", "--exclude-standard", "--full-name", "--"}, pathspecs...)
	out, err := repo.Git(ctx, nil, args...)
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

// StagedFiles lists the files of the code index that differ from HEAD, from the
// worktree's top, sorted; both names of a renamed file. A bare repository has none.
func StagedFiles(ctx context.Context, repo *gitstore.Repo) ([]string, error) {
	if repo.WorkTree() == "" {
		return nil, nil
	}
	out, err := repo.Git(ctx, nil, "diff", "--cached", "--name-only", "-z", "--no-relative", "--no-renames", "--ignore-submodules=dirty", "--")
	if err != nil {
		return nil, fmt.Errorf("find the staged files: %w", err)
	}
	names := slices.DeleteFunc(strings.Split(string(out), "\x00"), func(name string) bool { return name == "" })
	slices.Sort(names)
	return names, nil
}
