package merge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/merge"
)

func policyOf(t fataler, bases []*records.Policy, ours, theirs *records.Policy) (*records.Policy, merge.Report) {
	t.Helper()
	p, rep := merge.Policy(bases, ours, theirs)
	back, repBack := merge.Policy(reversed(bases), theirs, ours)
	if a, b := policyText(p), policyText(back); a != b || fmt.Sprint(rep) != fmt.Sprint(repBack) {
		t.Fatalf("the result depends on side order:\n%s%v\n--- exchanged\n%s%v", a, rep, b, repBack)
	}
	return p, rep
}

func policyText(p *records.Policy) string {
	if p == nil {
		return "absent"
	}
	return string(records.FormatPolicy(p))
}

func TestPolicy(t *testing.T) {
	parse := func(s string) *records.Policy {
		if s == "" {
			return nil
		}
		p, err := records.ParsePolicy([]byte("format: 1\n" + s))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	levels := func(s string) string { return "review: human\naudit:\n  levels:\n    no-goal: " + s + "\n" }
	suppress := func(reason, until string) string {
		return "review: human\naudit:\n  suppress:\n    - rule: no-goal\n      record: task-0123456789\n      reason: " + reason +
			"\n      actor: human\n      at: 2026-11-30T09:00:00Z\n" + until
	}
	const march, may = "      until: 2027-03-01T00:00:00Z\n", "      until: 2027-05-01T00:00:00Z\n"
	const human, signed, anyone = "review: human\n", "review: signed\n", "review: any\n"
	tests := []struct {
		name, base, ours, theirs, want string
	}{
		{"one side loosens", human, anyone, human, anyone},
		{"both change: stricter", human, anyone, signed, signed},
		{"no base: stricter", "", anyone, human, human},
		{"louder level", human, levels("off"), levels("error"), levels("error")},
		{"removed against changed level", levels("info"), human, levels("warning"), levels("warning")},
		{"removed level", levels("info"), human, levels("info"), human},
		{"suppressed on one side", human, suppress("known", ""), human, suppress("known", "")},
		{"no longer suppressed on one side", suppress("known", ""), suppress("known", ""), human, human},
		{"suppressed longer, and no longer", suppress("known", march), suppress("known", may), human, human},
		{"suppressed until two dates", human, suppress("known", may), suppress("known", march), suppress("known", march)},
		{"suppressed for ever and until a date", human, suppress("known", ""), suppress("known", may), suppress("known", may)},
		{"suppressed for two reasons", human, suppress("known", ""), suppress("meant", ""), suppress("known", "")},
		{"smaller limit", human, human + "packet:\n  budget: 900\n", human + "packet:\n  budget: 500\n  max-chars: 80\n", human + "packet:\n  budget: 500\n  max-chars: 80\n"},
		{"removed file", human, "", human, human},
		{"unknown keys of both", human, human + "x-a: 1\n", human + "x-b: 2\n", human + "x-a: 1\nx-b: 2\n"},
		{"unknown key named like a record's field", human + "tags: a\n", human + "tags: b\n", human + "tags: a\n", human + "tags: b\n"},
		{
			"unknown key changed on both sides", human + "x-a: 1\n", human + "x-a: 2\n", human + "x-a: 3\n",
			human + "conflicts:\n  - field: x-a\n    bases:\n      - 1\n    sides:\n      - 2\n      - 3\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, rep := policyOf(t, []*records.Policy{parse(tt.base)}, parse(tt.ours), parse(tt.theirs))
			if got := policyText(p); got != "format: 1\n"+tt.want {
				t.Errorf("got\n%s", got)
			}
			if conflict := strings.Contains(tt.want, "conflicts:"); conflict != slices.Equal(rep.Conflicts, []string{"x-a"}) {
				t.Errorf("conflicts %v", rep.Conflicts)
			}
			if _, err := records.ParsePolicy([]byte(policyText(p))); err != nil {
				t.Error(err)
			}
		})
	}
	// the conflict is settled by the side that takes it out
	c := parse(tests[len(tests)-1].want)
	p, _ := policyOf(t, []*records.Policy{c}, c, parse(human+"x-a: 2\n"))
	if got := policyText(p); got != "format: 1\n"+human+"x-a: 2\n" {
		t.Errorf("settled:\n%s", got)
	}
}

func TestPolicyFormatNeverFalls(t *testing.T) {
	at := func(n int) *records.Policy { return &records.Policy{Format: n, Review: records.ReviewHuman} }
	if p, _ := policyOf(t, []*records.Policy{at(2)}, at(1), at(2)); p.Format != 2 {
		t.Errorf("format %d", p.Format)
	}
	if p, _ := policyOf(t, []*records.Policy{at(1)}, at(1), at(2)); p.Format != 2 {
		t.Errorf("format %d", p.Format)
	}
}

func TestPolicyLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		policy := func(name string) *records.Policy {
			p := &records.Policy{Format: 1}
			p.Review = rapid.SampledFrom([]records.Review{"any", "human", "signed", "future"}).Draw(t, name+" review")
			p.Budget = rapid.SampledFrom([]int{0, 500, 900}).Draw(t, name+" budget")
			if s := rapid.SampledFrom([]records.Severity{"", "off", "info", "error"}).Draw(t, name+" level"); s != "" {
				p.Audit = map[string]records.Severity{"no-goal": s}
			}
			if reason := rapid.SampledFrom([]string{"", "known", "meant"}).Draw(t, name+" suppressed"); reason != "" {
				p.Suppress(records.Suppression{Rule: "no-goal", Record: "task-0123456789", Reason: reason, Actor: records.Human})
			}
			if v := rapid.SampledFrom([]string{"", "one", "two"}).Draw(t, name+" extra"); v != "" {
				p.Extra = []records.Field{{Name: "x-a", Value: text(v)}}
			}
			return p
		}
		b, x, y := policy("base"), policy("x"), policy("y")
		bases := []*records.Policy{b}
		for _, got := range []*records.Policy{first(policyOf(t, bases, b, x)), first(policyOf(t, bases, x, x)), first(policyOf(t, nil, x, x))} {
			if policyText(got) != policyText(x) {
				t.Fatalf("got\n%s--- want\n%s", policyText(got), policyText(x))
			}
		}
		policyOf(t, []*records.Policy{b, policy("other base")}, x, y)
	})
}

func first[A, B any](a A, _ B) A { return a }
