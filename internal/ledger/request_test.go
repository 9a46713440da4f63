package ledger_test

import (
	"crypto/rand"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/gittest"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// asking returns a ledger on the repository whose author makes a request.
func asking(t *testing.T, repo *gittest.Repo, request string) *ledger.Ledger {
	t.Helper()
	r, err := gitstore.Open(t.Context(), gitstore.Options{Dir: repo.Dir, Env: repo.Env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return ledger.Open(r, ledger.Options{Author: ledger.Author{Actor: "agent/test", Request: request}, Random: rand.Reader,
		Now: func() time.Time { return clock }})
}

func addGoal(t *testing.T, l *ledger.Ledger, title string) (*ledger.Result, error) {
	t.Helper()
	res, err := l.Edit(t.Context(), func(tx *ledger.Tx) error {
		_, _, err := tx.Do(grammar.Op{Verb: "add", Kind: "goal", Title: title, New: true})
		return err
	})
	if err == nil {
		t.Cleanup(func() { _ = res.Close() })
	}
	return res, err
}

// TestRequestRepeated makes one request several times at once, and again later:
// one commit answers them all, while the same edit without a key is made anew.
func TestRequestRepeated(t *testing.T) {
	_, repo := fresh(t, records.ReviewAny, "agent/test")
	results := make([]*ledger.Result, 4)
	var wg sync.WaitGroup
	for i := range results {
		l := asking(t, repo, "k1 goal")
		wg.Go(func() {
			var err error
			if results[i], err = addGoal(t, l, "Keep it fast"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
	addOther, err := addGoal(t, asking(t, repo, ""), "Keep it fast")
	if err != nil {
		t.Fatal(err)
	}
	last, err := addGoal(t, asking(t, repo, "k1 goal"), "Keep it fast")
	if err != nil {
		t.Fatal(err)
	}
	fresh := 0
	for _, res := range append(results, last) {
		if !res.Repeated {
			fresh++
		}
		if res.Commit != last.Commit || len(res.Created) != 1 || res.Created[0] != last.Created[0] {
			t.Errorf("commit %s created %v, want what %s did: %v", res.Commit, res.Created, last.Commit, last.Created)
		}
		if _, ok := res.View.Record(last.Created[0]); !ok {
			t.Error("the result's view lacks the record")
		}
	}
	if fresh != 1 {
		t.Errorf("%d of 5 requests were answered by an edit, want 1", fresh)
	}
	if addOther.Repeated || addOther.Commit == last.Commit {
		t.Error("an edit without a key was taken for a repeated request")
	}
}

func TestRequestKeyOfAnother(t *testing.T) {
	_, repo := fresh(t, records.ReviewAny, "agent/test")
	if _, err := addGoal(t, asking(t, repo, "k1 goal"), "Keep it fast"); err != nil {
		t.Fatal(err)
	}
	_, err := addGoal(t, asking(t, repo, "k1 other"), "Keep it small")
	var reused *ledger.RequestReusedError
	if !errors.As(err, &reused) || reused.Key != "k1" {
		t.Errorf("got %v", err)
	}
	if _, err := addGoal(t, asking(t, repo, "k2 other"), "Keep it small"); err != nil {
		t.Error(err)
	}
}

// TestRequestOfCheckpoint repeats the request for a checkpoint, which alone would
// find nothing new.
func TestRequestOfCheckpoint(t *testing.T) {
	_, repo := fresh(t, records.ReviewAny, "agent/test")
	if _, err := addGoal(t, asking(t, repo, ""), "Keep it fast"); err != nil {
		t.Fatal(err)
	}
	first, _, err := asking(t, repo, "c1 learned").Checkpoint(t.Context(), "Learned")
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := asking(t, repo, "c1 learned").Checkpoint(t.Context(), "Learned")
	if err != nil || again.OID != first.OID {
		t.Errorf("again: %v, %v; want %s", again, err, first.OID)
	}
	if _, _, err := asking(t, repo, "c2 learned").Checkpoint(t.Context(), "Learned"); !errors.Is(err, ledger.ErrNothingNew) {
		t.Errorf("another request: %v", err)
	}
}
