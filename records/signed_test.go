package records_test

import (
	"testing"

	"github.com/git-ctx/git-ctx/records"
)

const signedRecord = `id: dec-4k2p9x7m3q
kind: decision
title: Use a write-through cache
verdict:
  state: accepted
  of: 5b1e7a0c93d2
  by: Ada Example
  actor: human
  at: 2026-11-30T10:12:31Z
  n: 8f3k2m
created:
  by: Ada Example
  actor: human
  at: 2026-11-30T09:00:00Z
`

func signedExample(t *testing.T) *records.Record {
	t.Helper()
	r, err := records.Parse("", []byte(signedRecord))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The bytes are what others verify: they never change.
func TestSignedMessage(t *testing.T) {
	const want = `signed: git-ctx verdict 1
id: dec-4k2p9x7m3q
content: ee83119d1f15318de2b8e992220d41c5ed5e76ef119742fc4c84c1564dc05802
verdict:
  state: accepted
  of: 5b1e7a0c93d2
  by: Ada Example
  actor: human
  at: 2026-11-30T10:12:31Z
  n: 8f3k2m
`
	r := signedExample(t)
	got := string(records.SignedMessage(r, r.Verdict))
	if got != want {
		t.Errorf("got\n%s", got)
	}
	r.Verdict.Sig, r.Tags = "any", []string{"cache"}
	if again := string(records.SignedMessage(r, r.Verdict)); again != got {
		t.Error("the signature or the tags are part of it")
	}
	for name, change := range map[string]func(*records.Record){
		"id":     func(r *records.Record) { r.ID = "dec-4k2p9x7m3r" },
		"title":  func(r *records.Record) { r.Title = "Use none" },
		"state":  func(r *records.Record) { r.Verdict.State = records.Rejected },
		"reason": func(r *records.Record) { r.Verdict.Reason = "x" },
		"by":     func(r *records.Record) { r.Verdict.By = "Eve Example" },
		"despite": func(r *records.Record) {
			r.Verdict.Despite = []records.Despite{{ID: "dec-4k2p9x7m3r", State: records.Accepted, Of: "0123456789ab"}}
		},
		"created": func(r *records.Record) { r.Created.By = "Eve Example" },
	} {
		r := signedExample(t)
		change(r)
		if string(records.SignedMessage(r, r.Verdict)) == got {
			t.Errorf("%s is not part of it", name)
		}
	}
}

func TestSignedVerdicts(t *testing.T) {
	r := signedExample(t)
	twin, other := r.Verdict.Clone(), r.Verdict.Clone()
	twin.Sig, twin.N = "sig", "8f3k2n"
	other.Sig, other.Of = "sig", "000000000000"
	r.Also = []records.Verdict{other, twin}
	vs := r.SignedVerdicts()
	if len(vs) != 1 || vs[0].N != "8f3k2n" {
		t.Errorf("got %d", len(vs))
	}
	r.Verdict.Sig = "sig"
	if vs := r.SignedVerdicts(); len(vs) != 2 || vs[0].N != "8f3k2m" {
		t.Errorf("got %d", len(vs))
	}
}
