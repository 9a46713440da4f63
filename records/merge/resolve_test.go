package merge_test

import (
	"errors"
	"testing"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/merge"
)

func disputedHypothesis(t *testing.T) *records.Record {
	t.Helper()
	b := record(records.Hypothesis)
	agreed := judged(b, bundle("supported", digestA, "111111"), bundle("supported", digestA, "222222"))
	refuted := judged(b, bundle("refuted", digestA, "333333"))
	r, _ := mergeOf(t, one(b), with(agreed, func(r *records.Record) { r.Title = "Ours" }), with(refuted, func(r *records.Record) { r.Title = "Theirs" }))
	return r
}

func TestPick(t *testing.T) {
	r := disputedHypothesis(t)
	sides, err := merge.Sides(r, "verdict")
	if err != nil || len(sides) != 3 {
		t.Fatalf("sides %v, %v", sides, err)
	}
	before := bytesOf(t, r)
	refuted, err := merge.Pick(r, "verdict", 1)
	if err != nil {
		t.Fatal(err)
	}
	if refuted.State() != records.Refuted || refuted.Also != nil || len(refuted.Conflicts) != 1 || refuted.Conflicts[0].Field != "title" {
		t.Errorf("picked\n%s", bytesOf(t, refuted))
	}
	supported, err := merge.Pick(r, "verdict", 3)
	if err != nil {
		t.Fatal(err)
	}
	if supported.Verdict.N != "222222" || len(supported.Also) != 1 || supported.Also[0].N != "111111" {
		t.Errorf("who agrees with the picked verdict is gone:\n%s", bytesOf(t, supported))
	}
	if bytesOf(t, r) != before {
		t.Error("the argument changed")
	}
}

func TestResolve(t *testing.T) {
	r := disputedHypothesis(t)
	got, err := merge.Resolve(r, "title", text("Both"))
	if err != nil || got.Title != "Both" || len(got.Conflicts) != 1 {
		t.Fatalf("%v\n%s", err, bytesOf(t, got))
	}
	var side *merge.SideError
	if _, err := merge.Pick(r, "title", 3); !errors.As(err, &side) || side.Have != 2 {
		t.Errorf("side 3 of 2: %v", err)
	}
	if _, err := merge.Pick(r, "title", 0); !errors.As(err, &side) {
		t.Errorf("side 0: %v", err)
	}
	for _, err := range []error{second(merge.Pick(r, "body", 1)), second(merge.Resolve(r, "body", text("x")))} {
		if !errors.Is(err, merge.ErrNoConflict) {
			t.Errorf("no conflict: %v", err)
		}
	}
	var syntax *records.SyntaxError
	if _, err := merge.Resolve(r, "title", text("")); !errors.As(err, &syntax) {
		t.Errorf("empty title: %v", err)
	}
	if _, err := merge.Resolve(r, "title", nil); !errors.As(err, &syntax) {
		t.Errorf("no title: %v", err)
	}
}

func second[A, B any](_ A, b B) B { return b }
