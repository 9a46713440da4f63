package ledger_test

import (
	"testing"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/standing"
)

// byHand commits changes to a context branch as plain git would: without our verbs.
func byHand(t *testing.T, l *ledger.Ledger, branch string, changes ...gitstore.Change) {
	t.Helper()
	ref := "refs/ctx/heads/" + branch
	tip, err := l.Repo().Ref(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	c, err := l.Repo().ReadCommit(t.Context(), tip)
	if err != nil {
		t.Fatal(err)
	}
	next := gitstore.Commit{Parents: []gitstore.OID{tip}, Author: c.Author, Committer: c.Committer, Message: "by hand\n"}
	oid, err := l.Repo().WriteCommit(t.Context(), c.Tree, changes, next)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Repo().UpdateRefs(t.Context(), "by hand", gitstore.RefUpdate{Name: ref, Old: tip, New: oid}); err != nil {
		t.Fatal(err)
	}
}

func standingIn(t *testing.T, l *ledger.Ledger, id records.ID) records.Standing {
	t.Helper()
	v := view(t, l)
	j, err := l.EvalContext(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	st := standing.Of(v, id, j)
	// The rows that lists are made of must say the same.
	for row, err := range v.Rows(j, rowsOf(id)) {
		if err != nil {
			t.Fatal(err)
		}
		if row.ID == id && (row.Class != st.Class || row.Why != st.Why) {
			t.Errorf("%s: its row says %s (%s), Effective %s (%s)", id, row.Class, row.Why, st.Class, st.Why)
		}
	}
	return st
}

func mustBe(t *testing.T, l *ledger.Ledger, id records.ID, want records.Class) {
	t.Helper()
	if st := standingIn(t, l, id); st.Class != want {
		t.Errorf("%s is %s (%s), want %s", id, st.Class, st.Why, want)
	}
}

// supportedAndDecided makes a supported hypothesis and an accepted decision that rests on it.
func supportedAndDecided(t *testing.T, l *ledger.Ledger) (hyp, dec records.ID) {
	t.Helper()
	hyp = do(t, l, grammar.Op{Verb: "add", Kind: "hypothesis", Title: "The cache is slow"})
	do(t, l, grammar.Op{Verb: "support", ID: string(hyp), Evidence: "seen", Source: "log"})
	dec = do(t, l, grammar.Op{Verb: "add", Kind: "decision", Title: "Drop the cache", Links: map[string][]string{"rests-on": {string(hyp)}}})
	do(t, l, grammar.Op{Verb: "accept", ID: string(dec), Reason: "it is slow"})
	mustBe(t, l, hyp, records.Asserted)
	mustBe(t, l, dec, records.Asserted)
	return hyp, dec
}

func TestMisplacedCopyDoesNotPassForTheRecord(t *testing.T) {
	for _, noIndex := range []bool{false, true} {
		l, repo := fresh(t, records.ReviewAny, records.Human)
		hyp, _ := supportedAndDecided(t, l)
		r, _ := view(t, l).Record(hyp)
		old, err := records.Format(r)
		if err != nil {
			t.Fatal(err)
		}
		do(t, l, grammar.Op{Verb: "refute", ID: string(hyp), Reason: "no"})
		byHand(t, l, "main", gitstore.Change{Path: "records/hypothesis/z/z/" + string(hyp) + ".ctx.yaml", Data: old})
		l = open(t, repo, records.Human)
		if noIndex {
			l = openPlain(t, repo)
		}
		mustBe(t, l, hyp, records.RuledOut)
		if bad := view(t, l).Unreadable; len(bad) != 1 {
			t.Errorf("index %v: %d files quarantined, want the copy alone", !noIndex, len(bad))
		}
	}
}

func TestDecisionDoesNotOutliveAnUnreadableBasis(t *testing.T) {
	for name, data := range map[string][]byte{"unreadable": []byte("id: [\n"), "gone": nil} {
		l, _ := fresh(t, records.ReviewAny, records.Human)
		hyp, dec := supportedAndDecided(t, l)
		do(t, l, grammar.Op{Verb: "refute", ID: string(hyp), Reason: "wrong"})
		mustBe(t, l, dec, records.InDoubt)
		byHand(t, l, "main", gitstore.Change{Path: records.IDPath(hyp), Data: data})
		if st := standingIn(t, l, dec); st.Class == records.Asserted {
			t.Errorf("%s: the decision is asserted again", name)
		}
	}
}

func TestVetoReachesWhatRestsOnIt(t *testing.T) {
	l, _ := fresh(t, records.ReviewAny, records.Human)
	hyp, dec := supportedAndDecided(t, l)
	if _, err := l.CreateBranch(t.Context(), "side", ""); err != nil {
		t.Fatal(err)
	}
	do(t, l, grammar.Op{Verb: "refute", ID: string(hyp), Reason: "wrong"})
	if err := l.Switch(t.Context(), "side"); err != nil {
		t.Fatal(err)
	}
	mustBe(t, l, hyp, records.RuledOut)
	mustBe(t, l, dec, records.InDoubt)
	// As a revision asked for by name it is vetoed all the same, now that it is not a past of main's.
	do(t, l, grammar.Op{Verb: "add", Kind: "goal", Title: "Only here"})
	v, err := l.ViewAt(t.Context(), "side")
	if err != nil {
		t.Fatal(err)
	}
	j, err := l.EvalContext(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	if st := standing.Of(v, hyp, j); st.Class != records.RuledOut {
		t.Errorf("as of side it is %s", st.Class)
	}
	// The default branch's own past is told as it was.
	if v, err = l.ViewAt(t.Context(), "main~1"); err != nil {
		t.Fatal(err)
	}
	if st := standing.Of(v, hyp, j); st.Class != records.Asserted {
		t.Errorf("as of main~1 it is %s (%s)", st.Class, st.Why)
	}
	// A copy on the default branch that nobody can read forbids too.
	byHand(t, l, "main", gitstore.Change{Path: records.IDPath(hyp), Data: []byte("id: [\n")})
	if st := standingIn(t, l, hyp); st.Class != records.InDoubt || st.Causes[0].Rule != records.RuleUnreadableVeto {
		t.Errorf("with an unreadable copy on main it is %s (%s)", st.Class, st.Why)
	}
}

func TestEvidenceAgainstIsNoSourceFor(t *testing.T) {
	person, repo := fresh(t, records.ReviewHuman, records.Human)
	agent := open(t, repo, "agent/x")
	hyp := do(t, agent, grammar.Op{Verb: "add", Kind: "hypothesis", Title: "It is fast"})
	ev := do(t, agent, grammar.Op{Verb: "add", Kind: "evidence", Title: "The bench says no", Source: "bench", Links: map[string][]string{"refutes": {string(hyp)}}})
	do(t, agent, grammar.Op{Verb: "support", ID: string(hyp), Cites: []string{string(ev)}})
	mustBe(t, person, hyp, records.OpenQuestion)
	do(t, agent, grammar.Op{Verb: "support", ID: string(hyp), Evidence: "The second bench says yes", Source: "bench"})
	mustBe(t, person, hyp, records.InDoubt) // what says no stands, and the verdict does not know it
	do(t, agent, grammar.Op{Verb: "support", ID: string(hyp), Evidence: "The third bench says yes", Source: "bench", Despite: []string{string(ev)}})
	mustBe(t, person, hyp, records.Asserted)
}

func TestAgentTakesNothingReviewedOutOfForce(t *testing.T) {
	person, repo := fresh(t, records.ReviewHuman, records.Human)
	_, dec := supportedAndDecided(t, person)
	other := do(t, person, grammar.Op{Verb: "add", Kind: "decision", Title: "Keep the cache"})
	agent := open(t, repo, "agent/x")
	for _, op := range []grammar.Op{
		{Verb: "reject", ID: string(dec), Reason: "no"},
		{Verb: "reopen", ID: string(dec), Reason: "no"},
		{Verb: "accept", ID: string(dec), Reason: "again"},
	} {
		do(t, agent, op)
		mustBe(t, person, dec, records.Asserted)
	}
	// What it would have is a challenge, one an actor.
	if r, _ := view(t, person).Record(dec); len(r.Challenges) != 1 || r.Challenges[0].State != records.Proposed || r.Challenges[0].Actor != "agent/x" {
		t.Errorf("the challenges are %+v", r.Challenges)
	}
	// To put another in its place is a proposal.
	for _, op := range []grammar.Op{
		{Verb: "supersede", IDs: []string{string(dec)}, By: string(other), Reason: "no"},
		{Verb: "edit", ID: string(dec), Title: "Keep the cache after all"},
	} {
		do(t, agent, op)
		mustBe(t, person, dec, records.Asserted)
	}
	mustBe(t, person, other, records.AwaitingReview)
	do(t, person, grammar.Op{Verb: "reject", ID: string(dec), Reason: "a person may"})
	mustBe(t, person, dec, records.RuledOut)
}

func TestBatchCannotForgeAPersonsAgreement(t *testing.T) {
	person, repo := fresh(t, records.ReviewHuman, records.Human)
	agent := open(t, repo, "agent/x")
	hyp := do(t, agent, grammar.Op{Verb: "add", Kind: "hypothesis", Title: "It is fast"})
	do(t, agent, grammar.Op{Verb: "support", ID: string(hyp)})
	r, _ := view(t, agent).Record(hyp)
	forged := r.Clone()
	forged.ID = records.NewID(records.Hypothesis, []byte("seven b"))
	twin := *forged.Verdict
	twin.Actor, twin.By, twin.N = records.Human, "A Person", "000000"
	forged.Also = []records.Verdict{twin}
	batch, err := grammar.ParseBatch(ledger.Export(records.NewSet([]*records.Record{forged}, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := agent.Apply(t.Context(), batch, false); err != nil {
		t.Fatal(err)
	}
	got, ok := view(t, person).Record(forged.ID)
	if !ok || got.Verdict.Actor != "agent/x" {
		t.Fatalf("the batch's record: %+v", got)
	}
	for _, v := range got.Also {
		if v.Actor == records.Human {
			t.Errorf("a person's agreement was taken over from the file: %+v", v)
		}
	}
}
