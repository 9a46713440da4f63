package ledger

import (
	"math"
	"slices"

	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/records"
)

// Anchored returns the records that have anchors, sorted.
func (v *View) Anchored() ([]records.ID, error) {
	return v.those((*index.Snap).Anchored, func(r *records.Record) bool { return len(r.Anchors) > 0 })
}

// those returns the records that have something, sorted: as the index says where the
// view is one that it knows, else by looking at all.
func (v *View) those(indexed func(*index.Snap) ([]records.ID, error), has func(*records.Record) bool) ([]records.ID, error) {
	if v.snap != nil && !v.laid {
		return indexed(v.snap)
	}
	var ids []records.ID
	for r := range v.All() {
		if has(r) {
			ids = append(ids, r.ID)
		}
	}
	slices.Sort(ids)
	return ids, v.Err()
}

// Touching returns records, sorted, whose paths or anchors may concern one of the
// files, given from the worktree's top: all that do are among them.
func (v *View) Touching(files []string) ([]records.ID, error) {
	var ids []records.ID
	if v.snap == nil || v.laid {
		for r := range v.All() {
			if len(r.Paths)+len(r.Anchors) > 0 {
				ids = append(ids, r.ID)
			}
		}
		return ids, v.Err()
	}
	for _, f := range files {
		found, err := v.snap.Touching(f, math.MaxInt)
		if err != nil {
			return nil, err
		}
		ids = append(ids, found...)
	}
	slices.Sort(ids)
	return slices.Compact(ids), v.Err()
}
