package ledger_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// big fills a ledger with enough records for a pool.
func big(t *testing.T, l *ledger.Ledger) {
	t.Helper()
	var ops []grammar.Op
	for i := range 300 {
		name := fmt.Sprint("h", i)
		ops = append(ops,
			grammar.Op{Verb: "add", Kind: "hypothesis", Title: fmt.Sprint("Part ", i, " is slow"), As: name, Paths: []string{fmt.Sprintf("part%d/**", i)}},
			grammar.Op{Verb: "add", Kind: "evidence", Title: fmt.Sprint("Run ", i, " shows it"), Links: map[string][]string{"supports": {"$" + name}}, As: "e" + name, Source: "log"},
			grammar.Op{Verb: "add", Kind: "decision", Title: fmt.Sprint("Change part ", i), Links: map[string][]string{"rests-on": {"$" + name}}, As: "d" + name},
			grammar.Op{Verb: "add", Kind: "task", Title: fmt.Sprint("Look at part ", i)})
		if i%3 == 0 {
			ops = append(ops, grammar.Op{Verb: "support", ID: "$" + name, Cites: []string{"$e" + name}}, grammar.Op{Verb: "accept", ID: "$d" + name})
		}
		if i%3 == 1 {
			ops = append(ops, grammar.Op{Verb: "refute", ID: "$" + name, Reason: "no"})
		}
	}
	if _, err := l.Apply(t.Context(), &grammar.Batch{Format: 1, Ops: ops}, false); err != nil {
		t.Fatal(err)
	}
}

func TestPoolIsTheSameWithoutAnIndex(t *testing.T) {
	l, repo := fresh(t, records.ReviewAny, records.Human)
	big(t, l)
	plain := openPlain(t, repo)
	q := ledger.PoolQuery{Text: "part 17", Files: []string{"part42/x.go"}}
	v, w := view(t, l), view(t, plain)
	a, err := l.Pool(t.Context(), v, q)
	if err != nil {
		t.Fatal(err)
	}
	b, err := plain.Pool(t.Context(), w, q)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a, b) || len(a) == 0 || len(a) == v.Len() {
		t.Fatalf("pools of %d and %d of %d records", len(a), len(b), v.Len())
	}
	for _, title := range []string{"Part 17 is slow", "Part 42 is slow"} {
		ids := v.Titled(records.Hypothesis, records.Normalize(title))
		if len(ids) != 1 || !slices.Contains(a, ids[0]) {
			t.Errorf("the pool lacks %q", title)
		}
	}
	j, err := l.EvalContext(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	x, err := v.Tally(j)
	if err != nil {
		t.Fatal(err)
	}
	y, err := w.Tally(j)
	if err != nil || !maps.Equal(x, y) {
		t.Errorf("tallies differ (%v):\n%v\n%v", err, x, y)
	}
}
