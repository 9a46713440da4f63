package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/records"
)

// A RevisionError says that a text names no store commit.
type RevisionError struct{ Rev, Why string }

func (e *RevisionError) Error() string { return fmt.Sprintf("unknown revision '%s': %s", e.Rev, e.Why) }

// Resolve finds the store commit that a user means: a context branch with
// git's suffixes (main, main~3, HEAD for the current branch), an import
// (imports/beads), a store commit's object ID, or a date, which is the last
// commit of the current branch until then.
func (l *Ledger) Resolve(ctx context.Context, rev string) (gitstore.OID, error) {
	branch, err := l.Branch(ctx)
	if err != nil {
		return "", err
	}
	tip, _, err := l.BranchTip(ctx, branch)
	if err != nil {
		return "", err
	}
	if at, err := ParseDate(rev, l.Now()); err == nil {
		return l.before(ctx, tip, rev, at)
	}
	name, suffix := rev, ""
	if i := strings.IndexAny(rev, "~^@"); i >= 0 {
		name, suffix = rev[:i], rev[i:]
	}
	if name == "HEAD" || (name == "" && suffix != "") {
		return l.Commitish(ctx, rev, string(tip)+suffix)
	}
	for _, prefix := range []string{l.HeadRefs(), l.RemoteRefs(), l.folder(ctxPrefix), ctxPrefix, ""} {
		if _, err := l.repo.Ref(ctx, prefix+name); err == nil && strings.HasPrefix(prefix+name, ctxPrefix) {
			return l.Commitish(ctx, rev, prefix+name+suffix)
		}
	}
	if len(name) < 4 || strings.Trim(strings.ToLower(name), "0123456789abcdef") != "" {
		return "", &RevisionError{rev, "it is not a context branch, commit or date"}
	}
	oid, err := l.reachable(ctx, rev, name)
	if err != nil || suffix == "" {
		return oid, err
	}
	return l.Commitish(ctx, rev, string(oid)+suffix)
}

// reachable resolves the object ID that a revision starts with. A commit that no
// ref of this ledger's reaches, as one of another scope, is as good as none: the
// error is the same.
func (l *Ledger) reachable(ctx context.Context, rev, name string) (gitstore.OID, error) {
	oid, err := l.Commitish(ctx, rev, name)
	if err == nil {
		held, err := l.held(ctx, oid)
		if err != nil || held {
			return oid, err
		}
		return "", &RevisionError{rev, noCommit}
	}
	var missing *gitstore.MissingObjectError
	if errors.As(err, &missing) && strings.HasPrefix(string(missing.OID), strings.ToLower(name)) {
		return "", &RevisionError{rev, noCommit}
	}
	return "", err
}

const noCommit = "git finds no such commit"

// Commitish lets git read a revision, and checks that a store commit came out.
func (l *Ledger) Commitish(ctx context.Context, rev, git string) (gitstore.OID, error) {
	snap, err := l.repo.Snapshot(ctx, git)
	if err != nil {
		var missing *gitstore.MissingObjectError
		if errors.As(err, &missing) {
			return "", err
		}
		return "", &RevisionError{rev, noCommit}
	}
	switch _, err := snap.OID(records.PolicyFile); {
	case errors.Is(err, fs.ErrNotExist):
		return "", &RevisionError{rev, "that commit is not of the context store"}
	case err != nil:
		return "", fmt.Errorf("read revision '%s': %w", rev, err)
	}
	return snap.Commit(), nil
}

// before returns the newest commit on the first-parent line from tip that is not younger than at.
func (l *Ledger) before(ctx context.Context, tip gitstore.OID, rev string, at time.Time) (gitstore.OID, error) {
	for c, err := range l.repo.Log(ctx, gitstore.LogOptions{Tips: []gitstore.OID{tip}, FirstParent: true}) {
		if err != nil {
			return "", err
		}
		if !c.Committer.When.After(at) {
			return c.OID, nil
		}
	}
	return "", &RevisionError{rev, "the branch is younger"}
}

// A HistoryQuery selects store commits.
type HistoryQuery struct {
	From    []gitstore.OID // tips; none means the current branch
	Exclude []gitstore.OID // and their ancestors
	// Record limits the history to the commits that touched a record.
	Record       records.ID
	Since, Until time.Time
}

// History yields store commits, children before parents. With a Record, every
// commit that touched it is there, on all sides of merges.
func (l *Ledger) History(ctx context.Context, q HistoryQuery) iter.Seq2[*commitmsg.LogEntry, error] {
	return func(yield func(*commitmsg.LogEntry, error) bool) {
		if len(q.From) == 0 {
			branch, err := l.Branch(ctx)
			var tip gitstore.OID
			if err == nil {
				tip, _, err = l.BranchTip(ctx, branch)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			q.From = []gitstore.OID{tip}
		}
		o := gitstore.LogOptions{Tips: q.From, Exclude: q.Exclude}
		if q.Record != "" {
			o.Paths = []string{records.IDPath(q.Record)}
		}
		for c, err := range l.repo.Log(ctx, o) {
			if err != nil {
				yield(nil, err)
				return
			}
			when := c.Committer.When
			if (!q.Since.IsZero() && when.Before(q.Since)) || (!q.Until.IsZero() && when.After(q.Until)) {
				continue
			}
			if !yield(commitmsg.NewLogEntry(c), nil) {
				return
			}
		}
	}
}

// RecordAt reads one record as it was in a store commit; nil when that has none of the id.
func (l *Ledger) RecordAt(ctx context.Context, commit gitstore.OID, id records.ID) (*records.Record, error) {
	snap, err := l.repo.Snapshot(ctx, string(commit))
	if err != nil {
		return nil, err
	}
	return recordIn(snap, records.IDPath(id))
}

// recordIn reads a record file of a snapshot; nil when there is none.
func recordIn(snap *gitstore.Snapshot, path string) (*records.Record, error) {
	data, err := fs.ReadFile(snap, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return records.Parse(path, data)
}
