package purge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// rewrite rewrites the history of every ref, puts the fresh receipts and
// tombstones on top of the local branches, and moves all refs at once.
func (p *purging) rewrite(ctx context.Context, dry bool) error {
	rw, err := p.rewriteOf()
	if err != nil {
		return err
	}
	if dry {
		p.moved, err = p.l.Repo().Rewrite(ctx, rw, nil)
		p.res.Commits = len(p.moved)
		for _, ref := range p.refs {
			if (p.moved[ref.OID] != "" || p.local(ref.Name) && len(p.fresh) > 0) && !p.l.Repo().Hides(ref.Name) {
				p.res.Refs = append(p.res.Refs, gitstore.RefUpdate{Name: ref.Name, Old: ref.OID})
			}
		}
		return err
	}
	moved := false
	p.moved, err = p.l.Repo().Rewrite(ctx, rw, func(m map[gitstore.OID]gitstore.OID) error {
		moved = true
		return p.move(ctx, m)
	})
	p.res.Commits = len(p.moved)
	if err == nil && !moved && len(p.fresh) > 0 {
		err = p.move(ctx, nil) // no history holds it: what is left are unreachable objects
	}
	return err
}

// rewriteOf is the rewrite by all receipts that are known.
func (p *purging) rewriteOf() (gitstore.Rewrite, error) {
	blobs := make(map[gitstore.OID][]byte, len(p.listed))
	for oid, id := range p.listed {
		stub, err := records.Format(records.PurgedStub(id))
		if err != nil {
			return gitstore.Rewrite{}, err
		}
		blobs[oid] = stub
	}
	return gitstore.Rewrite{Tips: p.tips, Blobs: blobs, Message: newScrubber(p.rs.IDs(), p.titles).message}, nil
}

// move moves the refs to what their commits became, with the fresh receipts on top.
func (p *purging) move(ctx context.Context, moved map[gitstore.OID]gitstore.OID) error {
	var updates []gitstore.RefUpdate
	for _, ref := range p.refs {
		now, changed := moved[ref.OID]
		if !changed {
			now = ref.OID
		}
		if len(p.fresh) > 0 && p.local(ref.Name) {
			with, err := p.receiptCommit(ctx, now)
			if err != nil {
				return err
			}
			now = with
		}
		if now != ref.OID {
			updates = append(updates, gitstore.RefUpdate{Name: ref.Name, Old: ref.OID, New: now})
			if !p.l.Repo().Hides(ref.Name) {
				p.res.Refs = append(p.res.Refs, gitstore.RefUpdate{Name: ref.Name, Old: ref.OID, New: now})
			}
		}
	}
	claims, err := p.claims(ctx)
	if err != nil {
		return err
	}
	gitstore.FaultPoint("before-purge")
	return p.l.Repo().UpdateRefs(ctx, "ctx: purge", append(updates, claims...)...)
}

// local reports whether a ref is a branch of this clone's own.
func (p *purging) local(ref string) bool {
	return strings.HasPrefix(ref, p.l.HeadRefs()) || strings.HasPrefix(ref, ledger.CheckoutPrefix)
}

// claims deletes the claims on purged tasks.
func (p *purging) claims(ctx context.Context) ([]gitstore.RefUpdate, error) {
	refs, err := p.l.Repo().Refs(ctx, p.l.ClaimRefs())
	var updates []gitstore.RefUpdate
	for _, ref := range refs {
		if p.fresh[records.ID(strings.TrimPrefix(ref.Name, p.l.ClaimRefs()))] != nil {
			updates = append(updates, gitstore.RefUpdate{Name: ref.Name, Old: ref.OID})
		}
	}
	return updates, err
}

// receiptCommit puts the fresh receipts, and the tombstones of the records that
// the branch has, on top of a commit.
func (p *purging) receiptCommit(ctx context.Context, tip gitstore.OID) (gitstore.OID, error) {
	snap, err := p.l.Repo().Snapshot(ctx, string(tip))
	if err != nil {
		return "", err
	}
	var changes []gitstore.Change
	var named []commitmsg.VerdictDigest
	for _, id := range p.fresh.IDs() {
		receipt := *p.rs[id] // with what an earlier one lists
		changes = append(changes, gitstore.Change{Path: records.ReceiptPath(id), Data: records.FormatReceipt(&receipt)})
		_, err := snap.OID(records.IDPath(id))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if err == nil {
			changes = append(changes, gitstore.Change{Path: records.IDPath(id), Data: p.graves[id]})
			grave, err := records.Parse(records.IDPath(id), p.graves[id])
			if err != nil {
				return "", err
			}
			named = append(named, commitmsg.VerdictDigest{ID: id, Digest: records.TombstoneDigest(grave), As: commitmsg.AsTombstone})
		}
	}
	ids := p.fresh.IDs()
	msg := &commitmsg.Message{Verb: ledger.VerbPurge, Records: ids, Verdicts: named, Body: p.fresh[ids[0]].Reason, Subject: fmt.Sprintf("%s: purge %s", ids[0].Kind(), ids[0])}
	if len(ids) > 1 {
		msg.Subject = fmt.Sprintf("purge: %d records", len(ids))
	}
	if p.signs {
		var rs []*records.Receipt
		for _, id := range ids {
			rs = append(rs, p.rs[id])
		}
		if err := p.l.SignReceipts(ctx, msg, rs, p.l.Now()); err != nil {
			return "", err
		}
	}
	return p.l.CommitOn(ctx, tip, msg, changes)
}
