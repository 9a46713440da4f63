package ledger

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
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
	refs, err := l.repo.Refs(ctx, headsPrefix)
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
		name := strings.TrimPrefix(r.Name, headsPrefix)
		out[i] = BranchInfo{Name: name, Commit: r.OID, Current: name == cur, Default: name == def}
	}
	return out, nil
}

// checkBranchName refuses what git would refuse as a ref.
func (l *Ledger) checkBranchName(ctx context.Context, name string) error {
	if _, err := l.repo.Git(ctx, nil, "check-ref-format", headsPrefix+name); err != nil || strings.HasPrefix(name, "-") || name == "HEAD" {
		return &BranchError{Branch: name, Why: "it is not a valid branch name"}
	}
	return nil
}

// CreateBranch makes a context branch at a revision, "" being the current branch's tip.
func (l *Ledger) CreateBranch(ctx context.Context, name, rev string) (gitstore.OID, error) {
	if err := l.checkBranchName(ctx, name); err != nil {
		return "", err
	}
	var at gitstore.OID
	var err error
	if rev == "" {
		var branch string
		if branch, err = l.Branch(ctx); err == nil {
			at, _, err = l.tip(ctx, branch)
		}
	} else {
		at, err = l.Resolve(ctx, rev)
	}
	if err != nil {
		return "", err
	}
	if err := l.refuseMirror(ctx); err != nil {
		return "", err
	}
	unlock, err := l.repo.Lock(ctx, lockWait)
	if err != nil {
		return "", err
	}
	defer unlock()
	refs, err := l.repo.Refs(ctx, headsPrefix)
	if err != nil {
		return "", err
	}
	if err := clash(name, refs); err != nil {
		return "", err
	}
	err = l.repo.UpdateRefs(ctx, "ctx: branch from "+string(at), gitstore.RefUpdate{Name: headsPrefix + name, New: at})
	var taken *gitstore.RefChangedError
	if errors.As(err, &taken) {
		return "", &BranchError{Branch: name, Why: "it exists already", Hint: "git ctx switch " + name}
	}
	return at, err
}

// DeleteBranch deletes a context branch whose commits another one holds.
func (l *Ledger) DeleteBranch(ctx context.Context, name string) error {
	cur, err := l.Branch(ctx)
	if err != nil {
		return err
	}
	def, err := l.DefaultBranch(ctx)
	if err != nil {
		return err
	}
	switch name {
	case cur:
		return &BranchError{Branch: name, Why: "it is the current one", Hint: "git ctx switch " + def}
	case def:
		return &BranchError{Branch: name, Why: "it is the default branch, whose records veto the others'"}
	}
	if err := l.refuseMirror(ctx); err != nil {
		return err
	}
	if dir, err := l.repo.CheckedOut(ctx, headsPrefix+name); err != nil {
		return err
	} else if dir != "" {
		return &BranchError{Branch: name, Why: fmt.Sprintf("it is checked out in '%s'", dir), Hint: "git ctx worktree remove " + dir}
	}
	if err := l.unlinkBranch(ctx, name); err != nil {
		return err
	}
	unlock, err := l.repo.Lock(ctx, lockWait)
	if err != nil {
		return err
	}
	defer unlock()
	refs, err := l.repo.Refs(ctx, headsPrefix)
	if err != nil {
		return err
	}
	var tip gitstore.OID
	for _, r := range refs {
		if r.Name == headsPrefix+name {
			tip = r.OID
		}
	}
	if tip == "" {
		return &BranchError{Branch: name, Why: "it does not exist", Hint: "git ctx branch"}
	}
	for _, r := range refs {
		if r.OID == tip && r.Name == headsPrefix+name {
			continue
		}
		held, err := l.repo.IsAncestor(ctx, tip, r.OID)
		if err != nil {
			return err
		}
		if held {
			return l.repo.UpdateRefs(ctx, "ctx: branch deleted", gitstore.RefUpdate{Name: headsPrefix + name, Old: tip})
		}
	}
	return &BranchError{Branch: name, Why: "no other branch holds its commits", Hint: "git ctx merge " + name}
}

// Switch makes a branch this worktree's current one.
func (l *Ledger) Switch(ctx context.Context, name string) error {
	if _, err := l.repo.Ref(ctx, headsPrefix+name); errors.Is(err, gitstore.ErrRefNotFound) {
		if _, _, tipErr := l.tip(ctx, name); errors.Is(tipErr, ErrNotInitialised) {
			return tipErr
		}
		return &BranchError{Branch: name, Why: "it does not exist", Hint: "git ctx switch -c " + name}
	} else if err != nil {
		return err
	}
	if err := writeFile(l.headFile(), []byte("ref: "+headsPrefix+name+"\n")); err != nil {
		return fmt.Errorf("switch to '%s': %w", name, err)
	}
	return nil
}
