package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/provenance"
)

// keepUp merges what the project has new into the scope's current branch, so
// that whoever is bound to the scope sees both. The caller does not hold the
// writers' lock.
func (l *Ledger) SyncFromProject(ctx context.Context) error { return l.keepUpWithin(ctx, LockWait) }

func (l *Ledger) keepUpWithin(ctx context.Context, wait time.Duration) error {
	if l.opts.Scope == "" {
		return nil
	}
	branch, err := l.Branch(ctx)
	if err != nil {
		return err
	}
	behind, err := l.projectAhead(ctx, branch)
	if err != nil || behind == "" {
		return err
	}
	unlock, err := l.repo.Lock(ctx, wait)
	if err != nil {
		return err
	}
	defer unlock()
	for range UpdateTries {
		_, err = l.mergeOnce(ctx, branch, behind, MergeOptions{Subject: commitmsg.JoinSubject, join: true})
		var lost *gitstore.RefChangedError
		if !errors.As(err, &lost) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("bring scope '%s' up to the project: %w", l.opts.Scope, err)
	}
	return nil
}

// readerWait is how long a reader of a scope waits for writers.
const readerWait = time.Second

// keepUpToRead is keepUp for readers: where nothing can be written now, the
// scope is read as it is, under the project's vetoes, and the view tells how
// far it is behind.
func (l *Ledger) keepUpToRead(ctx context.Context) error {
	err := l.keepUpWithin(ctx, readerWait)
	var (
		readOnly *gitstore.ReadOnlyError
		full     *gitstore.DiskFullError
		locked   *gitstore.LockedError
		policy   *provenance.PolicyError
	)
	if errors.As(err, &readOnly) || errors.As(err, &full) || errors.As(err, &locked) || errors.As(err, &policy) {
		return nil
	}
	return err
}

// projectAhead returns the project's tip where a branch of the scope lacks it.
func (l *Ledger) projectAhead(ctx context.Context, branch string) (gitstore.OID, error) {
	theirs, err := l.projectTip(ctx)
	if err != nil {
		return "", err
	}
	ours, _, err := l.BranchTip(ctx, branch)
	if err != nil || ours == theirs {
		return "", err
	}
	l.mu.Lock()
	known := l.upTo == theirs
	l.mu.Unlock()
	if known {
		return "", nil
	}
	has, err := l.follows(ctx, ours, theirs)
	if err != nil || !has {
		return theirs, err
	}
	l.mu.Lock()
	l.upTo = theirs
	l.mu.Unlock()
	return "", nil
}

// follows reports whether ours holds theirs. The few commits since a merge, of
// the usual case, are read one by one, which spares a process.
func (l *Ledger) follows(ctx context.Context, ours, theirs gitstore.OID) (bool, error) {
	at := ours
	for range fewBehind {
		c, err := l.repo.ReadCommit(ctx, at)
		if err != nil {
			return false, err
		}
		if slices.Contains(c.Parents, theirs) {
			return true, nil
		}
		if len(c.Parents) != 1 {
			break
		}
		at = c.Parents[0]
	}
	return l.repo.IsAncestor(ctx, theirs, ours)
}

// join writes the merge by which a scope keeps up with the project. It tells
// nobody's doing, and is the same whoever makes it; the scope's side comes first.
func (m *merging) join(ctx context.Context, move MoveFunc) (gitstore.OID, error) {
	var newest time.Time
	parents := []gitstore.OID{m.ours, m.theirs}
	for _, p := range parents {
		c, err := m.l.repo.ReadCommit(ctx, p)
		if err != nil {
			return "", err
		}
		if c.Committer.When.After(newest) {
			newest = c.Committer.When
		}
	}
	who := StoreIdentity(newest)
	c := gitstore.Commit{Parents: parents, Author: who, Committer: who, Message: commitmsg.JoinSubject + "\n\nCtx-Verb: merge\n"}
	return m.l.WriteCommit(ctx, c, m.ours, m.changes, "ctx: "+commitmsg.JoinSubject, move)
}
