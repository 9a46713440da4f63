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
			ck.report(ref, Fault{Severity: records.Error, Check: CheckReceipt, Path: e.path, ID: r.ID,
				Message: fmt.Sprintf("%s was purged, and stands here without a tombstone", r.ID)})
		}
	}
	return nil
}

// purged looks for what receipts list: reachable it is an error, and elsewhere
// in the repository a warning.
func (ck *checker) purged(ctx context.Context) {
	rs := make(ledger.Receipts)
	for _, r := range ck.listed {
		if err := rs.Add(r); err != nil {
			return // receipts are kept by record
		}
	}
	present, err := ck.repo().Present(ctx, rs.Blobs())
	if err != nil || len(present) == 0 {
		return // git fsck tells what cannot be read
	}
	reached := false
	for _, ref := range ck.sound {
		ids, err := ck.led.PurgedReached(ctx, ref.OID, rs, present)
		if err != nil {
			ck.damage(ref, CheckObject, err)
			continue
		}
		for _, id := range ids {
			reached = true
			ck.report(ref, Fault{Severity: records.Error, Check: CheckPurged, ID: id,
				Message: fmt.Sprintf("its history holds what was purged of %s; 'git ctx fetch' rewrites it by the receipts", id)})
		}
	}
	if !reached {
		ck.rep.Faults = append(ck.rep.Faults, Fault{Severity: records.Warning, Check: CheckPurged, Ref: ledger.ReceiptsRoot,
			Message: fmt.Sprintf("%d purged objects are in the repository, though no ref of ours reaches them; 'git ctx fetch' drops them", len(present))})
	}
}
