package ledger

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/provenance"
	"github.com/git-ctx/git-ctx/records"
)

// bundles lists what a transaction gives: verdicts, challenges and tombstones, read back as a
// reader will see them. What a record is born with is named where a person gave it: of an agent
// the record's name says as much.
func (l *Ledger) bundles(tx *Tx) ([]commitmsg.VerdictDigest, error) {
	var out []commitmsg.VerdictDigest
	for _, id := range tx.Changed() {
		r, _ := tx.Overlay.Record(id)
		data, err := records.Format(r)
		if err == nil {
			r, err = records.Parse("", data)
		}
		if err != nil {
			return nil, err
		}
		was := make(map[string]bool)
		if old, ok := tx.before.Record(id); ok {
			for _, v := range bundlesOf(old) {
				was[v.Digest] = true
			}
		}
		for _, v := range bundlesOf(r) {
			if !was[v.Digest] && (l.opts.Author.Actor == records.Human || !bornSo(r, v)) {
				out = append(out, v)
			}
		}
	}
	return out, nil
}

// bundlesOf names the bundles of a record.
func bundlesOf(r *records.Record) []commitmsg.VerdictDigest {
	if r.Tombstone != nil {
		return []commitmsg.VerdictDigest{{ID: r.ID, Digest: records.TombstoneDigest(r), As: commitmsg.AsTombstone}}
	}
	var out []commitmsg.VerdictDigest
	add := func(v *records.Verdict, as string) {
		out = append(out, commitmsg.VerdictDigest{ID: r.ID, Digest: records.VerdictDigest(r.ID, v), As: as})
	}
	if r.Verdict != nil {
		add(r.Verdict, string(r.Verdict.State))
	}
	for i := range r.Also {
		add(&r.Also[i], string(r.Also[i].State))
	}
	for i := range r.Challenges {
		add(&r.Challenges[i], commitmsg.AsChallenge)
	}
	return out
}

// bornSo reports whether a bundle of r is the verdict that every record of its kind is born with.
func bornSo(r *records.Record, v commitmsg.VerdictDigest) bool {
	return v.As == string(r.Kind.Schema().Birth()) && r.Verdict != nil && r.Verdict.Asks == "" && r.Verdict.After == ""
}

// provenance tells what the history of a view proves about a verdict. A question that cannot be
// answered counts as no; [View.Err] then tells.
func (v *View) provenance(r *records.Record, m *records.Verdict) records.Provenance {
	if v.verdicts == nil {
		return v.faults.Provenance(r, m)
	}
	p, err := v.verdicts.Provenance(r, m)
	if err != nil {
		v.failed.Store(&err)
	}
	return p
}

// provenanceAnew tells the same of a verdict that the view does not hold.
func (tx *Tx) provenanceAnew(r *records.Record, m *records.Verdict) records.Provenance {
	v := tx.before
	if v.anew == nil {
		t, err := tx.l.verdictsOf(tx.ctx, v.Policy, "", v.Commit)
		if err != nil {
			v.failed.Store(&err)
			return records.Provenance{}
		}
		v.anew = t
	}
	p, err := v.anew.Provenance(r, m)
	if err != nil {
		v.failed.Store(&err)
	}
	return p
}

// lostBy lists what commits made without git ctx took from a record.
func (v *View) lostBy(id records.ID) []records.Loss {
	losses := slices.Clone(v.lost[id])
	if v.verdicts == nil {
		return append(losses, v.faults.Lost(id)...)
	}
	if r, ok := v.Record(id); ok && r.Tombstone != nil {
		loss, err := v.verdicts.Loss(r)
		if err != nil {
			v.failed.Store(&err)
		}
		if loss != nil {
			losses = append(losses, *loss)
		}
	}
	return losses
}

// provenance tells the same of a transaction, which proves what it gives.
func (tx *Tx) provenance(r *records.Record, m *records.Verdict) records.Provenance {
	if m.N != "" && m.N == tx.given[r.ID] {
		return records.Provenance{Named: m.Actor == records.Human}
	}
	return tx.before.provenance(r, m)
}

// verdictsOf returns what tells of the verdicts of a commit, from another on.
func (l *Ledger) verdictsOf(ctx context.Context, policy *records.Policy, from, to gitstore.OID) (*provenance.Verdicts, error) {
	o := provenance.VerdictOptions{From: from, To: to, Cache: filepath.Join(l.scopeDir(l.repo.CommonDir()), "namings")}
	var err error
	if o.Review, err = l.policies.InForce(ctx, policy); err == nil {
		_, o.Signed, err = l.signatures.Counting(ctx, o.Review)
	}
	return provenance.NewVerdicts(ctx, l.repo, o), err
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
