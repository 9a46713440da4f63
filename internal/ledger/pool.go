package ledger

import (
	"context"
	"maps"
	"os"
	"slices"

	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/planning"
)

// poolFrom is the size of a store from which a packet weighs a pool of its
// records rather than all: below it, to weigh all costs less than to choose.
const poolFrom = 1000

// How many records each way of looking may bring into a pool.
const (
	poolRelated = 300 // by the words of the purpose
	poolNear    = 300 // by links from the focus
	poolPath    = 200 // by each file in play
	poolNewest  = 40  // by age, for each kind and class
	poolSteps   = 3   // of links from the focus
)

// A PoolQuery says what a pool is to bear on.
type PoolQuery struct {
	Text  string // words
	Focus []records.ID
	Files []string // from the top of the worktree
}

// Pool returns the records worth weighing for a packet, sorted, or nil for all
// of a small store. It depends on the store's commit and the query alone,
// whether there is an index or not.
func (l *Ledger) Pool(ctx context.Context, v *View, q PoolQuery) ([]records.ID, error) {
	if v.Len() < poolFrom {
		return nil, nil
	}
	snap, done, err := l.pooled(ctx, v)
	if err != nil {
		return nil, err
	}
	defer done()
	ids, err := ChoosePool(v, snap, q)
	if err != nil {
		return nil, err
	}
	ids = append(ids, slices.Collect(maps.Keys(v.touched()))...)
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// ChoosePool returns the records of a view that its index finds worth weighing, sorted.
func ChoosePool(v records.View, snap *index.Snap, q PoolQuery) ([]records.ID, error) {
	in := make(map[records.ID]bool)
	add := func(ids []records.ID, err error) error {
		for _, id := range ids {
			in[id] = true
		}
		return err
	}
	words := q.Text
	for _, id := range q.Focus {
		if r, ok := v.Record(id); ok {
			words += " " + r.Title
		}
	}
	err := add(snap.Related(words, poolRelated))
	for _, file := range q.Files {
		if err == nil {
			err = add(snap.Touching(file, poolPath))
		}
	}
	if err == nil {
		err = add(near(v, snap, q.Focus), snap.Err())
	}
	for _, s := range records.Schemas() {
		if s.Kind == records.Evidence {
			continue // shown where cited, and what is cited comes along
		}
		for _, c := range []records.Class{records.Asserted, records.AwaitingReview, records.OpenQuestion, records.RuledOut, records.InDoubt} {
			if err == nil {
				err = add(snap.Newest(s.Kind, c, poolNewest))
			}
		}
	}
	if err == nil {
		err = add(urgent(snap))
	}
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(in)), nil
}

// urgent returns the most urgent open tasks.
func urgent(snap *index.Snap) ([]records.ID, error) {
	var ids []records.ID
	q := index.Query{Kinds: []records.Kind{records.Task}, Classes: planning.OpenClasses(), Order: index.ByPriority, Limit: poolNewest}
	for row, err := range snap.Rows(q) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, row.ID)
	}
	return ids, nil
}

// near returns the records within some steps of links, either way, from the focus.
func near(v records.View, snap *index.Snap, focus []records.ID) []records.ID {
	seen := make(map[records.ID]bool)
	at := slices.Clone(focus)
	var out []records.ID
	for step := 0; step <= poolSteps; step++ {
		var ring []*records.Record
		for _, id := range at {
			r, ok := v.Record(id)
			if !ok || seen[id] {
				continue
			}
			seen[id] = true
			ring, out = append(ring, r), append(out, id)
			if len(out) == poolNear {
				return out // with nothing asked of the last ring's links
			}
		}
		at = nil
		for _, r := range ring {
			if step < poolSteps {
				at = append(at, neighboursOf(snap, r)...)
			}
		}
	}
	return out
}

// neighboursOf returns what r links to and cites, and what links to it, in a
// fixed order and no more than a pool has room for.
func neighboursOf(snap *index.Snap, r *records.Record) []records.ID {
	var ids []records.ID
	for _, rel := range records.Relations(r.Kind) {
		ids = append(ids, r.Links[rel]...)
	}
	if r.Verdict != nil {
		ids = append(ids, r.Verdict.Cites...)
	}
	return append(ids, snap.Linking(r.ID, poolNear)...)
}

// pooled returns an index of the view: its own, or one made for the moment, so
// that a pool is the same where no index can be kept.
func (l *Ledger) pooled(ctx context.Context, v *View) (snap *index.Snap, done func(), err error) {
	if v.snap != nil && !v.laid {
		return v.snap, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "git-ctx-index-*")
	if err != nil {
		return nil, nil, err
	}
	db, err := index.Open(dir)
	if err == nil {
		err = l.fillIndex(ctx, db, "", nil, v)
	}
	if err == nil {
		snap, err = db.Begin(ctx)
	}
	done = func() {
		if snap != nil {
			_ = snap.Close()
		}
		if db != nil {
			_ = db.Close()
		}
		_ = os.RemoveAll(dir)
	}
	if err != nil {
		done()
		return nil, nil, err
	}
	return snap, done, nil
}
