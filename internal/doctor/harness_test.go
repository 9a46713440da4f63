package doctor_test

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/internal/setup"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/claim"
	"github.com/git-ctx/git-ctx/internal/gittest"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

var clock = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

// A someone is a session with a clock of its own to set.
type someone struct {
	*ledger.Ledger
	at *time.Time
}

func session(t testing.TB, repo *gittest.Repo, dir, name string, actor records.Actor) someone {
	t.Helper()
	r, err := gitstore.Open(t.Context(), gitstore.Options{Dir: dir, Env: repo.Env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	at := clock
	return someone{ledger.Open(r, ledger.Options{
		Author: ledger.Author{Actor: actor, Session: name}, Random: rand.Reader,
		Now: func() time.Time { return at },
	}), &at}
}

func (s someone) after(d time.Duration) someone {
	*s.at = clock.Add(d)
	return s
}

func (s someone) claim(t testing.TB, task records.ID) {
	t.Helper()
	if _, err := claim.Take(t.Context(), s.Ledger, string(task), claim.Options{}); err != nil {
		t.Fatal(err)
	}
}

func (s someone) add(t testing.TB, kind records.Kind, title string) (id records.ID) {
	t.Helper()
	_, err := s.Edit(t.Context(), func(tx *ledger.Tx) error {
		r, _, err := tx.Do(grammar.Op{Verb: "add", Kind: string(kind), Title: title})
		if err == nil {
			id = r.ID
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// shop is a repository with one task, and two sessions of the same agent.
func shop(t testing.TB) (repo *gittest.Repo, task records.ID, a, b someone) {
	t.Helper()
	repo = gittest.New(t, gittest.Plain)
	a = session(t, repo, repo.Dir, "one", "agent/a")
	if _, err := setup.Init(t.Context(), a.Ledger, setup.InitOptions{Review: records.ReviewAny}); err != nil {
		t.Fatal(err)
	}
	return repo, a.add(t, records.Task, "Find the spikes"), a, session(t, repo, repo.Dir, "two", "agent/a")
}

func writeFile(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func age(t testing.TB, path string, d time.Duration) {
	t.Helper()
	at := time.Now().Add(-d)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
