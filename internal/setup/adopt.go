package setup

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/git-ctx/git-ctx/internal/ledger"

	"github.com/git-ctx/git-ctx/gitstore"
)

// adopt makes local branches of those that are tracked of the elected remote,
// where this clone has none of its own yet. It asks nothing over the network.
// The caller holds the writers' lock.
func adopt(ctx context.Context, l *ledger.Ledger) (from string, branches []string, err error) {
	have, err := l.Repo().Refs(ctx, l.HeadRefs())
	if err != nil || len(have) > 0 {
		return "", nil, err
	}
	r, err := l.FindRemote(ctx, "")
	var none *ledger.RemoteError
	if errors.As(err, &none) {
		return "", nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	tips := make(map[string]gitstore.OID)
	for _, p := range r.Heads { // the one pushed to is the one that is current
		more, err := l.RefsBelow(ctx, p.Here)
		if err != nil {
			return "", nil, err
		}
		maps.Copy(tips, more)
	}
	var updates []gitstore.RefUpdate
	for _, name := range slices.Sorted(maps.Keys(tips)) {
		if _, err := l.Commitish(ctx, r.Name+"/"+name, string(tips[name])); err != nil {
			return "", nil, err
		}
		branches = append(branches, name)
		updates = append(updates, gitstore.RefUpdate{Name: l.HeadRefs() + name, New: tips[name]})
	}
	return r.Name, branches, l.Repo().UpdateRefs(ctx, "ctx: adopted from "+r.Name, updates...)
}

// RemoteHint says in one line what this clone knows, without asking, that the
// elected remote and it do not share, and the command that helps; "" when
// there is nothing to say.
func RemoteHint(ctx context.Context, l *ledger.Ledger) (string, error) {
	r, err := l.FindRemote(ctx, "")
	var none *ledger.RemoteError
	if errors.As(err, &none) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	heads, err := l.RefsBelow(ctx, l.HeadRefs())
	if err != nil {
		return "", err
	}
	p := r.Heads[len(r.Heads)-1]
	tips, err := l.RefsBelow(ctx, p.Here)
	if err != nil {
		return "", err
	}
	switch {
	case len(heads) == 0 && len(tips) == 0:
		return fmt.Sprintf("remote '%s' may have context: git ctx sync", r.Name), nil
	case len(heads) == 0:
		return fmt.Sprintf("remote '%s' has context that is not here: git ctx init takes it over", r.Name), nil
	}
	branch, err := l.Branch(ctx)
	if err != nil {
		return "", err
	}
	ours, theirs := heads[branch], tips[branch]
	if ours == "" || theirs == "" || ours == theirs {
		return "", nil
	}
	behind, err := l.CountLacking(ctx, ours, theirs)
	if err != nil {
		return "", err
	}
	ahead, err := l.CountLacking(ctx, theirs, ours)
	if err != nil {
		return "", err
	}
	with := ledger.ShortRef(p.Here + branch)
	switch {
	case behind > 0 && ahead > 0:
		return fmt.Sprintf("%s and %s have both moved on, by %d and %d commits: git ctx sync", branch, with, ahead, behind), nil
	case behind > 0:
		return fmt.Sprintf("%s is behind %s by %d commits: git ctx pull", branch, with, behind), nil
	}
	return fmt.Sprintf("%s is ahead of %s by %d commits: git ctx push", branch, with, ahead), nil
}
