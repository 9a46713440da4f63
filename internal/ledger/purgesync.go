package ledger

import (
	"context"
	"maps"
	"slices"

	"github.com/git-ctx/git-ctx/gitstore"
)

// applyReceipts rewrites whatever of ours holds what some receipt, ours or the
// remote's, lists: local branches, imports and what tracks the remote. A ref
// that git refused to move counts as moved forward when it is, once both ends
// are rewritten; any other stays an error.
func (s *syncing) applyReceipts(ctx context.Context, rewound []rewind) error {
	left, err := s.applied(ctx, rewound)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return left[0].err(s.remote.name)
	}
	return nil
}

// applied returns the rewinds that receipts do not explain.
func (s *syncing) applied(ctx context.Context, rewound []rewind) ([]rewind, error) {
	var news []gitstore.OID
	for _, w := range rewound {
		if _, err := s.l.commitish(ctx, w.there, string(w.is)); err == nil { // else it is no store of ours
			news = append(news, w.is)
		}
	}
	p, err := s.l.stalePurging(ctx, news)
	if p == nil || err != nil {
		return rewound, err
	}
	unlock, err := s.l.repo.Lock(ctx, LockWait)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := p.look(ctx, news); err != nil {
		return nil, err
	}
	var left []rewind
	err = p.rewriteReceived(ctx, func() ([]gitstore.RefUpdate, error) {
		var updates []gitstore.RefUpdate
		updates, left, err = s.explain(ctx, p, rewound)
		return updates, err
	})
	if err != nil {
		return nil, err
	}
	for _, ref := range p.refs {
		explained := slices.ContainsFunc(rewound, func(w rewind) bool { return w.here == ref.Name })
		if now := p.moved[ref.OID]; now != "" && s.tracks(ref.Name) && !explained {
			s.stale[ref.Name] = ref.OID
		}
	}
	maps.Copy(s.moved, p.moved)
	for name, m := range s.fetched {
		m.Old, m.New = became(p.moved, m.Old), became(p.moved, m.New)
		s.fetched[name] = m
	}
	maps.DeleteFunc(s.pushed, func(_ string, push PushedRef) bool { return p.moved[push.New] != "" }) // it failed, and is to be tried anew
	if len(p.moved) > 0 {
		s.note("history was rewritten by the receipts of what was purged: %d commits", len(p.moved))
	}
	if len(left) > 0 {
		return left, nil // what was fetched of it must stay for the user to look at
	}
	return nil, p.clean(ctx)
}

// tracks reports whether a ref tracks a line of this remote.
func (s *syncing) tracks(ref string) bool {
	places := append(slices.Clone(s.remote.heads), s.remote.imports)
	return slices.ContainsFunc(places, func(p place) bool { return len(ref) > len(p.here) && ref[:len(p.here)] == p.here })
}

// explain moves the tracking refs that git refused to move, where what the
// remote has now is, rewritten, ahead of what it had.
func (s *syncing) explain(ctx context.Context, p *purging, rewound []rewind) (updates []gitstore.RefUpdate, left []rewind, err error) {
	for _, w := range rewound {
		was, is := became(p.moved, w.was), became(p.moved, w.is)
		ahead, err := s.l.repo.IsAncestor(ctx, was, is)
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

// stalePurging returns the application of receipts that is due: nil when no
// tip has a receipt, or nothing that one lists is in the repository.
func (l *Ledger) stalePurging(ctx context.Context, more []gitstore.OID) (*purging, error) {
	refs, err := l.repo.AllRefs(ctx, "refs/ctx/")
	if err != nil {
		return nil, err
	}
	tips := make(map[gitstore.OID]bool)
	for _, ref := range refs {
		tips[ref.OID] = !IsClaimRef(ref.Name)
	}
	for _, oid := range more {
		tips[oid] = true
	}
	maps.DeleteFunc(tips, func(_ gitstore.OID, ours bool) bool { return !ours })
	rs, err := l.receiptsOf(ctx, oidsIn(tips)...)
	if err != nil || len(rs) == 0 {
		return nil, err
	}
	present, err := l.repo.Present(ctx, rs.blobs())
	if err != nil || len(present) == 0 {
		return nil, err
	}
	return &purging{l: l, res: &Purged{}, fresh: make(receipts)}, nil
}

// rewriteReceived rewrites by receipts that came from elsewhere. More are
// updates of refs whose old value was not to be rewritten as it stands.
func (p *purging) rewriteReceived(ctx context.Context, more func() ([]gitstore.RefUpdate, error)) error {
	move := func(moved map[gitstore.OID]gitstore.OID) error {
		p.moved = moved
		others, err := more()
		if err != nil {
			return err
		}
		byName := make(map[string]gitstore.RefUpdate)
		for _, ref := range p.refs {
			if now := moved[ref.OID]; now != "" {
				byName[ref.Name] = gitstore.RefUpdate{Name: ref.Name, Old: ref.OID, New: now}
			}
		}
		for _, u := range others {
			byName[u.Name] = u
		}
		var updates []gitstore.RefUpdate
		for _, name := range slices.Sorted(maps.Keys(byName)) {
			if u := byName[name]; u.Old != u.New {
				updates = append(updates, u)
			}
		}
		return p.l.repo.UpdateRefs(ctx, "ctx: purge by receipts", updates...)
	}
	called := false
	rw, err := p.rewriteOf()
	if err != nil {
		return err
	}
	_, err = p.l.repo.Rewrite(ctx, rw, func(moved map[gitstore.OID]gitstore.OID) error {
		called = true
		return move(moved)
	})
	if err == nil && !called {
		err = move(nil)
	}
	return err
}
