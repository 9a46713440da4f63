package ledger

import (
	"context"
	"slices"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/provenance"
	"github.com/git-ctx/git-ctx/records"
)

// humanVerdicts lists the human verdicts that a transaction of this person gives.
// They are read back as a reader will see them.
func (l *Ledger) humanVerdicts(tx *Tx) ([]commitmsg.VerdictDigest, error) {
	if l.opts.Author.Actor != records.Human {
		return nil, nil
	}
	var out []commitmsg.VerdictDigest
	for _, id := range tx.Changed() {
		r, _ := tx.Overlay.Record(id)
		if len(records.HumanVerdictsOf(r)) == 0 {
			continue
		}
		data, err := records.Format(r)
		if err == nil {
			r, err = records.Parse("", data)
		}
		if err != nil {
			return nil, err
		}
		var was []records.HumanVerdict
		if old, ok := tx.before.Record(id); ok {
			was = records.HumanVerdictsOf(old)
		}
		for _, c := range records.HumanVerdictsOf(r) {
			if !slices.Contains(was, c) {
				out = append(out, commitmsg.VerdictDigest{ID: id, Digest: c.Digest})
			}
		}
	}
	return out, nil
}

// provenanceOf tells of a verdict what the history proves of it.
func provenanceOf(verified func(records.ID, *records.Verdict) bool) func(*records.Record, *records.Verdict) records.Provenance {
	return func(r *records.Record, m *records.Verdict) records.Provenance {
		named := m.Actor == records.Human && (!records.NeedsProvenance(r.Kind, m.State) || verified(r.ID, m))
		return records.Provenance{Named: named}
	}
}

// verified reports whether the history of a view proves a human verdict.
// A question that cannot be answered counts as no; [View.Err] then tells.
func (v *View) verified(id records.ID, verdict *records.Verdict) bool {
	if v.verdicts == nil && len(v.unverified) == 0 {
		return true
	}
	hv := records.HumanVerdictOf(id, verdict)
	if v.verdicts == nil {
		return !v.unverified[hv.Digest]
	}
	ok, err := v.verdicts.Verified(hv, true)
	if err != nil {
		v.failed.Store(&err)
	}
	return ok
}

// verified reports the same of a transaction, which proves what it lets a person say.
func (tx *Tx) verified(id records.ID, verdict *records.Verdict) bool {
	if tx.l.opts.Author.Actor == records.Human && tx.Overlay.Contains(id) {
		old, ok := tx.before.Record(id)
		if !ok || !slices.Contains(records.HumanVerdictsOf(old), records.HumanVerdictOf(id, verdict)) {
			return true
		}
	}
	return tx.before.verified(id, verdict)
}

// verifyNew verifies those human verdicts of a record laid over an index that the
// index does not know.
func (v *View) verifyNew(t *provenance.Verdicts, r *records.Record) error {
	var was []records.HumanVerdict
	if old, ok := v.snap.Record(r.ID); ok {
		was = records.HumanVerdictsOf(old)
	}
	for _, c := range records.HumanVerdictsOf(r) {
		if slices.Contains(was, c) {
			continue
		}
		ok, err := t.Verified(c, true)
		if err != nil {
			return err
		}
		if v.unverified == nil {
			v.unverified = make(map[string]bool)
		}
		v.unverified[c.Digest] = !ok
	}
	return nil
}

// GivenIn returns the commit from which on a record has held its present
// verdict; "" when that cannot be told.
func (l *Ledger) GivenIn(ctx context.Context, tip gitstore.OID, r *records.Record) string {
	if r.Verdict == nil {
		return ""
	}
	commit := ""
	digest := records.VerdictDigest(r.ID, r.Verdict)
	for e, err := range l.History(ctx, HistoryQuery{From: []gitstore.OID{tip}, Record: r.ID}) {
		if err != nil {
			return ""
		}
		was, err := l.RecordAt(ctx, e.OID, r.ID)
		if err != nil || was == nil || was.Verdict == nil || records.VerdictDigest(was.ID, was.Verdict) != digest {
			break
		}
		commit = string(e.OID)
	}
	return commit
}
