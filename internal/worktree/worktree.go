// Package worktree checks context branches out into directories where a person edits
// records as files, and reads what is staged there. It makes and removes worktrees
// through git alone; it removes none that holds changes.
package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-ctx/git-ctx/internal/ledger"

	"github.com/git-ctx/git-ctx/gitstore"
)

// A Worktree is a directory in which a person has a context branch checked out.
type Worktree struct {
	Dir    string       `json:"dir"`
	Branch string       `json:"branch"`
	Commit gitstore.OID `json:"commit"`
}

// AddWorktree makes the context branch wt/NAME, at the current branch's tip when
// there is none yet, and checks it out in a new directory. A name of "" is that
// of the directory.
func Add(ctx context.Context, l *ledger.Ledger, dir, name string) (*Worktree, error) {
	if err := l.RefuseScoped("check out context"); err != nil {
		return nil, err
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(l.Repo().Dir(), dir)
	}
	if name == "" {
		name = filepath.Base(dir)
	}
	if strings.ContainsAny(dir, "\r\n") {
		return nil, fmt.Errorf("directory %q: a worktree's path cannot hold a line end", dir) // git lists worktrees by line
	}
	branch := ledger.WorktreePrefix + strings.TrimPrefix(name, ledger.WorktreePrefix)
	if err := l.CheckBranchName(ctx, branch); err != nil {
		return nil, err
	}
	at, err := l.CreateBranch(ctx, branch, "")
	var taken *ledger.BranchError
	made := err == nil
	if errors.As(err, &taken) {
		at, err = l.Repo().Ref(ctx, l.HeadRefs()+branch) // an earlier worktree's
		if errors.Is(err, gitstore.ErrRefNotFound) {
			return nil, taken
		}
	}
	if err != nil {
		return nil, err
	}
	if err := checkOut(ctx, l, dir, branch, at); err != nil {
		undo := context.WithoutCancel(ctx)
		undone := l.UnlinkBranch(undo, branch)
		if made && undone == nil {
			undone = l.Repo().UpdateRefs(undo, "ctx: worktree not made", gitstore.RefUpdate{Name: l.HeadRefs() + branch, Old: at})
		}
		return nil, errors.Join(err, undone)
	}
	return &Worktree{Dir: dir, Branch: branch, Commit: at}, nil
}

// checkOut checks a branch out in a new directory. When it fails the directory
// is not there, and the branch may have become an alias.
func checkOut(ctx context.Context, l *ledger.Ledger, dir, branch string, at gitstore.OID) error {
	if err := l.Writable(ctx, branch, true); err != nil {
		return err
	}
	if err := linkBranch(ctx, l, branch, at); err != nil {
		return err
	}
	short := strings.TrimPrefix(ledger.CheckoutPrefix, ledger.CodePrefix) + branch
	// The user's hooks are for code.
	if _, err := l.Repo().Git(ctx, nil, "-c", "core.hooksPath=/dev/null", "worktree", "add", "--quiet", "--", dir, short); err != nil {
		return fmt.Errorf("check out context branch '%s' in '%s': %w", branch, dir, err)
	}
	if err := pinBranch(dir, branch); err != nil {
		_, undone := l.Repo().Git(context.WithoutCancel(ctx), nil, "worktree", "remove", "--force", "--", dir) // ours, and a moment old
		return errors.Join(fmt.Errorf("check out context branch '%s' in '%s': %w", branch, dir, err), undone)
	}
	return nil
}

// pinBranch makes the branch that is checked out in dir git ctx's current one there.
func pinBranch(dir, branch string) error {
	// Not asked of git, which a GIT_DIR in the environment would lead elsewhere.
	link, err := os.ReadFile(filepath.Join(dir, ".git"))
	if err != nil {
		return err
	}
	gitDir, ok := strings.CutPrefix(strings.TrimSpace(string(link)), "gitdir: ")
	if !ok {
		return fmt.Errorf("read '%s': it names no git directory", filepath.Join(dir, ".git"))
	}
	if !filepath.IsAbs(gitDir) {
		gitDir = filepath.Join(dir, gitDir)
	}
	return gitstore.WriteFile(filepath.Join(gitDir, "ctx", "HEAD"), []byte("ref: "+ledger.HeadsPrefix+branch+"\n"))
}

// linkBranch makes a context branch an alias of a branch that git checks out.
// The commit stays reachable throughout.
func linkBranch(ctx context.Context, l *ledger.Ledger, branch string, at gitstore.OID) error {
	unlock, err := l.Repo().Lock(ctx, ledger.LockWait)
	if err != nil {
		return err
	}
	defer unlock()
	target := ledger.CheckoutPrefix + branch
	if have, err := l.Repo().Ref(ctx, target); err == nil && have == at {
		// left from before
	} else if err := l.Repo().UpdateRefs(ctx, "ctx: worktree of "+branch, gitstore.RefUpdate{Name: target, New: at}); err != nil {
		return err
	}
	_, err = l.Repo().Git(ctx, nil, "symbolic-ref", "-m", "ctx: checked out as "+target, l.HeadRefs()+branch, target)
	return err
}

// Worktrees lists the worktrees that have a context branch checked out.
func List(ctx context.Context, l *ledger.Ledger) ([]Worktree, error) {
	out, err := l.Repo().Git(ctx, nil, "worktree", "list", "--porcelain")
	if err != nil {
		return nil, err
	}
	var trees []Worktree
	for part := range strings.SplitSeq(string(out), "\n\n") {
		w, ok := Worktree{}, false
		for line := range strings.Lines(part) {
			key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			switch key {
			case "worktree":
				w.Dir = value
			case "HEAD":
				w.Commit = gitstore.OID(value)
			case "branch":
				for _, prefix := range []string{ledger.CheckoutPrefix, l.HeadRefs()} {
					if name, is := strings.CutPrefix(value, prefix); is {
						w.Branch, ok = name, true
					}
				}
			}
		}
		if ok {
			trees = append(trees, w)
		}
	}
	return trees, nil
}

// RemoveWorktree removes a worktree of [Add], which git refuses
// while it holds changes that are not committed. The context branch stays when
// no other holds its commits, and is deleted when one does.
func Remove(ctx context.Context, l *ledger.Ledger, dir string) (w Worktree, kept bool, err error) {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(l.Repo().Dir(), dir)
	}
	trees, err := List(ctx, l)
	if err != nil {
		return w, false, err
	}
	found := false
	for _, t := range trees {
		if sameDir(t.Dir, dir) {
			w, found = t, true
		}
	}
	if !found {
		return w, false, fmt.Errorf("'%s' has no context branch checked out", dir)
	}
	if within(l.Repo().Dir(), w.Dir) {
		return w, true, &ledger.BranchError{Branch: w.Branch, Why: fmt.Sprintf("this command runs inside '%s', and cannot remove it from there", w.Dir),
			Hint: fmt.Sprintf("git -C %s ctx worktree remove %s", home(l), w.Dir)}
	}
	if _, err := l.Repo().Git(ctx, nil, "worktree", "remove", "--", w.Dir); err != nil {
		return w, true, fmt.Errorf("remove '%s': %w", w.Dir, err)
	}
	if err := l.UnlinkBranch(ctx, w.Branch); err != nil {
		return w, true, err
	}
	err = l.DeleteBranch(ctx, w.Branch, false)
	var unmerged *ledger.BranchError
	if errors.As(err, &unmerged) {
		return w, true, nil
	}
	return w, false, err
}

// home is a directory of this repository that no worktree's removal takes away.
func home(l *ledger.Ledger) string {
	common := l.Repo().CommonDir()
	if filepath.Base(common) == ".git" {
		return filepath.Dir(common)
	}
	return common
}

// within reports whether a is b or below it.
func within(a, b string) bool {
	for {
		if sameDir(a, b) {
			return true
		}
		up := filepath.Dir(a)
		if up == a {
			return false
		}
		a = up
	}
}

func sameDir(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return filepath.Clean(a) == filepath.Clean(b)
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
