package ledger_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/internal/setup"

	"github.com/git-ctx/git-ctx/internal/worktree"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/claim"
	"github.com/git-ctx/git-ctx/internal/fsck"
	"github.com/git-ctx/git-ctx/internal/gittest"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// inScope returns a ledger of a person's that is bound to a scope.
func inScope(t testing.TB, repo *gittest.Repo, scope string) *ledger.Ledger {
	t.Helper()
	r, err := gitstore.Open(t.Context(), gitstore.Options{Dir: repo.Dir, Env: repo.Env})
	if err != nil {
		t.Fatal(err)
	}
	l := ledger.Open(r, ledger.Options{Author: ledger.Author{Actor: records.Human}, Scope: scope, Random: rand.Reader, Now: func() time.Time { return clock }})
	t.Cleanup(func() { _, _ = l.Close(), r.Close() })
	return l
}

// TestScopeBehindALock reads a scope that cannot keep up, as others hold the
// writers' lock: it is read as it is, and what the project ruled out is vetoed.
func TestScopeBehindALock(t *testing.T) {
	p, repo := fresh(t, records.ReviewAny, records.Human)
	hyp := do(t, p, grammar.Op{Verb: "add", Kind: "hypothesis", Title: "Stampedes"})
	do(t, p, grammar.Op{Verb: "support", ID: string(hyp), Evidence: "seen it", Source: "log"})
	if _, err := p.CreateScope(t.Context(), "alpha"); err != nil {
		t.Fatal(err)
	}
	s := inScope(t, repo, "alpha")
	own := do(t, s, grammar.Op{Verb: "add", Kind: "task", Title: "Look into it"})
	mustBe(t, s, hyp, records.Asserted)

	do(t, p, grammar.Op{Verb: "refute", ID: string(hyp), Reason: "it was the disk"})
	unlock, err := p.Repo().Lock(t.Context(), time.Second)
	if err != nil {
		t.Fatal(err)
	}
	v := view(t, s)
	if st, vetoed := v.Veto(hyp); !vetoed || st != records.Refuted || v.Behind == 0 {
		t.Errorf("behind a lock: veto %q, %v, %d commits behind; want the project's refuted and some", st, vetoed, v.Behind)
	}
	mustBe(t, s, hyp, records.RuledOut)
	// What vetoes is told to those who remember the reading: it has not moved since.
	eval, err := s.EvalContext(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	moved := func(vetoes gitstore.OID) map[records.ID]records.Standing {
		m, err := s.MovedSince(t.Context(), v, ledger.Snapshot{Commit: v.Commit, Vetoes: vetoes, ValidAt: eval.ValidAt}, eval)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	if _, tip, err := p.Tip(t.Context()); err != nil || v.VetoTip != tip {
		t.Errorf("vetoed by %q, %v; want the project's %s", v.VetoTip, err, tip)
	}
	if m := moved(v.VetoTip); len(m) != 0 {
		t.Errorf("since the same reading moved: %v", m)
	}
	if m := moved(""); len(m) == 0 {
		t.Error("the control: without the veto the hypothesis stood")
	}
	if _, ok := v.Record(own); !ok {
		t.Error("behind a lock the scope's own record is gone")
	}
	unlock()
	v = view(t, s)
	if r, _ := v.Record(hyp); v.Behind != 0 || r.State() != records.Refuted {
		t.Errorf("the scope has not kept up: %d commits behind, %s", v.Behind, r.State())
	}
}

// TestScopeKeepsUp lets the project and a scope of several processes write at once.
func TestScopeKeepsUp(t *testing.T) {
	p, repo := fresh(t, records.ReviewAny, records.Human)
	if _, err := p.CreateScope(t.Context(), "alpha"); err != nil {
		t.Fatal(err)
	}
	const each = 6
	var wg sync.WaitGroup
	for i, l := range []*ledger.Ledger{open(t, repo, records.Human), inScope(t, repo, "alpha"), inScope(t, repo, "alpha")} {
		wg.Go(func() {
			for n := range each {
				if _, err := try(t.Context(), l, grammar.Op{Verb: "add", Kind: "task", Title: fmt.Sprintf("Task %d of %d", n, i)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	s := inScope(t, repo, "alpha")
	if n := view(t, s).Len(); n != 3*each {
		t.Errorf("the scope's reader sees %d records, want %d", n, 3*each)
	}
	if n := view(t, p).Len(); n != each {
		t.Errorf("the project's reader sees %d records, want its own %d", n, each)
	}
	for _, l := range []*ledger.Ledger{s, p} {
		rep, err := fsck.Run(t.Context(), l)
		if err != nil || len(rep.Faults) > 0 {
			t.Errorf("fsck: %v, %v", rep.Faults, err)
		}
	}
}

// TestScopeOnlyAdds tries every way of changing what is the project's.
func TestScopeOnlyAdds(t *testing.T) {
	p, repo := fresh(t, records.ReviewAny, records.Human)
	task := do(t, p, grammar.Op{Verb: "add", Kind: "task", Title: "Make it fast"})
	if _, err := p.CreateScope(t.Context(), "alpha"); err != nil {
		t.Fatal(err)
	}
	s := inScope(t, repo, "alpha")
	own := do(t, s, grammar.Op{Verb: "add", Kind: "task", Title: "Try it", Links: map[string][]string{"relates-to": {string(task)}}})
	before, err := p.Repo().Ref(t.Context(), "refs/ctx/heads/main")
	if err != nil {
		t.Fatal(err)
	}
	var refused *ledger.ProjectRecordError
	for _, op := range []grammar.Op{
		{Verb: "start", ID: string(task)},
		{Verb: "edit", ID: string(task), Title: "Make it slow"},
		{Verb: "forget", ID: string(task), Reason: "no use"},
		{Verb: "link", ID: string(task), Links: map[string][]string{"relates-to": {string(own)}}},
	} {
		if _, err := try(t.Context(), s, op); !errors.As(err, &refused) {
			t.Errorf("%s of a record of the project's: %v", op.Verb, err)
		}
	}
	do(t, s, grammar.Op{Verb: "start", ID: string(own)})
	if _, err := claim.Take(t.Context(), s, string(task), claim.Options{}); !errors.As(err, &refused) {
		t.Errorf("a claim: %v", err)
	}
	if _, _, err := s.Tombstones(t.Context(), ledger.VerbPurge, []string{string(task)}, "no use"); !errors.As(err, &refused) {
		t.Errorf("a purge: %v", err)
	}
	if _, err := try(t.Context(), p, grammar.Op{Verb: "link", ID: string(task), Links: map[string][]string{"relates-to": {string(own)}}}); err == nil {
		t.Error("the project links into a scope")
	}
	var whole *ledger.UnscopedError
	if _, err := setup.Init(t.Context(), s, setup.InitOptions{Review: records.ReviewSigned}); !errors.As(err, &whole) {
		t.Errorf("init: %v", err)
	}
	if _, err := worktree.Add(t.Context(), s, t.TempDir()+"/w", ""); !errors.As(err, &whole) {
		t.Errorf("a worktree: %v", err)
	}
	if _, err := s.CreateScope(t.Context(), "beta"); !errors.As(err, &whole) {
		t.Errorf("another scope: %v", err)
	}
	if after, err := p.Repo().Ref(t.Context(), "refs/ctx/heads/main"); err != nil || after != before {
		t.Errorf("the project's branch moved: %v", err)
	}
}
