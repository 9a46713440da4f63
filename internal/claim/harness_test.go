package claim_test

import (
	"os"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/internal/setup"

	"github.com/git-ctx/git-ctx/internal/gittest"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

var clock = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

// fresh returns an initialised ledger in a new repository.
func fresh(t testing.TB, review records.Review, actor records.Actor) (*ledger.Ledger, *gittest.Repo) {
	t.Helper()
	repo := gittest.New(t, gittest.Plain)
	l := session(t, repo, repo.Dir, "", actor).Ledger
	if _, err := setup.Init(t.Context(), l, setup.InitOptions{Review: review}); err != nil {
		t.Fatal(err)
	}
	return l, repo
}

func do(t testing.TB, l *ledger.Ledger, op grammar.Op) (id records.ID) {
	t.Helper()
	_, err := l.Edit(t.Context(), func(tx *ledger.Tx) error {
		r, _, err := tx.Do(op)
		if err == nil {
			id = r.ID
		}
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v", op.Verb, err)
	}
	return id
}

func state(t testing.TB, l *ledger.Ledger, id records.ID) records.State {
	t.Helper()
	v, err := l.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.Close() })
	r, ok := v.Record(id)
	if !ok {
		t.Fatalf("no record %s", id)
	}
	return r.State()
}

func writeFile(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
