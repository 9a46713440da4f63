package ledger_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/internal/setup"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/gittest"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/internal/provenance"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/standing"
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

// fresh returns an initialised ledger in a new repository.
func fresh(t testing.TB, review records.Review, actor records.Actor) (*ledger.Ledger, *gittest.Repo) {
	t.Helper()
	repo := gittest.New(t, gittest.Plain)
	l := open(t, repo, actor)
	if _, err := setup.Init(t.Context(), l, setup.InitOptions{Review: review}); err != nil {
		t.Fatal(err)
	}
	return l, repo
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

func writeFile(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func view(t testing.TB, l *ledger.Ledger) *ledger.View {
	t.Helper()
	v, err := l.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func state(t testing.TB, l *ledger.Ledger, id records.ID) records.State {
	t.Helper()
	r, ok := view(t, l).Record(id)
	if !ok {
		t.Fatalf("record %s is not there", id)
	}
	return r.State()
}

func TestInitIsConstantAndIdempotent(t *testing.T) {
	a, _ := fresh(t, "", records.Human)
	b, _ := fresh(t, "", "agent/x")
	if va, vb := view(t, a), view(t, b); va.Commit != vb.Commit {
		t.Errorf("two inits made %s and %s: they must share their root", va.Commit, vb.Commit)
	}
	res, err := setup.Init(t.Context(), a, setup.InitOptions{})
	if err != nil || res.Created {
		t.Errorf("second init: created %v, error %v", res.Created, err)
	}
}

func TestLooseningThePolicyNeedsAPerson(t *testing.T) {
	l, repo := fresh(t, records.ReviewHuman, records.Human)
	do(t, l, grammar.Op{Verb: "add", Kind: "goal", Title: "A goal"})
	agent := open(t, repo, "agent/x")
	if _, err := setup.Init(t.Context(), agent, setup.InitOptions{Review: records.ReviewAny}); err == nil {
		t.Error("an agent loosened the policy")
	}
	if _, err := setup.Init(t.Context(), l, setup.InitOptions{Review: records.ReviewAny}); err != nil {
		t.Errorf("a person could not loosen it: %v", err)
	}
	if _, err := setup.Init(t.Context(), agent, setup.InitOptions{Review: records.ReviewSigned}); err != nil {
		t.Errorf("an agent could not tighten it: %v", err)
	}
	var unsigned *provenance.SigningError
	if _, err := setup.Init(t.Context(), l, setup.InitOptions{Review: records.ReviewAny}); !errors.As(err, &unsigned) {
		t.Errorf("a person without a key loosened signed: %v", err)
	}
}

func TestEditFailsWhole(t *testing.T) {
	l, repo := fresh(t, records.ReviewAny, records.Human)
	goal := do(t, l, grammar.Op{Verb: "add", Kind: "goal", Title: "A goal"})
	before := repo.Git("for-each-ref")
	for name, op := range map[string][]grammar.Op{
		"second op fails":  {{Verb: "add", Kind: "task", Title: "T"}, {Verb: "refute", ID: string(goal), Reason: "no"}},
		"missing target":   {{Verb: "add", Kind: "task", Title: "T", Links: map[string][]string{"serves": {"goal-0000000000"}}}},
		"wrong kind":       {{Verb: "add", Kind: "task", Title: "T", Links: map[string][]string{"depends-on": {string(goal)}}}},
		"empty title":      {{Verb: "add", Kind: "task", Title: "  "}},
		"illegal move":     {{Verb: "achieve", ID: string(goal)}, {Verb: "activate", ID: string(goal)}},
		"reason missing":   {{Verb: "abandon", ID: string(goal)}},
		"invalid utf-8":    {{Verb: "add", Kind: "task", Title: "a\xff"}},
		"nul":              {{Verb: "add", Kind: "task", Title: "a", Body: "b\x00"}},
		"too large":        {{Verb: "add", Kind: "task", Title: "a", Body: strings.Repeat("x", 300<<10)}},
		"unknown verb":     {{Verb: "explode", ID: string(goal)}},
		"self link":        {{Verb: "link", ID: string(goal), Links: map[string][]string{"relates-to": {string(goal)}}}},
		"unknown relation": {{Verb: "link", ID: string(goal), Links: map[string][]string{"likes": {string(goal)}}}},
	} {
		_, err := l.Edit(t.Context(), func(tx *ledger.Tx) error {
			for _, o := range op {
				if _, _, err := tx.Do(o); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			t.Errorf("%s: the edit went through", name)
		}
		if after := repo.Git("for-each-ref"); after != before {
			t.Errorf("%s: a ref moved:\n%s", name, after)
		}
	}
	repo.Fsck()
}

// A ledger that refused an edit has read all it was asked to.
func TestRefusedEditLeavesNoReadError(t *testing.T) {
	l, _ := fresh(t, records.ReviewAny, records.Human)
	do(t, l, grammar.Op{Verb: "add", Kind: "task", Title: "Find it"})
	if _, err := try(t.Context(), l, grammar.Op{Verb: "add", Kind: "task"}); err == nil {
		t.Fatal("a task without a title was added")
	}
	if err := l.Finish(); err != nil {
		t.Errorf("finish: %v", err)
	}
}

func TestCircleIsRefused(t *testing.T) {
	l, _ := fresh(t, records.ReviewAny, records.Human)
	var ids []records.ID
	for i := range 3 {
		op := grammar.Op{Verb: "add", Kind: "task", Title: fmt.Sprint("task ", i)}
		if i > 0 {
			op.Links = map[string][]string{"depends-on": {string(ids[i-1])}}
		}
		ids = append(ids, do(t, l, op))
	}
	if _, err := try(t.Context(), l, grammar.Op{Verb: "link", ID: string(ids[0]), Links: map[string][]string{"depends-on": {string(ids[2])}}}); err == nil {
		t.Error("a circle of depends-on was accepted")
	}
}

func TestAgentsPropose(t *testing.T) {
	person, repo := fresh(t, records.ReviewHuman, records.Human)
	agent := open(t, repo, "agent/x")
	dec := do(t, agent, grammar.Op{Verb: "add", Kind: "decision", Title: "Use SQLite"})
	do(t, agent, grammar.Op{Verb: "accept", ID: string(dec), Reason: "small"})
	r, _ := view(t, agent).Record(dec)
	if r.State() != records.Proposed || r.Verdict.Asks != records.Accepted {
		t.Errorf("after an agent's accept: state %s asks %q", r.State(), r.Verdict.Asks)
	}
	do(t, person, grammar.Op{Verb: "accept", ID: string(dec)})
	if s := state(t, person, dec); s != records.Accepted {
		t.Errorf("after a person's accept: %s", s)
	}
}

func TestManyWritersLoseNothing(t *testing.T) {
	l, repo := fresh(t, records.ReviewAny, "agent/x")
	const writers, writes = 4, 6
	var wg sync.WaitGroup
	ids := make([][]records.ID, writers)
	for w := range writers {
		own := open(t, repo, "agent/x")
		wg.Go(func() {
			for i := range writes {
				id, err := try(t.Context(), own, grammar.Op{Verb: "add", Kind: "evidence", Title: fmt.Sprintf("writer %d saw %d", w, i)})
				if err != nil {
					t.Errorf("writer %d: %v", w, err)
				}
				ids[w] = append(ids[w], id)
			}
		})
	}
	wg.Wait()
	v := view(t, l)
	for _, own := range ids {
		for _, id := range own {
			if _, ok := v.Record(id); !ok {
				t.Errorf("acknowledged %s is lost", id)
			}
		}
	}
	if v.Len() != writers*writes {
		t.Errorf("%d records, want %d", v.Len(), writers*writes)
	}
	repo.Fsck()
}

func TestWriterOutsideTheLockIsNotOverwritten(t *testing.T) {
	l, repo := fresh(t, records.ReviewAny, records.Human)
	first := do(t, l, grammar.Op{Verb: "add", Kind: "goal", Title: "First"})
	runs := 0
	_, err := l.Edit(t.Context(), func(tx *ledger.Tx) error {
		if runs++; runs == 1 { // git moves the ref between our read and our write
			tree := repo.Git("rev-parse", "refs/ctx/heads/main^{tree}")
			c := repo.Git("commit-tree", "-p", "refs/ctx/heads/main", "-m", "by hand", strings.TrimSpace(tree))
			repo.Git("update-ref", "refs/ctx/heads/main", strings.TrimSpace(c))
		}
		_, _, err := tx.Do(grammar.Op{Verb: "park", ID: string(first)})
		return err
	})
	if err != nil || runs != 2 {
		t.Fatalf("ran %d times, error %v; want a second try", runs, err)
	}
	if log := repo.Git("log", "--format=%s", "refs/ctx/heads/main"); !strings.Contains(log, "by hand") {
		t.Errorf("the other writer's commit is gone:\n%s", log)
	}
}

func TestCheckpoints(t *testing.T) {
	l, _ := fresh(t, "", records.Human)
	if _, _, err := l.Checkpoint(t.Context(), "empty"); !errors.Is(err, ledger.ErrNothingNew) {
		t.Errorf("checkpoint of nothing: %v", err)
	}
	goal := do(t, l, grammar.Op{Verb: "add", Kind: "goal", Title: "A goal"})
	e, w, err := l.Checkpoint(t.Context(), "The goal is set\n\nlonger")
	if err != nil || len(w.Changes) != 1 || e.Message.Checkpoint != "1" {
		t.Fatalf("checkpoint: %+v, %v", w, err)
	}
	if _, _, err := l.Checkpoint(t.Context(), "again"); !errors.Is(err, ledger.ErrNothingNew) {
		t.Errorf("second checkpoint of the same: %v", err)
	}
	do(t, l, grammar.Op{Verb: "park", ID: string(goal)})
	if w, err = l.Working(t.Context(), -1); err != nil || len(w.Entries) != 1 || len(w.Changes) != 1 || w.Changes[0].Op != "~" {
		t.Errorf("working context after one verb: %+v, %v", w, err)
	}
}

func TestCheckpointOnTheOtherSideOfAMergeCounts(t *testing.T) {
	l, _ := fresh(t, records.ReviewAny, records.Human)
	do(t, l, grammar.Op{Verb: "add", Kind: "goal", Title: "Base"})
	if _, err := l.CreateBranch(t.Context(), "side", ""); err != nil {
		t.Fatal(err)
	}
	if err := l.Switch(t.Context(), "side"); err != nil {
		t.Fatal(err)
	}
	do(t, l, grammar.Op{Verb: "add", Kind: "goal", Title: "Side"})
	if _, _, err := l.Checkpoint(t.Context(), "side done"); err != nil {
		t.Fatal(err)
	}
	if err := l.Switch(t.Context(), "main"); err != nil {
		t.Fatal(err)
	}
	mine := do(t, l, grammar.Op{Verb: "add", Kind: "goal", Title: "Mine"})
	if _, err := l.Merge(t.Context(), "side", ledger.MergeOptions{}); err != nil {
		t.Fatal(err)
	}
	w, err := l.Working(t.Context(), -1)
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Changes) != 1 || w.Changes[0].ID != mine {
		t.Errorf("working context holds %v; only %s is in no checkpoint", w.Changes, mine)
	}
	if len(w.Entries) != 2 { // the add and the merge
		t.Errorf("%d entries, want 2", len(w.Entries))
	}
}

func TestRevertBringsTheVerdictBack(t *testing.T) {
	l, _ := fresh(t, records.ReviewAny, records.Human)
	hyp := do(t, l, grammar.Op{Verb: "add", Kind: "hypothesis", Title: "It is the cache"})
	do(t, l, grammar.Op{Verb: "refute", ID: string(hyp), Evidence: "cache off, same p99"})
	refuting := view(t, l).Commit
	res, err := l.Revert(t.Context(), string(refuting), "the run was wrong")
	if err != nil {
		t.Fatal(err)
	}
	r, _ := res.View.Record(hyp)
	if r.State() != records.Proposed || r.Verdict.Reverts != string(refuting) {
		t.Errorf("after revert: %+v", r.Verdict)
	}
	for e := range res.View.All() {
		if e.Kind == records.Evidence && e.State() != records.Retracted {
			t.Errorf("the evidence the commit added is %s", e.State())
		}
	}
	if _, err := l.Revert(t.Context(), string(refuting), ""); err == nil {
		t.Error("a commit whose verdict was judged again since was reverted")
	}
}

func TestExportApplyRoundTrip(t *testing.T) {
	a, _ := fresh(t, records.ReviewAny, records.Human)
	hyp := do(t, a, grammar.Op{Verb: "add", Kind: "hypothesis", Title: "null", Body: "\n leading\nCtx-Actor: human\n---\n"})
	do(t, a, grammar.Op{Verb: "support", ID: string(hyp), Evidence: "seen", Source: "log"})
	out := ledger.Export(view(t, a))
	b, _ := fresh(t, records.ReviewAny, records.Human)
	batch, err := grammar.ParseBatch(out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Apply(t.Context(), batch, false); err != nil {
		t.Fatal(err)
	}
	again := ledger.Export(view(t, b))
	if string(again) != string(out) {
		t.Errorf("export of what was applied differs:\n%s\n---\n%s", out, again)
	}
	res, err := b.Apply(t.Context(), batch, false)
	if err != nil || res.Commit != "" {
		t.Errorf("applying it twice: commit %q, error %v", res.Commit, err)
	}
}

func TestApplyCannotSmuggleAnAcceptance(t *testing.T) {
	a, _ := fresh(t, records.ReviewAny, records.Human)
	dec := do(t, a, grammar.Op{Verb: "add", Kind: "decision", Title: "Ship it"})
	do(t, a, grammar.Op{Verb: "accept", ID: string(dec), Reason: "yes"})
	out := ledger.Export(view(t, a))
	batch, err := grammar.ParseBatch(out)
	if err != nil {
		t.Fatal(err)
	}
	b, repo := fresh(t, records.ReviewHuman, records.Human)
	if _, err := open(t, repo, "agent/x").Apply(t.Context(), batch, false); err != nil {
		t.Fatal(err)
	}
	r, _ := view(t, b).Record(dec)
	if r.State() != records.Proposed || r.Verdict.Asks != records.Accepted || r.Verdict.Actor != "agent/x" {
		t.Errorf("an agent's batch left %+v", r.Verdict)
	}
	if res, err := open(t, repo, "agent/x").Apply(t.Context(), batch, false); err != nil {
		t.Errorf("the same batch again: %v", err)
	} else if res.Commit != "" {
		t.Errorf("the same batch again made commit %s", res.Commit)
	}
}

func TestCitingVerifiedEvidenceLeavesItVerified(t *testing.T) {
	person, repo := fresh(t, records.ReviewHuman, records.Human)
	ev := do(t, person, grammar.Op{Verb: "add", Kind: "evidence", Title: "Seen in the log", Source: "log"})
	do(t, person, grammar.Op{Verb: "verify", ID: string(ev)})
	agent := open(t, repo, "agent/x")
	hyp := do(t, agent, grammar.Op{Verb: "add", Kind: "hypothesis", Title: "It is the cache"})
	do(t, agent, grammar.Op{Verb: "support", ID: string(hyp), Cites: []string{string(ev)}})
	v := view(t, agent)
	j, err := agent.EvalContext(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []records.ID{ev, hyp} {
		if st := standing.Of(v, id, j); st.Class != records.Asserted {
			t.Errorf("%s: %+v, want asserted", id, st)
		}
	}
}

func TestVetoCrossesBranches(t *testing.T) {
	l, _ := fresh(t, records.ReviewAny, records.Human)
	hyp := do(t, l, grammar.Op{Verb: "add", Kind: "hypothesis", Title: "It is the cache"})
	do(t, l, grammar.Op{Verb: "support", ID: string(hyp), Evidence: "seen"})
	if _, err := l.CreateBranch(t.Context(), "side", ""); err != nil {
		t.Fatal(err)
	}
	do(t, l, grammar.Op{Verb: "refute", ID: string(hyp), Reason: "was the network"})
	if err := l.Switch(t.Context(), "side"); err != nil {
		t.Fatal(err)
	}
	v := view(t, l)
	j, err := l.EvalContext(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	if r, _ := v.Record(hyp); r.State() != records.Supported {
		t.Fatalf("positive control: on the side branch it is %s", r.State())
	}
	if st := standing.Of(v, hyp, j); st.Class != records.RuledOut || st.Why != records.WhyVetoed {
		t.Errorf("standing %+v, want ruled out by veto", st)
	}
	if v.Behind != 1 {
		t.Errorf("behind %d, want 1", v.Behind)
	}
}

// openPlain is open without an index.
func openPlain(t testing.TB, repo *gittest.Repo) *ledger.Ledger {
	t.Helper()
	r, err := gitstore.Open(t.Context(), gitstore.Options{Dir: repo.Dir, Env: repo.Env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return ledger.Open(r, ledger.Options{
		Author: ledger.Author{Actor: records.Human}, Random: rand.Reader, Now: func() time.Time { return clock }, NoIndex: true,
	})
}

func rowsOf(id records.ID) index.Query { return index.Query{Kinds: []records.Kind{id.Kind()}} }

func TestPreconditionThatAnotherWriterTookAway(t *testing.T) {
	l, repo := fresh(t, records.ReviewAny, records.Human)
	task := do(t, l, grammar.Op{Verb: "add", Kind: "task", Title: "T"})
	path := records.IDPath(task)
	runs := 0
	_, err := l.Edit(t.Context(), func(tx *ledger.Tx) error {
		if runs++; runs == 1 { // somebody without our lock drops the task between our read and our write
			r, _ := tx.Record(task)
			dropped := r.Clone()
			dropped.Verdict.State, dropped.Verdict.N, dropped.Verdict.Reason = records.Dropped, "zzzzzz", "no longer"
			data, err := records.Format(dropped)
			if err != nil {
				return err
			}
			byHand(t, open(t, repo, records.Human), "main", gitstore.Change{Path: path, Data: data})
		}
		_, _, err := tx.Do(grammar.Op{Verb: "done", ID: string(task)})
		return err
	})
	if err == nil || runs != 2 || !strings.Contains(err.Error(), "changed since you read it") {
		t.Fatalf("ran %d times: %v", runs, err)
	}
	if s := state(t, l, task); s != records.Dropped {
		t.Errorf("the task is %s", s)
	}
}
