package ledger

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"slices"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/records"
)

// Entry reads one store commit.
func (l *Ledger) Entry(ctx context.Context, oid gitstore.OID) (*commitmsg.LogEntry, error) {
	c, err := l.repo.ReadCommit(ctx, oid)
	if err != nil {
		return nil, err
	}
	return commitmsg.NewLogEntry(c), nil
}

// A Transition is what one store commit did to one record.
type Transition struct {
	*commitmsg.LogEntry
	Difference
}

// RecordHistory yields every store commit that changed the query's record,
// children before parents, with the record as it was before, on the first
// parent's side, and after.
func (l *Ledger) RecordHistory(ctx context.Context, q HistoryQuery) iter.Seq2[*Transition, error] {
	return func(yield func(*Transition, error) bool) {
		path := records.IDPath(q.Record)
		for e, err := range l.History(ctx, q) {
			if err != nil {
				yield(nil, err)
				return
			}
			d, err := l.transition(ctx, e, path)
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(&Transition{LogEntry: e, Difference: d}, nil) {
				return
			}
		}
	}
}

func (l *Ledger) transition(ctx context.Context, e *commitmsg.LogEntry, path string) (Difference, error) {
	var parent gitstore.OID
	if len(e.Parents) > 0 {
		parent = e.Parents[0]
	}
	from, _, err := l.snapshotOrEmpty(ctx, parent)
	if err != nil {
		return Difference{}, err
	}
	to, _, err := l.snapshotOrEmpty(ctx, e.OID)
	if err != nil {
		return Difference{}, err
	}
	had, err := holds(from, path)
	if err != nil {
		return Difference{}, err
	}
	has, err := holds(to, path)
	if err != nil {
		return Difference{}, err
	}
	return compare(path, from, to, had, has)
}

// holds reports whether a snapshot has a file at a path.
func holds(s *gitstore.Snapshot, path string) (bool, error) {
	if s == nil {
		return false, nil
	}
	_, err := s.OID(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// IDs lists the records of a store commit, sorted, without reading them.
func (l *Ledger) IDs(ctx context.Context, commit gitstore.OID) ([]records.ID, error) {
	_, tree, err := l.snapshotOrEmpty(ctx, commit)
	if err != nil {
		return nil, err
	}
	es, err := l.entries(ctx, tree)
	if err != nil {
		return nil, err
	}
	var ids []records.ID
	for _, e := range es {
		if id, err := records.PathID(e.path); err == nil {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// Tip returns the commit that the current branch reads, and the branch's name.
func (l *Ledger) Tip(ctx context.Context) (branch string, oid gitstore.OID, err error) {
	if err = l.keepUpToRead(ctx); err != nil {
		return "", "", err
	}
	if branch, err = l.Branch(ctx); err != nil {
		return "", "", err
	}
	oid, _, err = l.BranchTip(ctx, branch)
	return branch, oid, err
}

// TouchedBy returns the records that some commits touched, of those that to
// reaches and from do not; none in from means all. Checkpoints and merges touch
// none: the ones list what others did, the others what they left disputed.
func (l *Ledger) TouchedBy(ctx context.Context, from []gitstore.OID, to gitstore.OID, which func(*commitmsg.LogEntry) bool) (map[records.ID]bool, error) {
	touched := make(map[records.ID]bool)
	for e, err := range l.History(ctx, HistoryQuery{From: []gitstore.OID{to}, Exclude: from}) {
		if err != nil {
			return nil, err
		}
		if e.IsCheckpoint() || e.IsMerge() || !which(e) {
			continue
		}
		ids, err := l.touched(ctx, e)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			touched[id] = true
		}
	}
	return touched, nil
}

// touched returns the records that a commit names, or all that it changed where
// its message names only the first of many.
func (l *Ledger) touched(ctx context.Context, e *commitmsg.LogEntry) ([]records.ID, error) {
	if len(e.Message.Records) < commitmsg.NamedRecords || len(e.Parents) == 0 {
		return e.Message.Records, nil
	}
	p, err := l.pair(ctx, e.Parents[0], e.OID)
	if err != nil {
		return nil, err
	}
	var ids []records.ID
	for _, c := range p.paths {
		if id, err := records.PathID(c.path); err == nil {
			ids = append(ids, id)
		}
	}
	return ids, nil
}
