package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/records"
)

// VerbPurge is the verb of commits that hold a receipt.
const VerbPurge = "purge"

const ReceiptsRoot = "purged"

// ReceivedRefs holds the old tips of what was purged elsewhere, until somebody
// here confirms that it goes. They are never sent, and no reader sees them.
const ReceivedRefs = "refs/ctx/received/"

// Receipts are those of several commits, joined by record.
type Receipts map[records.ID]*records.Receipt

// Blobs lists what no history may hold.
func (rs Receipts) Blobs() []gitstore.OID {
	var oids []gitstore.OID
	for _, id := range slices.Sorted(maps.Keys(rs)) {
		for _, b := range rs[id].Blobs {
			oids = append(oids, gitstore.OID(b))
		}
	}
	return oids
}

// IDs lists the purged records.
func (rs Receipts) IDs() []records.ID { return slices.Sorted(maps.Keys(rs)) }

// Add joins a receipt with the one that is known of the same record.
func (rs Receipts) Add(r *records.Receipt) error {
	if old := rs[r.ID]; old != nil {
		joined, err := records.MergeReceipts(old, r)
		if err != nil {
			return err
		}
		r = joined
	}
	rs[r.ID] = r
	return nil
}

// ReceiptsOf reads the receipts that the trees of some commits hold. One that
// cannot be read is set aside.
func (l *Ledger) ReceiptsOf(ctx context.Context, commits ...gitstore.OID) (Receipts, []*ReceiptFault, error) {
	rs := make(Receipts)
	var faults []*ReceiptFault
	seen := make(map[gitstore.OID]bool) // folders
	for _, commit := range commits {
		snap, err := l.repo.Snapshot(ctx, string(commit))
		if err != nil {
			return nil, nil, err
		}
		dir, err := snap.OID(ReceiptsRoot)
		if errors.Is(err, fs.ErrNotExist) || err == nil && seen[dir] {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		seen[dir] = true
		files, err := snap.ReadDir(ReceiptsRoot)
		if err != nil {
			return nil, nil, fmt.Errorf("read receipts of %s: %w", commit.Short(), err)
		}
		for _, f := range files {
			file := path.Join(ReceiptsRoot, f.Name())
			err := rs.read(snap, file)
			var missing *gitstore.MissingObjectError
			if errors.As(err, &missing) {
				return nil, nil, err
			}
			if err != nil && !slices.ContainsFunc(faults, func(f *ReceiptFault) bool { return f.Path == file }) {
				faults = append(faults, &ReceiptFault{Path: file, Why: err.Error()})
			}
		}
	}
	return rs, faults, nil
}

func (rs Receipts) read(snap *gitstore.Snapshot, file string) error {
	data, err := snap.ReadFile(file)
	if err != nil {
		return err
	}
	r, err := records.ParseReceipt(file, data)
	if err != nil {
		return err
	}
	return rs.Add(r)
}

// A PurgedError refuses a commit whose history holds what was purged.
type PurgedError struct {
	Commit gitstore.OID
	IDs    []records.ID
}

func (e *PurgedError) Error() string {
	ids := make([]string, len(e.IDs))
	for i, id := range e.IDs {
		ids[i] = string(id)
	}
	return fmt.Sprintf("the history of %s holds what was purged of %s: nothing was merged", e.Commit.Short(), strings.Join(ids, ", "))
}

// refusePurged refuses to join two commits of which one has a receipt, and
// either reaches what that lists.
func (l *Ledger) refusePurged(ctx context.Context, ours, theirs gitstore.OID) error {
	rs, _, err := l.ReceiptsOf(ctx, ours, theirs)
	if err != nil || len(rs) == 0 {
		return err
	}
	present, err := l.repo.Present(ctx, rs.Blobs())
	if err != nil || len(present) == 0 {
		return err
	}
	if rs, _, err = l.SoundReceipts(ctx, rs, ours, theirs); err != nil || len(rs) == 0 {
		return err
	}
	for _, commit := range []gitstore.OID{ours, theirs} {
		ids, err := l.PurgedReached(ctx, commit, rs, present)
		if err != nil {
			return err
		}
		if len(ids) > 0 {
			return &PurgedError{Commit: commit, IDs: ids}
		}
	}
	return nil
}

// PurgedReached returns the records of which a commit reaches a listed blob.
func (l *Ledger) PurgedReached(ctx context.Context, commit gitstore.OID, rs Receipts, present []gitstore.OID) ([]records.ID, error) {
	args := []string{"rev-list", "--objects", "--no-object-names", string(commit), "--"}
	for _, id := range rs.IDs() {
		args = append(args, ":(top,literal)"+records.IDPath(id))
	}
	args = slices.Insert(args, 1, "--full-history")
	out, err := l.repo.Git(ctx, nil, args...)
	if err != nil {
		return nil, err
	}
	var found []records.ID
	for _, oid := range strings.Fields(string(out)) {
		if !slices.Contains(present, gitstore.OID(oid)) {
			continue
		}
		for _, id := range rs.IDs() {
			if slices.Contains(rs[id].Blobs, oid) && !slices.Contains(found, id) {
				found = append(found, id)
			}
		}
	}
	return found, nil
}
