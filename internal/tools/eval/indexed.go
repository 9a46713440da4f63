package main

import (
	"context"
	"os"
	"slices"

	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/records"
)

// indexed makes the store's index for the time of use.
func (s *store) indexed(use func(*index.Snap) error) error {
	dir, err := os.MkdirTemp("", "git-ctx-eval-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	db, err := index.Open(dir)
	if err != nil {
		return err
	}
	defer db.Close()
	changes := func(yield func(index.Change, error) bool) {
		for r := range s.view.All() {
			text, err := records.Format(r)
			if !yield(index.Change{Path: records.IDPath(r.ID), OID: "-", Data: text}, err) {
				return
			}
		}
	}
	ctx := context.Background()
	if err := db.Update(ctx, "", index.Head{Commit: "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d"}, s.judge.Review, changes); err != nil {
		return err
	}
	snap, err := db.Begin(ctx)
	if err != nil {
		return err
	}
	defer snap.Close()
	return use(snap)
}

// pooled is the packet of what the index chooses, as for a large store.
func pooled(snap *index.Snap) chooser {
	return func(s *store, q question, budgets []int) ([]answer, error) {
		pq := ledger.PoolQuery{Text: q.Purpose, Files: q.Paths}
		if q.Task != "" {
			pq.Focus = []records.ID{q.Task}
		}
		ids, err := ledger.ChoosePool(s.view, snap, pq)
		if err != nil {
			return nil, err
		}
		return packets(s, q, budgets, ids)
	}
}

// searchMost is how many hits of a search count.
const searchMost = 10

// searched are the first hits of a search, as a command shows them.
func searched(snap *index.Snap, q question) ([]records.ID, error) {
	hits, err := snap.Search(q.Purpose, index.Query{Limit: searchMost})
	var ids []records.ID
	for _, h := range hits {
		ids = append(ids, h.ID)
	}
	return slices.Clip(ids), err
}
