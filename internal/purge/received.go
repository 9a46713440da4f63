package purge

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// A SettleFunc is told what commits became, and returns updates of refs that go
// with it.
type SettleFunc func(moved map[gitstore.OID]gitstore.OID) ([]gitstore.RefUpdate, error)

// A Rewritten tells what the receipts of what was purged rewrote.
type Rewritten struct {
	Refs  []gitstore.Ref                // of ours, as they were
	Moved map[gitstore.OID]gitstore.OID // commits
	Notes []string                      // what was set aside, and what stays
}

// Became returns what a commit became.
func (r *Rewritten) Became(oid gitstore.OID) gitstore.OID {
	if now, ok := r.Moved[oid]; ok {
		return now
	}
	return oid
}

// Apply rewrites whatever of ours holds what some sound receipt lists: of a tip
// of ours, or of more, tips that no ref names. What was purged or confirmed here
// is dropped; what only came from elsewhere stays under refs that are never sent.
// settle, which is called when something is rewritten, is told what commits became
// and returns updates of refs that go with it; nil has none.
func Apply(ctx context.Context, l *ledger.Ledger, more []gitstore.OID, settle SettleFunc) (*Rewritten, error) {
	out := &Rewritten{Moved: make(map[gitstore.OID]gitstore.OID)}
	p := newPurging(l)
	if err := p.gather(ctx, more); err != nil {
		return nil, err
	}
	out.Refs = p.refs
	for _, f := range p.res.Faults {
		out.Notes = append(out.Notes, fmt.Sprintf("%v: it is set aside", f))
	}
	drops, turns, err := p.due(ctx)
	if err != nil || !drops && !turns {
		return out, err
	}
	unlock, err := l.Repo().Lock(ctx, ledger.LockWait)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if drops {
		first := settle
		if turns {
			first = nil
		}
		if err := p.drop(ctx, out, more, first); err != nil {
			return nil, err
		}
	}
	if turns {
		if err := p.turn(ctx, out, more, settle); err != nil {
			return nil, err
		}
	}
	if len(out.Moved) > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("history was rewritten by the receipts of what was purged: %d commits", len(out.Moved)))
	}
	return out, nil
}

// due tells what there is to do: whether something is to be dropped, and whether
// a ref of ours, or one of more, leads to what waits for a person.
func (p *purging) due(ctx context.Context) (drops, turns bool, err error) {
	present, err := p.l.Repo().Present(ctx, p.without(p.waits).Blobs())
	if err != nil {
		return false, false, err
	}
	if len(p.waits) == 0 {
		return len(present)+len(p.asides) > 0, false, nil
	}
	left := make(map[gitstore.OID]bool)
	for _, id := range p.waits {
		for _, b := range p.rs[id].Blobs {
			left[gitstore.OID(b)] = true
		}
	}
	reached, err := p.l.Repo().ReachedFrom(ctx, left, p.tips)
	return len(present) > 0, len(reached) > 0, err
}

// drop rewrites by what was confirmed here, and drops the objects.
func (p *purging) drop(ctx context.Context, out *Rewritten, more []gitstore.OID, settle SettleFunc) error {
	if err := p.gather(ctx, more); err != nil {
		return err
	}
	p.rs = p.without(p.waits)
	if err := p.look(ctx); err != nil {
		return err
	}
	if err := p.rewriteReceived(ctx, out, settle); err != nil {
		return err
	}
	if err := p.clean(ctx); err != nil {
		return err
	}
	if p.res.Kept > 0 {
		out.Notes = append(out.Notes, p.res.KeptNote())
	}
	return nil
}

// turn rewrites by all that is sound, and keeps the tips that lead to what waits.
func (p *purging) turn(ctx context.Context, out *Rewritten, more []gitstore.OID, settle SettleFunc) error {
	now := make([]gitstore.OID, len(more))
	for i, oid := range more {
		now[i] = out.Became(oid)
	}
	if err := p.gather(ctx, now); err != nil {
		return err
	}
	if err := p.look(ctx); err != nil {
		return err
	}
	if err := p.l.HideFromTransport(ctx, strings.TrimSuffix(ledger.ReceivedRefs, "/")); err != nil {
		return err
	}
	p.aside = true
	return p.rewriteReceived(ctx, out, settle)
}

// rewriteReceived rewrites by receipts, and moves the refs of ours with those
// that settle adds.
func (p *purging) rewriteReceived(ctx context.Context, out *Rewritten, settle SettleFunc) error {
	called := false
	move := func(moved map[gitstore.OID]gitstore.OID) error {
		called, p.moved = true, moved
		for old, now := range out.Moved {
			if further, ok := moved[now]; ok {
				out.Moved[old] = further
			}
		}
		maps.Copy(out.Moved, moved)
		byName := make(map[string]gitstore.RefUpdate)
		for _, ref := range p.refs {
			if now := moved[ref.OID]; now != "" {
				byName[ref.Name] = gitstore.RefUpdate{Name: ref.Name, Old: ref.OID, New: now}
				p.setAside(byName, ref.OID)
			}
		}
		if settle != nil {
			others, err := settle(out.Moved)
			if err != nil {
				return err
			}
			for _, u := range others {
				if i := slices.IndexFunc(p.refs, func(ref gitstore.Ref) bool { return ref.Name == u.Name }); i >= 0 {
					u.Old = p.refs[i].OID
				}
				byName[u.Name] = u
			}
		}
		var updates []gitstore.RefUpdate
		for _, name := range slices.Sorted(maps.Keys(byName)) {
			if u := byName[name]; u.Old != u.New {
				updates = append(updates, u)
			}
		}
		return p.l.Repo().UpdateRefs(ctx, "ctx: purge by receipts", updates...)
	}
	rw, err := p.rewriteOf()
	if err != nil {
		return err
	}
	if _, err = p.l.Repo().Rewrite(ctx, rw, move); err == nil && !called {
		err = move(nil)
	}
	return err
}

// setAside keeps a commit under a ref that is never sent, where what it leads to waits.
func (p *purging) setAside(updates map[string]gitstore.RefUpdate, old gitstore.OID) {
	name := ledger.ReceivedRefs + string(old)
	if p.aside && !slices.ContainsFunc(p.asides, func(ref gitstore.Ref) bool { return ref.Name == name }) {
		updates[name] = gitstore.RefUpdate{Name: name, New: old}
	}
}

// Received drops for good what was purged elsewhere, and whatever else sound
// receipts list: a person confirms it, whom the policy asks for.
func Received(ctx context.Context, l *ledger.Ledger, dry bool) (*Purged, error) {
	release, err := l.LockAll(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	p := newPurging(l)
	if err := p.gather(ctx, nil); err != nil {
		return nil, err
	}
	p.res.IDs = p.rs.IDs()
	if len(p.rs)+len(p.asides) == 0 {
		return p.res, nil
	}
	if err := l.PersonOnly(ctx, ledger.VerbPurge, p.res.IDs); err != nil {
		return nil, err
	}
	if err := p.look(ctx); err != nil {
		return nil, err
	}
	for _, blob := range p.doomed() {
		if slices.Contains(p.rs[p.listed[blob]].Blobs, string(blob)) {
			p.res.Versions++
		}
	}
	if dry {
		return p.res, p.rewrite(ctx, true)
	}
	if err := confirm(l, p.doomed()); err != nil {
		return nil, err
	}
	p.waits = nil
	out := &Rewritten{Moved: make(map[gitstore.OID]gitstore.OID)}
	if err := p.rewriteReceived(ctx, out, nil); err != nil {
		return nil, err
	}
	p.res.Commits = len(out.Moved)
	if err := p.clean(ctx); err != nil {
		return p.res, err
	}
	return p.res, p.prove(ctx)
}

// Waiting returns the receipts of what was purged elsewhere and waits for a
// person to confirm that it is dropped here.
func Waiting(ctx context.Context, l *ledger.Ledger) ([]*records.Receipt, error) {
	p := newPurging(l)
	if err := p.gather(ctx, nil); err != nil {
		return nil, err
	}
	var rs []*records.Receipt
	for _, id := range p.waits {
		rs = append(rs, p.rs[id])
	}
	return rs, nil
}
