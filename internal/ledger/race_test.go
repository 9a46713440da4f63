package ledger_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// TestLongLivedLedger shares one open ledger between readers and writers, as a
// server does, while all packs and packed refs are rewritten under it. What a
// reader sees only grows, and holds every write that had returned. Run it with -race.
func TestLongLivedLedger(t *testing.T) {
	const writers, each, readers = 3, 4, 3
	l, repo := fresh(t, records.ReviewAny, records.Human)
	first := do(t, l, grammar.Op{Verb: "add", Kind: "goal", Title: "Keep p99 under 50 ms"})

	var mu sync.Mutex
	written := []records.ID{first}
	known := func() []records.ID {
		mu.Lock()
		defer mu.Unlock()
		return written[:len(written):len(written)]
	}
	done := make(chan struct{})
	var writing, around sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for i := range each {
				id, err := try(t.Context(), l, grammar.Op{Verb: "add", Kind: "task", Title: fmt.Sprintf("Write %d of writer %d", i, w)})
				if err != nil {
					t.Errorf("writer %d: %v", w, err)
					return
				}
				mu.Lock()
				written = append(written, id)
				mu.Unlock()
			}
		})
	}
	reads := make([]int, readers)
	for i := range readers {
		around.Go(func() {
			for ; ; reads[i]++ {
				select {
				case <-done:
					return
				default:
				}
				if err := readAll(t, l, known()); err != nil {
					t.Errorf("reader %d: %v", i, err)
					return
				}
			}
		})
	}
	rewritten := 0
	around.Go(func() {
		for {
			for _, args := range [][]string{{"pack-refs", "--all"}, {"repack", "-adq"}, {"prune-packed"}, {"gc", "--quiet"}} {
				if out, err := repo.TryGit(args...); err != nil {
					t.Errorf("git %s: %v %s", args[0], err, out)
				}
			}
			rewritten++
			select {
			case <-done:
				return
			default:
			}
		}
	})
	writing.Wait()
	close(done)
	around.Wait()

	t.Logf("reads %v, packs rewritten %d times", reads, rewritten)
	if len(known()) != 1+writers*each {
		t.Errorf("%d writes were acknowledged, want %d", len(known()), 1+writers*each)
	}
	if err := readAll(t, l, known()); err != nil {
		t.Error(err)
	}
	if got, want := repo.Git("rev-list", "--count", "--grep=^Ctx-Verb: add", "refs/ctx/heads/main"), fmt.Sprint(len(known())); got != want {
		t.Errorf("%s commits add records, want %s", got, want)
	}
	repo.Fsck()
}

// readAll reads in every way a server does, and misses none of the records.
func readAll(t *testing.T, l *ledger.Ledger, ids []records.ID) error {
	v, err := l.View(t.Context())
	if err != nil {
		return err
	}
	if len(v.Unreadable) > 0 {
		return fmt.Errorf("unreadable: %v", v.Unreadable)
	}
	for _, id := range ids {
		if _, ok := v.Record(id); !ok {
			return fmt.Errorf("%s is not in commit %s", id, v.Commit)
		}
	}
	if _, err := l.EvalContext(t.Context(), v); err != nil {
		return err
	}
	commits := 0
	for _, err := range l.History(t.Context(), ledger.HistoryQuery{Record: ids[0]}) {
		if err != nil {
			return fmt.Errorf("history of %s: %w", ids[0], err)
		}
		commits++
	}
	if commits != 1 {
		return fmt.Errorf("history of %s: %d commits, want 1", ids[0], commits)
	}
	old, err := l.ViewAt(t.Context(), string(v.Commit))
	if err == nil && old.Commit != v.Commit {
		err = fmt.Errorf("view at %s is of %s", v.Commit, old.Commit)
	}
	return err
}
