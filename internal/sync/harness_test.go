package sync_test

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/gittest"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

var clock = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

// open returns a ledger on a repository, as the given actor.
func open(t testing.TB, repo *gittest.Repo, actor records.Actor) *ledger.Ledger {
	t.Helper()
	r, err := gitstore.Open(t.Context(), gitstore.Options{Dir: repo.Dir, Env: repo.Env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return ledger.Open(r, ledger.Options{
		Author: ledger.Author{Actor: actor}, Random: rand.Reader,
		Now: func() time.Time { return clock },
	})
}

func do(t testing.TB, l *ledger.Ledger, op grammar.Op) records.ID {
	t.Helper()
	id, err := try(t.Context(), l, op)
	if err != nil {
		t.Fatalf("%s: %v", op.Verb, err)
	}
	return id
}

func try(ctx context.Context, l *ledger.Ledger, op grammar.Op) (records.ID, error) {
	var id records.ID
	_, err := l.Edit(ctx, func(tx *ledger.Tx) error {
		r, _, err := tx.Do(op)
		if err == nil {
			id = r.ID
		}
		return err
	})
	return id, err
}

func view(t testing.TB, l *ledger.Ledger) *ledger.View {
	t.Helper()
	v, err := l.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v
}
