package ledger_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/git-ctx/git-ctx/internal/vendorbranch"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/claim"
	"github.com/git-ctx/git-ctx/internal/fsck"
	"github.com/git-ctx/git-ctx/internal/gittest"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/standing"
)

// TestFoldHasNoFalseAlarm drives histories of every sort of verb, by persons and
// agents, on two branches with merges, reverts, imports, batches and claims: each
// verdict is the fold of its history, and the index judges as a reader without
// one does. The positive control is one verdict that a hand then writes.
func TestFoldHasNoFalseAlarm(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s := newFolded(t, seed)
			for range 60 {
				s.step()
			}
			s.sound()
			s.forge()
		})
	}
}

// folded is one generated history under way.
type folded struct {
	t             *testing.T
	rnd           *rand.Rand
	repo          *gittest.Repo
	person, agent *ledger.Ledger
	n, given      int
}

func newFolded(t *testing.T, seed uint64) *folded {
	person, repo := fresh(t, records.ReviewHuman, records.Human)
	if _, err := person.CreateBranch(t.Context(), "side", ""); err != nil {
		t.Fatal(err)
	}
	return &folded{t: t, rnd: rand.New(rand.NewPCG(seed, 7)), repo: repo, person: person, agent: open(t, repo, "agent/x")}
}

// any picks a record that stands on the current branch, "" when there is none.
func (s *folded) any() string {
	var ids []records.ID
	for r := range view(s.t, s.person).All() {
		ids = append(ids, r.ID)
	}
	if len(ids) == 0 {
		return ""
	}
	return string(ids[s.rnd.IntN(len(ids))])
}

// step does something; what is refused is not a step.
func (s *folded) step() {
	ctx := s.t.Context()
	l := s.agent
	if s.rnd.IntN(2) == 0 {
		l = s.person
	}
	s.n++
	switch s.rnd.IntN(17) {
	case 0:
		_ = s.person.Switch(ctx, []string{"main", "side"}[s.rnd.IntN(2)])
	case 1:
		_, _ = l.Merge(ctx, []string{"main", "side"}[s.rnd.IntN(2)], ledger.MergeOptions{})
	case 2:
		_, _ = l.Revert(ctx, fmt.Sprintf("HEAD~%d", s.rnd.IntN(3)), "no")
	case 3:
		_, _ = vendorbranch.Import(ctx, l, "beads", []*records.Record{imported(s.n)}, clock, vendorbranch.ImportOptions{})
	case 4:
		batch, err := grammar.ParseBatch(fmt.Appendf(nil, "ops:\n- {verb: add, kind: decision, title: Batch %d, as: d}\n- {verb: accept, id: $d}\n", s.n))
		if err != nil {
			s.t.Fatal(err)
		}
		if _, err := l.Apply(ctx, batch, false); err != nil {
			s.t.Fatal(err)
		}
	case 5, 6, 7:
		kinds := records.Schemas()
		_, _ = try(ctx, l, grammar.Op{Verb: "add", Kind: string(kinds[s.rnd.IntN(len(kinds))].Kind), Title: fmt.Sprintf("Record %d", s.n)})
	case 8:
		_, _ = try(ctx, l, grammar.Op{Verb: "edit", ID: s.any(), Title: fmt.Sprintf("Edited %d", s.n)})
	case 9:
		_, _ = try(ctx, l, grammar.Op{Verb: "supersede", IDs: []string{s.any()}, By: s.any(), Reason: "better"})
	case 10:
		_, _ = try(ctx, l, grammar.Op{Verb: "reopen", ID: s.any(), Reason: "again"})
	case 16:
		_, _ = try(ctx, l, grammar.Op{Verb: "forget", ID: s.any(), Reason: "not ours"})
	case 11:
		_, _ = claim.Take(ctx, l, s.any(), claim.Options{})
	default:
		moves := records.Transitions()
		verb := moves[s.rnd.IntN(len(moves))].Verb
		if s.rnd.IntN(2) == 0 {
			verb = []records.Verb{"accept", "support", "verify", "activate"}[s.rnd.IntN(4)]
		}
		if _, err := try(ctx, l, grammar.Op{Verb: string(verb), ID: s.any(), Reason: "because"}); err == nil {
			s.given++
		}
	}
	if s.rnd.IntN(4) == 0 {
		s.alike() // the index is moved at other times than it is written to
	}
}

func imported(n int) *records.Record {
	id := records.NewID(records.Task, fmt.Appendf(nil, "%07d", n))
	v := &records.Verdict{State: records.Todo, Actor: "agent/import", At: clock, N: "000000"}
	return &records.Record{ID: id, Kind: records.Task, Title: fmt.Sprintf("Imported %d", n), Verdict: v,
		Created: records.Created{Actor: "agent/import", At: clock}}
}

// alike compares the index's judgement with that of a reader without one.
func (s *folded) alike() {
	s.t.Helper()
	plain := openPlain(s.t, s.repo)
	with, without := view(s.t, s.person), view(s.t, plain)
	j, err := s.person.EvalContext(s.t.Context(), with)
	k, err2 := plain.EvalContext(s.t.Context(), without)
	if err != nil || err2 != nil {
		s.t.Fatal(err, err2)
	}
	for r := range without.All() {
		a, b := standing.Of(with, r.ID, j), standing.Of(without, r.ID, k)
		if a.Class != b.Class || a.Why != b.Why {
			s.t.Errorf("%s: %s (%s) with an index, %s (%s) without", r.ID, a.Class, a.Why, b.Class, b.Why)
		}
		for v := range records.HumanVerdicts(r) {
			if !k.Provenance(r, v).Named {
				s.t.Errorf("%s %s is not attested", r.ID, r.State())
			}
		}
	}
}

func (s *folded) faults() []fsck.Fault {
	rep, err := fsck.Run(s.t.Context(), s.person)
	if err != nil {
		s.t.Fatal(err)
	}
	return slices.DeleteFunc(rep.Faults, func(f fsck.Fault) bool {
		return !slices.Contains([]string{fsck.CheckUnattested, fsck.CheckVerdict, fsck.CheckLoosened, fsck.CheckTombstone, fsck.CheckDeleted}, f.Check)
	})
}

func (s *folded) sound() {
	s.t.Helper()
	s.alike()
	for _, f := range s.faults() {
		s.t.Errorf("false alarm: %s %s in %s", f.Check, f.Message, f.Commit.Short())
	}
	if s.given == 0 {
		s.t.Fatal("no verdict was given: the history says nothing")
	}
}

// forge writes by hand what a person's verdict would look like.
func (s *folded) forge() {
	id := do(s.t, s.agent, grammar.Op{Verb: "add", Kind: "decision", Title: "Forged"})
	r, _ := view(s.t, s.person).Record(id)
	r = r.Clone()
	r.Verdict.State, r.Verdict.Actor = records.Accepted, records.Human
	r.Verdict.Of = r.Digest()
	data, err := records.Format(r)
	if err != nil {
		s.t.Fatal(err)
	}
	branch, err := s.person.Branch(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	byHand(s.t, s.person, branch, gitstore.Change{Path: records.IDPath(id), Data: data})
	mustBe(s.t, s.person, id, records.AwaitingReview)
	mustBe(s.t, openPlain(s.t, s.repo), id, records.AwaitingReview)
	fs := s.faults()
	if len(fs) != 1 || fs[0].ID != id || fs[0].Check != fsck.CheckUnattested {
		s.t.Errorf("faults %v, want that of %s", fs, id)
	}
	do(s.t, s.person, grammar.Op{Verb: "accept", ID: string(id)})
	mustBe(s.t, s.person, id, records.Asserted)
	s.replay(branch, id)
}

// replay puts back by hand what a person took back, and what was forgotten.
func (s *folded) replay(branch string, id records.ID) {
	r, _ := view(s.t, s.person).Record(id)
	data, err := records.Format(r)
	if err != nil {
		s.t.Fatal(err)
	}
	back := gitstore.Change{Path: records.IDPath(id), Data: data}
	do(s.t, s.person, grammar.Op{Verb: "reopen", ID: string(id), Reason: "wrong"})
	byHand(s.t, s.person, branch, back)
	s.only(id, fsck.CheckUnattested)
	do(s.t, s.person, grammar.Op{Verb: "forget", ID: string(id), Reason: "wrong"})
	s.only(id)
	byHand(s.t, s.person, branch, back)
	s.only(id, fsck.CheckUnattested, fsck.CheckUnattested, fsck.CheckTombstone) // both commits put it back
}

// only fails unless the faults are those, all of one record.
func (s *folded) only(id records.ID, checks ...string) {
	s.t.Helper()
	fs, got := s.faults(), []string(nil)
	for _, f := range fs {
		if got = append(got, f.Check); f.ID != id {
			s.t.Errorf("a fault of %s: %s", f.ID, f.Message)
		}
	}
	slices.Sort(got)
	slices.Sort(checks)
	if !slices.Equal(got, checks) {
		s.t.Errorf("faults %v, want %v", got, checks)
	}
}
