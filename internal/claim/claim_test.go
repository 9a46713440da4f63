package claim_test

import (
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/claim"
	"github.com/git-ctx/git-ctx/internal/gittest"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
)

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

func (s someone) claim(t testing.TB, task records.ID) *claim.Result {
	t.Helper()
	c, err := claim.Take(t.Context(), s.Ledger, string(task), claim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// loses fails the test unless the claim is refused for another's, which it returns.
func (s someone) loses(t testing.TB, task records.ID) *claim.HeldError {
	t.Helper()
	_, err := claim.Take(t.Context(), s.Ledger, string(task), claim.Options{})
	var held *claim.HeldError
	if !errors.As(err, &held) {
		t.Fatalf("claim: %v, want a *HeldError", err)
	}
	return held
}

// shop is a repository with one task, and two sessions of the same agent.
func shop(t testing.TB) (repo *gittest.Repo, task records.ID, a, b someone) {
	t.Helper()
	l, repo := fresh(t, records.ReviewAny, "agent/a")
	task = do(t, l, grammar.Op{Verb: "add", Kind: "task", Title: "Find the spikes"})
	return repo, task, session(t, repo, repo.Dir, "one", "agent/a"), session(t, repo, repo.Dir, "two", "agent/a")
}

func TestClaimIsExclusiveUntilItExpires(t *testing.T) {
	repo, task, a, b := shop(t)
	got := a.claim(t, task)
	if state(t, a.Ledger, task) != records.InProgress || a.Session().Task != task || b.Session().Task == task {
		t.Errorf("state %s, @task of the winner %q, of the other %q", state(t, a.Ledger, task), a.Session().Task, b.Session().Task)
	}
	held := b.loses(t, task)
	if held.Actor != "agent/a" || held.Holder != "Ada Example" || held.Session != got.Session || held.Session == "" {
		t.Errorf("holder %+v", held.Claim)
	}
	for _, want := range []string{"agent/a", "Ada Example", got.Session, "2026-11-30T09:00:00Z", "2026-11-30T11:00:00Z"} {
		if !strings.Contains(held.Error(), want) {
			t.Errorf("%q does not name %s", held.Error(), want)
		}
	}

	// One's own is renewed: since when it is held stays.
	again := a.after(time.Hour).claim(t, task)
	if !again.Renewed || !again.Since.Equal(clock) || !again.Expires.Equal(clock.Add(3*time.Hour)) || again.Edit.Commit != "" {
		t.Errorf("renewed: %+v", again)
	}
	b.after(3*time.Hour-time.Second).loses(t, task)
	if won := b.after(3*time.Hour).claim(t, task); won.Renewed || won.Replaces != again.Commit || !won.Since.Equal(clock.Add(3*time.Hour)) || b.Session().Task != task {
		t.Errorf("after the end: %+v", won)
	}
	a.after(3*time.Hour).loses(t, task)
	repo.Fsck()
}

func TestSessionsAreToldApart(t *testing.T) {
	repo, task, a, _ := shop(t)
	a.claim(t, task)
	tree := repo.Main + "-tree"
	repo.Git("worktree", "add", "--quiet", "-b", "side", tree)
	for name, other := range map[string]someone{
		"no session, main worktree": session(t, repo, repo.Dir, "", "agent/a"),
		"no session, other tree":    session(t, repo, tree, "", "agent/a"),
		"same session, a person":    session(t, repo, repo.Dir, "one", records.Human),
	} {
		if held := other.loses(t, task); held.Mine {
			t.Errorf("%s: taken for the holder", name)
		}
	}
	// The positive control: the same session in another worktree is the holder.
	if c := session(t, repo, tree, "one", "agent/a").claim(t, task); !c.Renewed {
		t.Error("the same session was not recognised")
	}

	// Two worktrees without a session name: by default each is a session.
	second := do(t, a.Ledger, grammar.Op{Verb: "add", Kind: "task", Title: "Another"})
	session(t, repo, tree, "", "agent/a").claim(t, second)
	session(t, repo, repo.Dir, "", "agent/a").loses(t, second)
}

// Two machines may have a clone at the same place, with the same session.
func TestClonesAreToldApart(t *testing.T) {
	repo, task, a, _ := shop(t)
	a.claim(t, task)
	writeFile(t, repo.Main+"/.git/ctx/clone", "0123456789abcdef\n")
	if held := a.loses(t, task); held.Mine {
		t.Error("another clone's claim was taken for our own")
	}
}

func TestAClaimThatCannotStartIsGivenBack(t *testing.T) {
	repo, task, a, b := shop(t)
	for _, verb := range []string{"done", "drop"} {
		do(t, a.Ledger, grammar.Op{Verb: verb, ID: string(task), Reason: "so"})
		if _, err := claim.Take(t.Context(), a.Ledger, string(task), claim.Options{}); err == nil {
			t.Errorf("claimed a task after %s", verb)
		}
		if out := repo.Git("for-each-ref", "refs/ctx/claims"); out != "" {
			t.Errorf("claim left behind after %s: %s", verb, out)
		}
		do(t, a.Ledger, grammar.Op{Verb: "reopen", ID: string(task), Reason: "so"})
	}
	if b.claim(t, task); repo.Git("for-each-ref", "refs/ctx/claims") == "" {
		t.Error("no claim ref: the test sees nothing")
	}
	goal := do(t, a.Ledger, grammar.Op{Verb: "add", Kind: "goal", Title: "A goal"})
	if _, err := claim.Take(t.Context(), a.Ledger, string(goal), claim.Options{}); err == nil {
		t.Error("claimed a goal")
	}
	for _, d := range []time.Duration{-time.Hour, time.Millisecond, claim.Longest + time.Second} {
		if _, err := claim.Take(t.Context(), a.Ledger, string(task), claim.Options{For: d}); err == nil {
			t.Errorf("claimed for %s", d)
		}
	}
}

func TestClosingATaskEndsItsClaim(t *testing.T) {
	repo, task, a, b := shop(t)
	other := do(t, a.Ledger, grammar.Op{Verb: "add", Kind: "task", Title: "Another"})
	a.claim(t, task)
	b.claim(t, other)
	do(t, a.Ledger, grammar.Op{Verb: "block", ID: string(task), Reason: "waiting"})
	if out := repo.Git("for-each-ref", "--format=%(refname)", "refs/ctx/claims"); !strings.Contains(out, string(task)) {
		t.Fatalf("a blocked task lost its claim: %s", out)
	}
	do(t, b.Ledger, grammar.Op{Verb: "done", ID: string(task)}) // whoever closes it
	if out := repo.Git("for-each-ref", "--format=%(refname)", "refs/ctx/claims"); out != "refs/ctx/claims/"+string(other) {
		t.Errorf("claims after done: %q", out)
	}
}

func TestRelease(t *testing.T) {
	_, task, a, b := shop(t)
	if c, err := claim.Release(t.Context(), a.Ledger, string(task), ""); c != nil || err != nil {
		t.Errorf("release of nothing: %v, %v", c, err)
	}
	a.claim(t, task)
	_, err := claim.Release(t.Context(), b.Ledger, string(task), "")
	var held *claim.HeldError
	if !errors.As(err, &held) {
		t.Errorf("release of another's: %v", err)
	}
	if c, err := claim.Release(t.Context(), a.Ledger, string(task), ""); c == nil || err != nil || a.Session().Task == task {
		t.Errorf("release: %v, %v; @task is %q", c, err, a.Session().Task)
	}
	b.claim(t, task)
}

func TestClaimNextTakesWhatIsFree(t *testing.T) {
	repo, first, a, b := shop(t)
	zero := 0
	urgent := do(t, a.Ledger, grammar.Op{Verb: "add", Kind: "task", Title: "Urgent", Priority: &zero})
	waiting := do(t, a.Ledger, grammar.Op{Verb: "add", Kind: "task", Title: "Waits", Links: map[string][]string{"depends-on": {string(first)}}})
	c := session(t, repo, repo.Dir, "three", "agent/c")
	for i, s := range []someone{a, b} {
		got, err := query.ClaimNext(t.Context(), s.Ledger, claim.Options{})
		if want := []records.ID{urgent, first}[i]; err != nil || got.Task != want {
			t.Fatalf("session %d: %v, %v, want %s", i, got, err, want)
		}
	}
	if _, err := query.ClaimNext(t.Context(), c.Ledger, claim.Options{}); !errors.Is(err, claim.ErrNone) {
		t.Errorf("third session: %v", err)
	}
	// Who has one gets it again, and the dependent task comes free with done.
	if got, err := query.ClaimNext(t.Context(), a.Ledger, claim.Options{}); err != nil || got.Task != urgent || !got.Renewed {
		t.Errorf("again: %+v, %v", got, err)
	}
	do(t, b.Ledger, grammar.Op{Verb: "done", ID: string(first)})
	if got, err := query.ClaimNext(t.Context(), c.Ledger, claim.Options{}); err != nil || got.Task != waiting {
		t.Errorf("after done: %+v, %v", got, err)
	}
}

// A ref that holds no claim blocks its own task, named, and no other.
func TestARefThatIsNoClaim(t *testing.T) {
	repo, task, a, _ := shop(t)
	other := do(t, a.Ledger, grammar.Op{Verb: "add", Kind: "task", Title: "Another"})
	repo.Git("update-ref", "refs/ctx/claims/"+string(task), "HEAD")
	_, err := claim.Take(t.Context(), a.Ledger, string(task), claim.Options{})
	var broken *claim.RefError
	if !errors.As(err, &broken) || !strings.Contains(err.Error(), "refs/ctx/claims/"+string(task)) {
		t.Fatalf("claim: %v", err)
	}
	if got, err := query.ClaimNext(t.Context(), a.Ledger, claim.Options{}); err != nil || got.Task != other {
		t.Errorf("next: %+v, %v", got, err)
	}
}
