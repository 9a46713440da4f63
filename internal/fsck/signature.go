package fsck

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/provenance"
	"github.com/git-ctx/git-ctx/internal/sshsig"
	"github.com/git-ctx/git-ctx/records"
)

// A signedAt is a signed record at the tip of a ref.
type signedAt struct {
	ref gitstore.Ref
	r   *records.Record
}

// signatures verifies every signature at the tips. One on content that was
// edited since has nothing left to fit; the edit is audit's to report.
func (ck *checker) signatures(ctx context.Context) error {
	if len(ck.signed) == 0 {
		return nil
	}
	verify, err := ck.led.Signatures().Check(ctx)
	if err != nil {
		return err
	}
	for _, s := range ck.signed {
		asked, err := ck.asksSignature(ctx, s.ref)
		if err != nil {
			return err
		}
		for _, verdict := range s.r.SignedVerdicts() {
			if verdict.Of != "" && verdict.Of != s.r.Digest() {
				continue
			}
			check, severity, err := CheckSignature, records.Error, soundSignature(s.r, verdict)
			if err == nil && asked && verify != nil {
				check, severity, err = CheckSigner, records.Warning, verify(s.r, verdict)
			}
			if err == nil {
				continue
			}
			given, herr := givenIn(ctx, ck.led, s.ref.OID, s.r.ID, verdict.N)
			if herr != nil {
				return herr
			}
			ck.rep.Faults = append(ck.rep.Faults, Fault{Severity: severity, Check: check, Ref: s.ref.Name, Commit: given,
				Path: records.IDPath(s.r.ID), ID: s.r.ID,
				Message: fmt.Sprintf("the signature of verdict '%s' by %s, given in commit %s: %v", verdict.State, verdict.By, given.Short(), err)})
		}
	}
	return nil
}

// asksSignature reports whether the policy in force at a tip asks for signatures.
func (ck *checker) asksSignature(ctx context.Context, ref gitstore.Ref) (bool, error) {
	snap, err := ck.repo().Snapshot(ctx, string(ref.OID))
	if err != nil {
		return false, err
	}
	p, _ := provenance.ReadPolicy(snap) // an unreadable one is the strictest
	review, err := ck.led.Policies().InForce(ctx, p)
	return review == records.ReviewSigned, err
}

// soundSignature verifies a verdict's signature by its own key, whosever that is.
func soundSignature(r *records.Record, v *records.Verdict) error {
	sig, err := sshsig.Parse(v.Sig)
	if err != nil {
		return err
	}
	return sig.Verify(provenance.Namespace, records.SignedMessage(r, v))
}

// givenIn finds the oldest commit before tip from which on a record has held
// the verdict with nonce n.
func givenIn(ctx context.Context, led *ledger.Ledger, tip gitstore.OID, id records.ID, n string) (gitstore.OID, error) {
	given := tip
	for e, err := range led.History(ctx, ledger.HistoryQuery{From: []gitstore.OID{tip}, Record: id}) {
		if err != nil {
			return "", err
		}
		r, err := led.RecordAt(ctx, e.OID, id)
		var bad *records.SyntaxError
		if err != nil && !errors.As(err, &bad) {
			return "", err
		}
		if r == nil || err != nil || !containsVerdict(r, n) {
			break
		}
		given = e.OID
	}
	return given, nil
}

func containsVerdict(r *records.Record, n string) bool {
	if r.Verdict != nil && r.Verdict.N == n {
		return true
	}
	for i := range r.Also {
		if r.Also[i].N == n {
			return true
		}
	}
	return false
}

// policySignature verifies the signature on a policy change.
func (ck *checker) policySignature(ctx context.Context, e *commitmsg.LogEntry) {
	err := ck.led.Policies().ChangeSigned(ctx, e)
	var unset *provenance.TrustError
	var distrust *sshsig.DistrustError
	fault := Fault{Severity: records.Error, Check: CheckSignature, Commit: e.OID, Path: records.PolicyFile}
	switch {
	case err == nil, errors.As(err, &unset):
		return
	case errors.As(err, &distrust):
		fault.Severity, fault.Check = records.Warning, CheckSigner
	}
	fault.Message = fmt.Sprintf("the signature of the policy: %v", err)
	ck.rep.Faults = append(ck.rep.Faults, fault)
}
