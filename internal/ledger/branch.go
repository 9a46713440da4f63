package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
)

// A checked-out context branch is wt/NAME. git takes only refs/heads for a
// worktree's HEAD: with any other ref 'git fsck' of the repository fails. So while it is
// checked out the branch's ref is symbolic, and what git moves is refs/heads/ctx/wt/NAME.
const (
	WorktreePrefix = "wt/"
	// CheckoutPrefix is the folder of refs that branches stand for while they are checked out.
	CheckoutPrefix = CodePrefix + "ctx/"
)

// A BranchInfo is one context branch.
type BranchInfo struct {
	Name    string
	Commit  gitstore.OID
	Current bool
	Default bool
}

// Branches lists the context branches by name.
func (l *Ledger) Branches(ctx context.Context) ([]BranchInfo, error) {
	refs, err := l.repo.Refs(ctx, l.HeadRefs())
	if err != nil {
		return nil, err
	}
	cur, err := l.Branch(ctx)
	if err != nil {
		return nil, err
	}
	def, err := l.DefaultBranch(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]BranchInfo, len(refs))
	for i, r := range refs {
		name := strings.TrimPrefix(r.Name, l.HeadRefs())
		out[i] = BranchInfo{Name: name, Commit: r.OID, Current: name == cur, Default: name == def}
	}
	return out, nil
}

// CheckBranchName refuses what git would refuse as a ref, and a secret.
func (l *Ledger) CheckBranchName(ctx context.Context, name string) error {
	if err := l.refuseSecretName("branch", name); err != nil {
		return err
	}
	if _, err := l.repo.Git(ctx, nil, "check-ref-format", l.HeadRefs()+name); err != nil || strings.HasPrefix(name, "-") || name == "HEAD" {
		return &BranchError{Branch: name, Why: "it is not a valid branch name"}
	}
	return nil
}

// CreateBranch makes a context branch at a revision, "" being the current branch's tip.
func (l *Ledger) CreateBranch(ctx context.Context, name, rev string) (gitstore.OID, error) {
	if err := l.CheckBranchName(ctx, name); err != nil {
		return "", err
	}
	var at gitstore.OID
	var err error
	if rev == "" {
		var branch string
		if branch, err = l.Branch(ctx); err == nil {
			at, _, err = l.BranchTip(ctx, branch)
		}
	} else {
		at, err = l.Resolve(ctx, rev)
	}
	if err != nil {
		return "", err
	}
	if err := l.RefuseMirror(ctx); err != nil {
		return "", err
	}
	unlock, err := l.repo.Lock(ctx, LockWait)
	if err != nil {
		return "", err
	}
	defer unlock()
	refs, err := l.repo.Refs(ctx, l.HeadRefs())
	if err != nil {
		return "", err
	}
	if err := l.clash(name, refs); err != nil {
		return "", err
	}
	err = l.repo.UpdateRefs(ctx, "ctx: branch from "+string(at), gitstore.RefUpdate{Name: l.HeadRefs() + name, New: at})
	var taken *gitstore.RefChangedError
	if errors.As(err, &taken) {
		return "", &BranchError{Branch: name, Why: "it exists already", Hint: "git ctx switch " + name}
	}
	return at, err
}

// DeleteBranch deletes a context branch whose commits another one holds, or any with force. One
// that is a symbolic ref is deleted itself, and what it stands for stays.
func (l *Ledger) DeleteBranch(ctx context.Context, name string, force bool) error {
	if err := l.mayDelete(ctx, name); err != nil {
		return err
	}
	if err := l.UnlinkBranch(ctx, name); err != nil {
		return err
	}
	unlock, err := l.repo.Lock(ctx, LockWait)
	if err != nil {
		return err
	}
	defer unlock()
	refs, err := l.repo.Refs(ctx, l.HeadRefs())
	if err != nil {
		return err
	}
	i := slices.IndexFunc(refs, func(r gitstore.Ref) bool { return r.Name == l.HeadRefs()+name })
	if i < 0 {
		return &BranchError{Branch: name, Why: "it does not exist", Hint: "git ctx branch"}
	}
	held := force
	if !force {
		if held, err = l.heldElsewhere(ctx, refs[i], refs); err != nil {
			return err
		}
	}
	if !held {
		return &BranchError{Branch: name, Why: "no other branch holds its commits", Hint: "git ctx merge " + name}
	}
	return l.repo.UpdateRefs(ctx, "ctx: branch deleted", gitstore.RefUpdate{Name: refs[i].Name, Old: refs[i].OID})
}

// mayDelete refuses the branches that others depend on.
func (l *Ledger) mayDelete(ctx context.Context, name string) error {
	cur, err := l.Branch(ctx)
	if err != nil {
		return err
	}
	def, err := l.DefaultBranch(ctx)
	if err != nil {
		return err
	}
	other := "git ctx switch " + def
	if cur == def {
		other = "git ctx switch BRANCH"
	}
	for _, used := range []struct{ branch, why, hint string }{
		{cur, "the current one", other},
		{def, "the default branch, whose records veto the others'", ""},
	} {
		if name == used.branch {
			return &BranchError{Branch: name, Why: "it is " + used.why, Hint: used.hint}
		}
		target, err := l.repo.SymbolicTarget(ctx, l.HeadRefs()+used.branch)
		if err != nil {
			return err
		}
		if target == l.HeadRefs()+name {
			return &BranchError{Branch: name, Why: fmt.Sprintf("'%s' stands for it, and is %s", used.branch, used.why), Hint: used.hint}
		}
	}
	if err := l.RefuseMirror(ctx); err != nil {
		return err
	}
	dir, err := l.repo.CheckedOut(ctx, l.HeadRefs()+name)
	if err == nil && dir != "" {
		err = &BranchError{Branch: name, Why: fmt.Sprintf("it is checked out in '%s'", dir), Hint: "git ctx worktree remove " + dir}
	}
	return err
}

// heldElsewhere reports whether the commits of a branch are still some branch's
// when its ref is gone. A symbolic ref has none of its own, and one that stands
// for the branch holds nothing.
func (l *Ledger) heldElsewhere(ctx context.Context, branch gitstore.Ref, refs []gitstore.Ref) (bool, error) {
	if target, err := l.repo.SymbolicTarget(ctx, branch.Name); err != nil || target != "" {
		return err == nil, err
	}
	for _, r := range refs {
		if r.Name == branch.Name {
			continue
		}
		target, err := l.repo.SymbolicTarget(ctx, r.Name)
		if err != nil {
			return false, err
		}
		if target == branch.Name {
			continue
		}
		held, err := l.repo.IsAncestor(ctx, branch.OID, r.OID)
		if held || err != nil {
			return held, err
		}
	}
	return false, nil
}

// Switch makes a branch this worktree's current one.
func (l *Ledger) Switch(ctx context.Context, name string) error {
	if _, err := l.repo.Ref(ctx, l.HeadRefs()+name); errors.Is(err, gitstore.ErrRefNotFound) {
		if _, _, tipErr := l.BranchTip(ctx, name); errors.Is(tipErr, ErrNotInitialised) {
			return tipErr
		}
		return &BranchError{Branch: name, Why: "it does not exist", Hint: "git ctx switch -c " + name}
	} else if err != nil {
		return err
	}
	was, err := l.Branch(ctx)
	if err == nil && was != name {
		err = gitstore.WriteFile(l.previousFile(), []byte(was+"\n"))
	}
	var damaged *HeadError // which to switch mends
	if errors.As(err, &damaged) {
		err = nil
	}
	if err := errors.Join(err, l.writeHead(name)); err != nil {
		return fmt.Errorf("switch to '%s': %w", name, err)
	}
	return nil
}

// SwitchNew makes a branch at a revision, as [Ledger.CreateBranch] does, and the
// current one; when it cannot be that, there is no such branch either.
func (l *Ledger) SwitchNew(ctx context.Context, name, rev string) error {
	at, err := l.CreateBranch(ctx, name, rev)
	if err != nil {
		return err
	}
	if err := l.Switch(ctx, name); err != nil {
		return errors.Join(err, l.repo.UpdateRefs(context.WithoutCancel(ctx), "ctx: not switched to", gitstore.RefUpdate{Name: l.HeadRefs() + name, Old: at}))
	}
	return nil
}

// UnlinkBranch makes a context branch a ref of its own again. It does nothing
// to one that is none's alias, or that some worktree still has checked out.
func (l *Ledger) UnlinkBranch(ctx context.Context, branch string) error {
	out, err := l.repo.Git(ctx, nil, "for-each-ref", "--format=%(symref)", l.HeadRefs()+branch)
	target := strings.TrimSpace(string(out))
	if err != nil || target != CheckoutPrefix+branch {
		return err
	}
	if dir, err := l.repo.CheckedOut(ctx, target); err != nil || dir != "" {
		return err
	}
	at, err := l.repo.Ref(ctx, target)
	if err != nil {
		return err
	}
	if err := l.repo.UpdateRefs(ctx, "ctx: no longer checked out", gitstore.RefUpdate{Name: l.HeadRefs() + branch, Old: at, New: at}); err != nil {
		return fmt.Errorf("give context branch '%s' a ref of its own: %w", branch, err)
	}
	return l.repo.UpdateRefs(ctx, "ctx: no longer checked out", gitstore.RefUpdate{Name: target, Old: at})
}
