package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/regfile"
)

// A HeadError says that the file which names this worktree's current context
// branch does not. To switch to a branch mends it.
type HeadError struct {
	File string
	Err  error
}

func (e *HeadError) Error() string {
	return fmt.Sprintf("the current context branch is unknown: '%s' %v", e.File, e.Err)
}

// Unwrap returns what is wrong with the file.
func (e *HeadError) Unwrap() error { return e.Err }

func (l *Ledger) headFile() string { return filepath.Join(l.scopeDir(l.repo.GitDir()), "HEAD") }

// previousFile names the branch that was current before the last switch.
func (l *Ledger) previousFile() string { return l.headFile() + ".previous" }

// PreviousBranch returns the branch that was this worktree's current one before the last switch.
// Errors: *BranchError.
func (l *Ledger) PreviousBranch() (string, error) {
	data, err := regfile.Read(l.previousFile())
	name := strings.TrimSpace(string(data))
	if errors.Is(err, fs.ErrNotExist) || err == nil && name == "" {
		return "", &BranchError{Branch: "-", Why: "there was no other branch before this one", Hint: "git ctx branch"}
	}
	return name, err
}

// ChosenBranch returns the branch that git ctx switch chose in this worktree, "" when it
// has chosen none. Errors: *HeadError.
func (l *Ledger) ChosenBranch() (string, error) {
	file := l.headFile()
	data, err := regfile.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	var odd *regfile.NotRegularError
	if errors.As(err, &odd) {
		return "", &HeadError{file, errors.New(odd.What())}
	}
	if err != nil {
		return "", &HeadError{file, fmt.Errorf("cannot be read: %w", err)}
	}
	ref, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "ref: ")
	name, ours := strings.CutPrefix(ref, l.HeadRefs())
	switch {
	case len(data) == 0:
		return "", &HeadError{file, errors.New("is empty")}
	case !ok || !ours || !gitstore.ValidRefName(ref):
		return "", &HeadError{file, errors.New("names no context branch")}
	}
	return name, nil
}

// writeHead makes a branch this worktree's current one, whatever the file held.
func (l *Ledger) writeHead(branch string) error {
	file := l.headFile()
	if info, err := os.Lstat(file); err == nil && info.IsDir() {
		if err := os.Remove(file); err != nil { // not empty: somebody's files, which we keep
			if err := os.Rename(file, file+".damaged"); err != nil {
				return err
			}
		}
	}
	return gitstore.WriteFile(file, []byte("ref: "+l.HeadRefs()+branch+"\n"))
}

// FollowCode lets this worktree's context branch follow its code branch again,
// where ctx.follow asks for that and 'git ctx switch' had chosen another one,
// which it returns; "" where nothing changed.
func (l *Ledger) FollowCode(ctx context.Context) (left string, err error) {
	chosen, err := l.ChosenBranch()
	if err != nil || chosen == "" || strings.HasPrefix(chosen, WorktreePrefix) {
		return "", err
	}
	if follow, err := l.Following(ctx); err != nil || !follow {
		return "", err
	}
	code, _, err := l.repo.Head(ctx)
	if err != nil || code == "" || code == chosen {
		return "", err // a detached HEAD is a rebase's, or a look around
	}
	return chosen, os.Remove(l.headFile())
}

// missingDefault explains why there is no default branch: no context at all, or
// other branches only.
func (l *Ledger) missingDefault(ctx context.Context, def string) error {
	refs, err := l.repo.Refs(ctx, l.HeadRefs())
	switch {
	case err != nil:
		return err
	case len(refs) == 0:
		return ErrNotInitialised
	}
	other := strings.TrimPrefix(refs[0].Name, l.HeadRefs())
	_, named, err := l.repo.Config(ctx, "ctx.defaultBranch")
	if err != nil {
		return err
	}
	why := "it is the default branch, and does not exist"
	if named {
		why = "ctx.defaultBranch in the git configuration names it as the default branch, and it does not exist"
	}
	return &BranchError{Branch: def, Why: why, Hint: "git config ctx.defaultBranch " + other}
}

// Following reports whether context branches follow code branches here.
func (l *Ledger) Following(ctx context.Context) (bool, error) {
	if l.opts.Scope != "" {
		return false, nil // a scope is apart from code branches
	}
	follow, _, err := l.repo.Config(ctx, "ctx.follow")
	return follow == "true", err
}
