package ledger

import (
	"context"
	"slices"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
)

// A settling merge joins two tips that hold the same records. It tells nobody's
// doing, so that all replicas that make it make the same commit.
const canonicalMergeMessage = "merge: settle\n\nCtx-Verb: merge\n"

// even reports whether two commits hold the same records, and each has of the
// other's commits all but settling merges. To merge such would only make one
// settling merge more: replicas that meet over several hubs would never stop.
func (l *Ledger) equivalent(ctx context.Context, a, b gitstore.OID) (bool, error) {
	ca, err := l.repo.ReadCommit(ctx, a)
	if err != nil {
		return false, err
	}
	cb, err := l.repo.ReadCommit(ctx, b)
	if err != nil || ca.Tree != cb.Tree {
		return false, err
	}
	for _, o := range []gitstore.LogOptions{{Tips: []gitstore.OID{a}, Exclude: []gitstore.OID{b}}, {Tips: []gitstore.OID{b}, Exclude: []gitstore.OID{a}}} {
		for c, err := range l.repo.Log(ctx, o) {
			if err != nil || len(c.Parents) < 2 || c.Message != canonicalMergeMessage {
				return false, err
			}
		}
	}
	return true, nil
}

// settle writes a merge whose bytes do not tell who made it.
func (m *merging) canonicalMerge(ctx context.Context, move MoveFunc) (gitstore.OID, error) {
	parents := []gitstore.OID{m.ours, m.theirs}
	slices.Sort(parents)
	var newest time.Time
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
	c := gitstore.Commit{Parents: parents, Author: who, Committer: who, Message: canonicalMergeMessage}
	return m.l.WriteCommit(ctx, c, m.ours, m.changes, "ctx: merge: settle", move)
}

// StoreIdentity signs the commits whose bytes must not depend on who makes them.
func StoreIdentity(when time.Time) gitstore.Signature {
	return gitstore.Signature{Name: "git ctx", Email: "git-ctx@localhost", When: when.UTC()}
}
