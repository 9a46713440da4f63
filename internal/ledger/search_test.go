package ledger_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/records"
)

// found lists what a search finds in a view, with scores.
func found(t *testing.T, l *ledger.Ledger, v *ledger.View, text string, q index.Query) []string {
	t.Helper()
	j, err := l.EvalContext(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for h, err := range l.Search(t.Context(), v, j, text, q) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%s %s %s %.9f", h.ID, h.State, h.Class, h.Score))
	}
	return out
}

var (
	searches = []string{"part 17", `"part 17"`, "par*", "shows it"}
	living   = index.Query{Classes: []records.Class{records.Asserted, records.OpenQuestion, records.AwaitingReview, records.InDoubt}}
)

// A search finds the same, scores and all, in an index that followed many
// edits, in none, in a damaged one, and in the same commit read as a past one.
func TestSearchIsTheSameWithoutAnIndex(t *testing.T) {
	l, repo := fresh(t, records.ReviewAny, records.Human)
	big(t, l)
	_ = view(t, l)
	for i := range 5 {
		id := do(t, l, grammar.Op{Verb: "add", Kind: "hypothesis", Title: fmt.Sprint("Another part ", i)})
		do(t, l, grammar.Op{Verb: "edit", ID: string(id), Body: "of part 17"})
		do(t, l, grammar.Op{Verb: "refute", ID: string(id), Reason: "no part of it"})
		_ = view(t, l)
	}
	plain := openPlain(t, repo)
	past, err := l.ViewAt(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range searches {
		q := []index.Query{{}, living, {Limit: 3}, {Kinds: []records.Kind{records.Evidence}}}[i]
		want := found(t, l, view(t, l), text, q)
		if got := found(t, plain, view(t, plain), text, q); !slices.Equal(got, want) {
			t.Errorf("%s without an index:\n%s\nwith one:\n%s", text, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if got := found(t, l, past, text, q); !slices.Equal(got, want) {
			t.Errorf("%s as of now:\n%s\nwant:\n%s", text, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if n := len(want); n == 0 || q.Limit > 0 && n > q.Limit {
			t.Errorf("%s finds %d", text, n)
		}
	}
	want := found(t, l, view(t, l), "part 17", living)
	damage(t, filepath.Join(l.Repo().CommonDir(), "ctx", "index"))
	again := open(t, repo, records.Human)
	if got := found(t, again, view(t, again), "part 17", living); !slices.Equal(got, want) {
		t.Errorf("after damage:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// damage overwrites every database below a directory.
func damage(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.db"))
	if err != nil || len(files) == 0 {
		t.Fatalf("databases in %s: %v, %v", dir, files, err)
	}
	for _, f := range files {
		if err := os.WriteFile(f, []byte(strings.Repeat("no database", 1000)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// What is settled does not crowd out what holds, however many of it match better.
func TestSearchReachesPastTheSettled(t *testing.T) {
	l, _ := fresh(t, records.ReviewAny, records.Human)
	var ops []grammar.Op
	for i := range 200 {
		name := fmt.Sprint("h", i)
		ops = append(ops, grammar.Op{Verb: "add", Kind: "hypothesis", Title: fmt.Sprint("cache ", i), As: name, ValidUntil: "2020-01-01"},
			grammar.Op{Verb: "add", Kind: "evidence", Title: fmt.Sprint("seen ", i), Source: "log", As: "e" + name},
			grammar.Op{Verb: "support", ID: "$" + name, Cites: []string{"$e" + name}})
	}
	if _, err := l.Apply(t.Context(), &grammar.Batch{Format: 1, Ops: ops}, false); err != nil {
		t.Fatal(err)
	}
	id := do(t, l, grammar.Op{Verb: "add", Kind: "task", Title: "Last", Body: "a long body about many other things and the cache too"})
	all := found(t, l, view(t, l), "cache", index.Query{})
	if len(all) != 201 || !strings.HasPrefix(all[200], string(id)) {
		t.Fatalf("%d found, the last is %s", len(all), all[len(all)-1])
	}
	if got := found(t, l, view(t, l), "cache", living); len(got) != 1 || !strings.HasPrefix(got[0], string(id)) {
		t.Errorf("of what holds: %v", got)
	}
}
