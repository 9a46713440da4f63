package ledger

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/standing"
)

// firstHits is how many hits are asked of the index at first: to sort is quick,
// to hand over many rows is not.
const firstHits = 128

// Search yields the records of the view that have all words of the text (see
// [index.Snap.Search]) and that q selects, as judged by j, best first. Those
// forgotten here or on the default branch are never found. Where no index is at
// hand one is made for the moment, so that the answer is the same. An error is
// the last yield.
func (l *Ledger) Search(ctx context.Context, v *View, j records.EvalContext, text string, q index.Query) iter.Seq2[index.Hit, error] {
	return func(yield func(index.Hit, error) bool) {
		snap, done, err := l.pooled(ctx, v)
		if err != nil {
			yield(index.Hit{}, err)
			return
		}
		defer done()
		again := v.touched()
		all := j.Review != snap.Review() // then what the index says of standing is not to be used
		part, limit := q, q.Limit
		part.Also = slices.Collect(maps.Keys(again))
		if all {
			part.Classes, part.States = nil, nil
		}
		seen, n := 0, 0
		for _, part.Limit = range []int{firstHits, 0} {
			hits, err := snap.Search(text, part)
			if err != nil {
				yield(index.Hit{}, err)
				return
			}
			for _, h := range hits[min(seen, len(hits)):] {
				if all || again[h.ID] || h.Timed {
					st := standing.Of(v, h.ID, j)
					h.State, h.Class, h.Why = st.State, st.Class, st.Why
				}
				if v.vetoed[h.ID] == records.Forgotten || !q.Selects(h.Row, []string{q.Tag}) {
					continue
				}
				if !yield(h, nil) {
					return
				}
				if n++; n == limit {
					return
				}
			}
			if seen = len(hits); seen < firstHits {
				return
			}
		}
	}
}
