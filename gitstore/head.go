package gitstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Head returns what this worktree has checked out. branch is the short name of
// a code branch, the full ref name of anything else, "" when HEAD is detached;
// oid is "" when the branch has no commit yet.
func (r *Repo) Head(ctx context.Context) (branch string, oid OID, err error) {
	target := ""
	if r.refFormat == refFormatFiles {
		_, target, err = r.looseRef("HEAD")
	} else {
		var out []byte
		out, err = r.Git(ctx, nil, "symbolic-ref", "--quiet", "HEAD")
		target = strings.TrimSpace(string(out))
		if exitCode(err) == 1 {
			err = nil // detached
		}
	}
	if err != nil {
		return "", "", fmt.Errorf("read HEAD: %w", err)
	}
	oid, err = r.Ref(ctx, "HEAD")
	if errors.Is(err, ErrRefNotFound) {
		oid, err = "", nil
	}
	return strings.TrimPrefix(target, "refs/heads/"), oid, err
}

// CheckedOut returns the path of a worktree that has the ref checked out, or
// is in the middle of rebasing it; "" when none has. A worktree whose
// directory is gone counts until git prunes it, as it does for git. A symbolic
// ref is checked out where the ref that it stands for is.
func (r *Repo) CheckedOut(ctx context.Context, ref string) (worktree string, err error) {
	worktree, err = r.checkedOut(ctx, ref)
	if worktree != "" || err != nil {
		return worktree, err
	}
	target, err := r.SymbolicTarget(ctx, ref)
	if target == "" || err != nil {
		return "", err
	}
	return r.checkedOut(ctx, target)
}

// SymbolicTarget returns what a symbolic ref names; "" for any other ref.
func (r *Repo) SymbolicTarget(ctx context.Context, ref string) (string, error) {
	if r.refFormat == refFormatFiles {
		_, target, err := r.looseRef(ref)
		if errors.Is(err, ErrRefNotFound) {
			err = nil // packed, and so not symbolic
		}
		return target, err
	}
	out, err := r.Git(ctx, nil, "symbolic-ref", "--quiet", ref)
	if exitCode(err) == 1 {
		return "", nil
	}
	return strings.TrimSpace(string(out)), err
}

func (r *Repo) checkedOut(ctx context.Context, ref string) (worktree string, err error) {
	if r.refFormat != refFormatFiles {
		return r.checkedOutByGit(ctx, ref)
	}
	if usesRef(r.commonDir, ref) {
		// A bare repository's HEAD is a default, not a checkout.
		bare, _, err := r.Config(ctx, "core.bare")
		if err != nil {
			return "", err
		}
		if bare != "true" {
			return r.mainWorktree(ctx)
		}
	}
	dirs, err := os.ReadDir(filepath.Join(r.commonDir, "worktrees"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("list worktrees: %w", err)
	}
	for _, d := range dirs {
		dir := filepath.Join(r.commonDir, "worktrees", d.Name())
		if !usesRef(dir, ref) {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, "gitdir"))
		if errors.Is(err, fs.ErrNotExist) {
			continue // pruned meanwhile
		}
		if err != nil {
			return "", fmt.Errorf("read worktree '%s': %w", d.Name(), err)
		}
		link := strings.TrimSpace(string(b))
		if !filepath.IsAbs(link) {
			link = filepath.Join(dir, link)
		}
		return filepath.Dir(link), nil
	}
	return "", nil
}

// usesRef looks at the files of one worktree's git directory. Rebases detach
// HEAD and note the branch they will move at their end.
func usesRef(gitDir, ref string) bool {
	for _, f := range []string{"HEAD", "rebase-merge/head-name", "rebase-apply/head-name"} {
		b, err := os.ReadFile(filepath.Join(gitDir, f))
		if err == nil && strings.TrimSpace(strings.TrimPrefix(string(b), "ref:")) == ref {
			return true
		}
	}
	return false
}

func (r *Repo) mainWorktree(ctx context.Context) (string, error) {
	if r.gitDir == r.commonDir && r.workTree != "" {
		return r.workTree, nil
	}
	trees, err := r.worktrees(ctx)
	if err != nil || len(trees) == 0 {
		return r.commonDir, err
	}
	return trees[0].path, nil // git lists the main one first
}

func (r *Repo) checkedOutByGit(ctx context.Context, ref string) (string, error) {
	trees, err := r.worktrees(ctx)
	for _, t := range trees {
		if t.branch == ref {
			return t.path, nil
		}
	}
	return "", err
}

type worktreeEntry struct{ path, branch string }

func (r *Repo) worktrees(ctx context.Context) ([]worktreeEntry, error) {
	out, err := r.Git(ctx, nil, "worktree", "list", "--porcelain")
	if err != nil {
		return nil, fmt.Errorf("list worktrees: %w", err)
	}
	var trees []worktreeEntry
	for line := range strings.Lines(string(out)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch {
		case name == "worktree":
			trees = append(trees, worktreeEntry{path: value})
		case name == "branch" && len(trees) > 0:
			trees[len(trees)-1].branch = value
		}
	}
	return trees, nil
}
