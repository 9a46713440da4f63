package codelink

import (
	"context"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
)

// renamesAsked bounds how many commits are compared with the worktree for
// renames, a process each.
const renamesAsked = 16

// byHistory takes for checks that have no place the file that git takes for renamed
// since the anchor's commit. A commit that HEAD does not have tells nothing, though it
// be here: other clones may never have had it.
func (s *codeSearch) byHistory(ctx context.Context, cs []*Check) error {
	var head gitstore.OID
	renames := make(map[string]map[string]string) // by commit
	for _, c := range cs {
		commit := c.Anchor.Commit
		if _, ok := s.found[c]; ok || commit == "" {
			continue
		}
		to, known := renames[commit]
		if !known && len(renames) < renamesAsked {
			if head == "" {
				var err error
				if _, head, err = s.repo.Head(ctx); err != nil {
					return err
				}
			}
			if in, err := s.repo.IsAncestor(ctx, gitstore.OID(commit), head); in && err == nil {
				to = renamedSince(ctx, s.repo, commit)
			}
			renames[commit] = to
		}
		if name := to[c.Anchor.Path]; name != "" {
			s.found[c] = place{name: name}
		}
	}
	return ctx.Err()
}

// renamedSince returns the new names of files that git takes for renamed
// between a code commit and the worktree. A commit that is not here tells nothing.
func renamedSince(ctx context.Context, repo *gitstore.Repo, commit string) map[string]string {
	out, err := repo.Git(ctx, nil, "diff", "-M", "--diff-filter=R", "--name-status", "-z", "--no-relative", "--no-ext-diff", "--no-textconv",
		"--ignore-submodules", commit, "--")
	if err != nil {
		return nil
	}
	to := make(map[string]string)
	for fields := strings.Split(string(out), "\x00"); len(fields) >= 3; fields = fields[3:] { // R100, from, to
		to[fields[1]] = fields[2]
	}
	return to
}
