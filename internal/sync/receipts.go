package sync

import (
	"context"
	"maps"
	"slices"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/purge"
)

// applyReceipts rewrites whatever of ours holds what some receipt, ours or the
// remote's, lists: local branches, imports and what tracks the remote. A ref
// that git refused to move counts as moved forward when it is, once both ends
// are rewritten; any other stays an error.
func (s *exchange) applyReceipts(ctx context.Context, rewound []rewind) error {
	left, err := s.applied(ctx, rewound)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return left[0].err(s.remote.Name)
	}
	return nil
}

// applied returns the rewinds that receipts do not explain.
func (s *exchange) applied(ctx context.Context, rewound []rewind) ([]rewind, error) {
	var news []gitstore.OID
	for _, w := range rewound {
		if _, err := s.l.Commitish(ctx, w.there, string(w.is)); err == nil { // else it is not a store of ours
			news = append(news, w.is)
		}
	}
	left := rewound
	p, err := purge.Apply(ctx, s.l, news, func(moved map[gitstore.OID]gitstore.OID) (updates []gitstore.RefUpdate, err error) {
		updates, left, err = s.explain(ctx, moved, rewound)
		return updates, err
	})
	if err != nil {
		return nil, err
	}
	for _, note := range p.Notes {
		s.note("%s", note)
	}
	if len(p.Moved) == 0 {
		return left, nil
	}
	for _, ref := range p.Refs {
		explained := slices.ContainsFunc(rewound, func(w rewind) bool { return w.here == ref.Name })
		if now := p.Moved[ref.OID]; now != "" && s.tracks(ref.Name) && !explained {
			s.stale[ref.Name] = ref.OID
		}
	}
	for i := range left {
		left[i].is = became(p.Moved, left[i].is) // what it was is gone
	}
	maps.Copy(s.moved, p.Moved)
	for name, m := range s.fetched {
		m.Old, m.New = became(p.Moved, m.Old), became(p.Moved, m.New)
		s.fetched[name] = m
	}
	maps.DeleteFunc(s.pushed, func(_ string, push PushedRef) bool { return p.Moved[push.New] != "" }) // it failed, and is to be tried anew
	return left, nil
}

// tracks reports whether a ref tracks a line of this remote.
func (s *exchange) tracks(ref string) bool {
	places := append(slices.Clone(s.remote.Heads), s.remote.Imports)
	return slices.ContainsFunc(places, func(p ledger.RefMapping) bool { return len(ref) > len(p.Here) && ref[:len(p.Here)] == p.Here })
}

// explain moves the tracking refs that git refused to move, where what the
// remote has now is, rewritten, ahead of what it had.
func (s *exchange) explain(ctx context.Context, moved map[gitstore.OID]gitstore.OID, rewound []rewind) (updates []gitstore.RefUpdate, left []rewind, err error) {
	for _, w := range rewound {
		was, is := became(moved, w.was), became(moved, w.is)
		ahead, err := s.l.Repo().IsAncestor(ctx, was, is)
		if err != nil {
			return nil, nil, err
		}
		if !ahead {
			left = append(left, w)
			continue
		}
		if is != w.is {
			s.stale[w.here] = w.is
		}
		updates = append(updates, gitstore.RefUpdate{Name: w.here, Old: w.was, New: is})
	}
	return updates, left, nil
}

func became(moved map[gitstore.OID]gitstore.OID, oid gitstore.OID) gitstore.OID {
	if now, ok := moved[oid]; ok {
		return now
	}
	return oid
}
