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

func TestMadeContradictions(t *testing.T) {
	evidence := record(records.Evidence)
	decision := with(record(records.Decision), func(r *records.Record) {
		r.Links = map[records.Relation][]records.ID{records.RestsOn: {evidence.ID}}
	})
	accepted := judged(decision, bundle("accepted", digestA, "111111"))
	retracted := judged(evidence, bundle("retracted", digestA, "222222"))
	view := func(rs ...*records.Record) records.View { return records.NewSet(rs, nil) }
	ours, theirs, merged := view(accepted, evidence), view(decision, retracted), view(accepted, retracted)
	for name, touched := range map[string][]records.ID{"all": nil, "touched": {evidence.ID}} {
		got := merge.Made(merged, ours, theirs, touched)
		if len(got) != 1 || got[0].Rule != records.RuleRestsOnDead {
			t.Errorf("%s: made %v, want %s", name, got, records.RuleRestsOnDead)
		}
		for _, got := range [][]records.Contradiction{
			merge.Made(merged, merged, theirs, touched), merge.Made(merged, ours, merged, touched),
		} {
			if len(got) != 0 {
				t.Errorf("%s: a side's own contradiction is called made: %v", name, got)
			}
		}
	}

	question := func(id records.ID, v records.Verdict) *records.Record {
		return judged(with(record(records.Decision), func(r *records.Record) { r.ID, r.Question = id, "Which cache?" }), v)
	}
	a, b := question("dec-1111111111", bundle("accepted", digestA, "111111")), question("dec-2222222222", bundle("accepted", digestA, "222222"))
	if got := merge.Made(view(a, b), view(a), view(b), []records.ID{b.ID}); len(got) != 1 || got[0].Rule != records.RuleRivalDecisions {
		t.Errorf("two accepted decisions on one question: %v", got)
	}
	parent := judged(record(records.Task), bundle("done", digestA, "111111"))
	child := with(record(records.Task), func(r *records.Record) {
		r.ID = "task-2222222222"
		r.Links = map[records.Relation][]records.ID{records.PartOf: {parent.ID}}
	})
	open := record(records.Task)
	if got := merge.Made(view(parent, child), view(parent), view(open, child), []records.ID{child.ID}); len(got) != 1 || got[0].Rule != records.RuleOpenChild {
		t.Errorf("a closed task with a new child: %v", got)
	}
}
