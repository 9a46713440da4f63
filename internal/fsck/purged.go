package fsck

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// forgottenWhole reports whether a tombstone is all that a record holds.
func forgottenWhole(r *records.Record) bool {
	bare := r.Forget(*r.Tombstone, "")
	bare.Tombstone = r.Tombstone
	if r.Verdict != nil {
		v := *r.Verdict
		v.Reason, v.Of, v.Cites = "", "", nil // of one that another tool made, which tell little
		bare.Verdict = &v
		c := r.Clone()
		c.Verdict = &v
		r = c
	}
	return reflect.DeepEqual(bare, r)
}

// receipts checks the receipts of a tip against its records.
func (ck *checker) receipts(ctx context.Context, ref gitstore.Ref, rs, es []file) error {
	for _, e := range rs {
		data, err := ck.repo().ReadBlob(ctx, e.oid)
		if err != nil {
			return err
		}
		r, err := records.ParseReceipt(e.path, data)
		if err != nil {
			ck.report(ref, Fault{Severity: records.Error, Check: CheckReceipt, Path: e.path, Message: err.Error()})
			continue
		}
		ck.listed = append(ck.listed, r)
		i := slices.IndexFunc(es, func(x file) bool { return x.path == records.IDPath(r.ID) })
		if i < 0 {
			continue // the branch never had it
		}
		if c := ck.seen[es[i]]; c.r != nil && !c.r.Forgotten() {
			ck.untombed = append(ck.untombed, standsPurged{ref, r.ID})
		}
	}
	return nil
}

// standsPurged is a record that a receipt is of and that is not a tombstone at a tip.
type standsPurged struct {
	ref gitstore.Ref
	id  records.ID
}

// purged checks who made the receipts, and looks for what they list: reachable it
// is an error, and elsewhere in the repository a warning.
func (ck *checker) purged(ctx context.Context) {
	rs := make(ledger.Receipts)
	for _, r := range ck.listed {
		if err := rs.Add(r); err != nil {
			return // receipts are kept by record
		}
	}
	sound, faults, err := ck.led.SoundReceipts(ctx, rs, oidsOf(ck.sound)...)
	if err != nil {
		return // git fsck tells what cannot be read
	}
	present, err := ck.repo().Present(ctx, rs.Blobs())
	if err != nil {
		return
	}
	for _, fault := range faults {
		severity := records.Warning
		if slices.ContainsFunc(fault.Blobs, func(b gitstore.OID) bool { return slices.Contains(present, b) }) {
			severity = records.Error
		}
		ck.rep.Faults = append(ck.rep.Faults, Fault{Severity: severity, Check: CheckReceipt, Ref: ledger.ReceiptsRoot, Path: fault.Path, Message: fault.What() + "; it changes nothing"})
	}
	for _, u := range ck.untombed {
		if sound[u.id] != nil {
			ck.report(u.ref, Fault{Severity: records.Error, Check: CheckReceipt, Path: records.ReceiptPath(u.id), ID: u.id,
				Message: fmt.Sprintf("%s was purged, and stands here without a tombstone", u.id)})
		}
	}
	ck.rep.Receipts = len(rs)
	for _, r := range rs {
		if !slices.ContainsFunc(r.Blobs, func(b string) bool { return slices.Contains(present, gitstore.OID(b)) }) {
			ck.rep.NotCheckable++
		}
	}
	present = slices.DeleteFunc(present, func(b gitstore.OID) bool { return !slices.Contains(sound.Blobs(), b) })
	if len(present) == 0 {
		return
	}
	reached := false
	for _, ref := range ck.sound {
		ids, err := ck.led.PurgedReached(ctx, ref.OID, sound, present)
		if err != nil {
			ck.damage(ref, CheckObject, err)
			continue
		}
		for _, id := range ids {
			reached = true
			ck.report(ref, Fault{Severity: records.Error, Check: CheckPurged, ID: id,
				Message: fmt.Sprintf("its history holds what was purged of %s; 'git ctx purge --received' rewrites it by the receipts", id)})
		}
	}
	if !reached {
		ck.rep.Faults = append(ck.rep.Faults, Fault{Severity: records.Warning, Check: CheckPurged, Ref: ledger.ReceiptsRoot,
			Message: fmt.Sprintf("%d purged objects are in the repository, though no ref of ours reaches them; 'git ctx purge --received' drops them, or names what of yours does", len(present))})
	}
}
