package merge_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/merge"
)

func fieldsMissing(merged, made, ours, theirs *records.Record) []string {
	var fs []string
	for _, d := range merge.Missing(merged, made, ours, theirs) {
		fs = append(fs, d.Field)
	}
	return slices.Compact(fs)
}

func TestMissing(t *testing.T) {
	base := record(records.Hypothesis)
	base.Tags = []string{"a"}
	ours := judged(with(base, func(r *records.Record) { r.Tags = []string{"a", "b"} }), bundle("supported", digestA, "111111"))
	theirs := judged(with(base, func(r *records.Record) { r.Title, r.Tags = "Other", []string{"a", "c"} }), bundle("refuted", digestA, "222222"))
	merged, _ := mergeOf(t, one(base), ours, theirs)
	mixed := bundle("refuted", digestA, "111111") // a text merge of two bundles
	for _, c := range []struct {
		name string
		made *records.Record
		want []string
	}{
		{"the merge itself", merged, nil},
		{"one side alone", ours, []string{"tags", "title", "verdict"}},
		{"the other alone", theirs, []string{"tags", "verdict"}},
		{"no record", nil, []string{""}},
		{"a mixture of verdicts", with(judged(merged, mixed), func(r *records.Record) { r.Conflicts = nil }), []string{"verdict"}},
		{"a verdict given in the merge", with(judged(merged, bundle("refuted", digestA, "333333")), func(r *records.Record) { r.Conflicts = nil }), nil},
		{"a title written in the merge", with(merged, func(r *records.Record) { r.Title = "Both" }), nil},
		{"forgotten in the merge", forget(merged, "a"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := fieldsMissing(merged, c.made, ours, theirs); !slices.Equal(got, c.want) {
				t.Errorf("missing %q, want %q", got, c.want)
			}
		})
	}
}

// What a merge of ours makes lacks nothing; nor does a merge that took one side
// when the other changed nothing.
func TestLawOurMergeLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMaker(t)
		base := m.record()
		ours, theirs := m.disputed(base), m.disputed(base)
		merged, _ := mergeOf(t, one(base), ours, theirs)
		if got := merge.Missing(merged, merged, ours, theirs); got != nil {
			t.Fatalf("missing %v", got)
		}
		if got := merge.Missing(ours, ours, ours, base); got != nil {
			t.Fatalf("missing %v", got)
		}
		// What is missing of one side alone is brought back by merging on.
		back, _ := mergeOf(t, one(ours), ours, merged)
		mustEqual(t, back, merged, "brought back")
	})
}
