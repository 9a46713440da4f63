package purge

import (
	"context"
	"maps"
	"slices"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
)

// A Rewritten tells what the receipts of what was purged rewrote.
type Rewritten struct {
	Refs  []gitstore.Ref                // of ours, as they were
	Moved map[gitstore.OID]gitstore.OID // commits
}

// Apply rewrites whatever of ours holds what some receipt lists: of a tip of
// ours, or of more, tips that no ref names. settle is told what commits became,
// and returns updates of refs that go with it, and whether the objects may be
// dropped. Nothing due is nil.
func Apply(ctx context.Context, l *ledger.Ledger, more []gitstore.OID,
	settle func(map[gitstore.OID]gitstore.OID) (updates []gitstore.RefUpdate, settled bool, err error)) (*Rewritten, error) {
	p, err := due(ctx, l, more)
	if p == nil || err != nil {
		return nil, err
	}
	unlock, err := l.Repo().Lock(ctx, ledger.LockWait)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := p.look(ctx, more); err != nil {
		return nil, err
	}
	settled, err := p.rewriteReceived(ctx, settle)
	if err == nil && settled {
		err = p.clean(ctx)
	}
	if err != nil {
		return nil, err
	}
	return &Rewritten{Refs: p.refs, Moved: p.moved}, nil
}

// due returns the application of receipts that is due: nil when no tip has a
// receipt, or nothing that one lists is in the repository.
func due(ctx context.Context, l *ledger.Ledger, more []gitstore.OID) (*purging, error) {
	refs, err := l.Repo().AllRefs(ctx, "refs/ctx/")
	if err != nil {
		return nil, err
	}
	tips := make(map[gitstore.OID]bool)
	for _, ref := range refs {
		tips[ref.OID] = !ledger.IsClaimRef(ref.Name)
	}
	for _, oid := range more {
		tips[oid] = true
	}
	maps.DeleteFunc(tips, func(_ gitstore.OID, ours bool) bool { return !ours })
	rs, err := l.ReceiptsOf(ctx, oidsIn(tips)...)
	if err != nil || len(rs) == 0 {
		return nil, err
	}
	present, err := l.Repo().Present(ctx, rs.Blobs())
	if err != nil || len(present) == 0 {
		return nil, err
	}
	return &purging{l: l, res: &Purged{}, fresh: make(ledger.Receipts)}, nil
}

// rewriteReceived rewrites by receipts that came from elsewhere. More are
// updates of refs whose old value was not to be rewritten as it stands.
func (p *purging) rewriteReceived(ctx context.Context, more func(map[gitstore.OID]gitstore.OID) ([]gitstore.RefUpdate, bool, error)) (settled bool, err error) {
	move := func(moved map[gitstore.OID]gitstore.OID) error {
		p.moved = moved
		others, all, err := more(moved)
		if err != nil {
			return err
		}
		settled = all
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
		return p.l.Repo().UpdateRefs(ctx, "ctx: purge by receipts", updates...)
	}
	called := false
	rw, err := p.rewriteOf()
	if err != nil {
		return false, err
	}
	_, err = p.l.Repo().Rewrite(ctx, rw, func(moved map[gitstore.OID]gitstore.OID) error {
		called = true
		return move(moved)
	})
	if err == nil && !called {
		err = move(nil)
	}
	return settled, err
}
