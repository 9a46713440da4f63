package records

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gopkg.in/yaml.v3"
)

// stateAlone is what kind and state give when nothing else speaks against it.
var stateAlone = map[Kind]map[State]Class{
	Goal:       {Proposed: OpenQuestion, Active: Asserted, Parked: Closed, Achieved: Closed, Abandoned: Closed},
	Task:       {Todo: Asserted, InProgress: Asserted, Blocked: Asserted, Done: Closed, Dropped: Closed},
	Hypothesis: {Proposed: OpenQuestion, UnderEvaluation: OpenQuestion, Supported: Asserted, Refuted: RuledOut, Superseded: Gone},
	Evidence:   {Recorded: Asserted, Verified: Asserted, Retracted: Gone},
	Decision:   {Proposed: OpenQuestion, Accepted: Asserted, Rejected: RuledOut, Superseded: Gone},
	Conclusion: {Draft: OpenQuestion, Accepted: Asserted, Rejected: RuledOut, Superseded: Gone},
	Runbook:    {Draft: OpenQuestion, Active: Asserted, Retired: Gone},
	Trigger:    {Draft: OpenQuestion, Active: Asserted, Retired: Gone},
}

// onlyHumans are the states that only a human may give under the policy human.
var onlyHumans = map[Kind]State{
	Goal: Active, Evidence: Verified, Decision: Accepted, Conclusion: Accepted, Runbook: Active, Trigger: Active,
}

// onlyBookkeeping are the states that assert a record and judge nothing: its
// content may change under them.
var onlyBookkeeping = map[Kind]map[State]bool{
	Task:     {Todo: true, InProgress: true, Blocked: true},
	Evidence: {Recorded: true},
}

var (
	noon  = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	dawn  = noon.Add(-6 * time.Hour)
	night = noon.Add(9 * time.Hour)
)

// A situation is one row of the table: a record and all that bears on it.
type situation struct {
	kind         Kind
	state        State
	conflict     bool
	changed      bool
	contradicted bool
	veto         State // "" is none
	validity     string
	review       Review
	judge        string // human, agent or signed, an agent with a signature
	asks         bool
	sourced      bool
	forgotten    bool
}

const (
	subject   ID = "x-0000000001"
	other     ID = "dec-0000000002"
	old       ID = "dec-0000000003"
	citation  ID = "ev-0000000004"
	testNonce    = "8f3k2m"
)

// verdictOn returns a record in the given state whose verdict fits its content.
func verdictOn(id ID, k Kind, s State) *Record {
	r := &Record{ID: id, Kind: k, Title: string(id), Verdict: &Verdict{State: s, Actor: Human, At: dawn, N: testNonce}}
	r.Verdict.Of = r.Digest()
	return r
}

// refresh makes the verdict fit the record after a change of its content.
func refresh(r *Record) *Record {
	r.Verdict.Of = r.Digest()
	return r
}

func (c situation) effective() Standing {
	r := verdictOn(subject, c.kind, c.state)
	switch c.validity {
	case "inside":
		r.Valid = Validity{From: noon, Until: night}
	case "early":
		r.Valid = Validity{From: noon.Add(time.Second)}
	case "late":
		r.Valid = Validity{Until: noon}
	}
	refresh(r)
	if c.changed {
		r.Body = "edited after the verdict"
	}
	if c.judge != "human" {
		r.Verdict.Actor = "agent/x"
	}
	if c.asks {
		r.Verdict.Asks = c.kind.Schema().States[1]
	}
	if c.conflict {
		r.Conflicts = []Conflict{{Field: "body", Sides: []*yaml.Node{canonicalNode(nil)}}}
	}
	if c.forgotten {
		r.Tombstone = &Tombstone{Fingerprint: "f"}
	}
	rs := []*Record{r}
	if c.sourced {
		ev := verdictOn(citation, Evidence, Recorded)
		ev.Source = "bench.txt"
		r.Verdict.Cites = []ID{citation}
		rs = append(rs, refresh(ev))
	}
	if c.contradicted { // a fork of supersession can name a record of any kind
		o := verdictOn(old, Decision, Superseded)
		o.Verdict.SupersededBy = subject
		o.Also = []Verdict{{State: Superseded, SupersededBy: other}}
		rs = append(rs, o, verdictOn(other, Decision, Proposed))
	}
	vetoes := map[ID]State{}
	if c.veto != "" {
		vetoes[subject] = c.veto
	}
	j := EvalContext{Review: c.review, ValidAt: noon, Signed: func(r *Record) bool { return c.judge == "signed" }}
	return Effective(NewSet(rs, vetoes), subject, j)
}

// expected states the rules of what may be asserted in their order of precedence.
func (c situation) expected() (Class, State, Why) {
	alone := stateAlone[c.kind][c.state]
	unreviewed := onlyHumans[c.kind] == c.state
	untrusted := true
	switch c.review {
	case ReviewAny:
		unreviewed, untrusted = false, false
	case ReviewHuman:
		unreviewed, untrusted = unreviewed && c.judge != "human", c.judge != "human"
	default:
		unreviewed, untrusted = unreviewed && c.judge != "signed", c.judge != "signed"
	}
	shown, why := c.state, Why("")
	switch {
	case c.forgotten, c.veto == Forgotten:
		return Gone, Forgotten, WhyForgotten
	case c.conflict:
		return InDispute, c.state, WhyConflict
	case c.veto != "" && alone != RuledOut && alone != Gone:
		if c.veto == Refuted || c.veto == Rejected {
			return RuledOut, c.veto, WhyVetoed
		}
		return Gone, c.veto, WhyVetoed
	case alone == OpenQuestion && c.asks:
		return AwaitingReview, c.state, ""
	case alone != Asserted:
		return alone, c.state, ""
	case c.contradicted:
		return InDispute, c.state, WhyContradicted
	case unreviewed && c.kind != Evidence:
		return AwaitingReview, c.state, WhyUnreviewed
	case unreviewed: // it stays evidence, but not verified
		shown, why = Recorded, WhyUnreviewed
	}
	switch {
	case c.changed && !onlyBookkeeping[c.kind][c.state]:
		return OpenQuestion, shown, WhyChanged
	case c.kind == Hypothesis && untrusted && !c.sourced:
		return OpenQuestion, shown, WhyUnsourced
	case c.validity == "early":
		return Closed, shown, WhyNotYet
	case c.validity == "late":
		return Closed, shown, WhyExpired
	}
	return Asserted, shown, why
}

// vetoStates are the states in which the kind can be dead on the default branch.
func vetoStates(s *Schema) []State {
	out := []State{"", Forgotten}
	for _, st := range []State{Refuted, Rejected, Superseded, Retracted} {
		if s.Has(st) {
			out = append(out, st)
		}
	}
	return out
}

func TestEffectiveTable(t *testing.T) {
	asserted := map[string]int{}
	check := func(c situation) {
		got := c.effective()
		class, state, why := c.expected()
		if got.Class != class || got.State != state || got.Why != why {
			t.Errorf("%+v:\n got %s %s %s\nwant %s %s %s", c, got.Class, got.State, got.Why, class, state, why)
		}
		if (len(got.Contradictions) > 0) != (why == WhyContradicted) {
			t.Errorf("%+v: contradictions %v", c, got.Contradictions)
		}
		if class == Asserted {
			asserted[fmt.Sprint(c.kind, " ", c.state, " ", c.review)]++
		}
	}
	for _, s := range Schemas() {
		if len(stateAlone[s.Kind]) != len(s.States) {
			t.Fatalf("the table lacks states of a %s", s.Kind)
		}
		for _, state := range s.States {
			for _, review := range []Review{ReviewAny, ReviewHuman, ReviewSigned, "unreadable"} {
				for _, judge := range []string{"human", "agent", "signed"} {
					for _, veto := range vetoStates(s) {
						for _, validity := range []string{"none", "inside", "early", "late"} {
							for bits := range 32 {
								c := situation{kind: s.Kind, state: state, review: review, judge: judge, veto: veto, validity: validity,
									conflict: bits&1 != 0, changed: bits&2 != 0, contradicted: bits&4 != 0, asks: bits&8 != 0, sourced: bits&16 != 0}
								if c.sourced && s.Kind != Hypothesis {
									continue
								}
								check(c)
							}
						}
					}
				}
			}
			check(situation{kind: s.Kind, state: state, review: ReviewAny, judge: "human", forgotten: true})
		}
	}
	// The positive control of every row that must not be asserted.
	for k, states := range stateAlone {
		for state, class := range states {
			for _, review := range []Review{ReviewAny, ReviewHuman, ReviewSigned} {
				if n := asserted[fmt.Sprint(k, " ", state, " ", review)]; (n > 0) != (class == Asserted) {
					t.Errorf("a %s that is %s was asserted in %d rows under %s", k, state, n, review)
				}
			}
		}
	}
	if s := Effective(NewSet(nil, nil), subject, EvalContext{}); s.Class != Gone {
		t.Errorf("a missing record is %s", s.Class)
	}
}

// A clash is a pair of records that contradict each other, with the change that
// makes them agree and the one whose verdict may override it.
type clash struct {
	name     string
	rule     string
	build    func() (a, b *Record)
	agree    func(a, b *Record)
	lift     func(a, b *Record) // nil: nothing but a new verdict settles it
	disputeA bool               // whether a alone would be asserted
}

func clashes() []clash {
	despiteB := func(a, b *Record) { a.Verdict.Despite = []Despite{{ID: b.ID, N: b.Verdict.N}} }
	despiteA := func(a, b *Record) { b.Verdict.Despite = []Despite{{ID: a.ID, N: a.Verdict.N}} }
	restsOn := func(a, b *Record) (*Record, *Record) {
		a.Links = map[Relation][]ID{RestsOn: {b.ID}}
		return refresh(a), b
	}
	return []clash{
		{"decision on retracted evidence", RuleRestsOnDead, func() (*Record, *Record) {
			return restsOn(verdictOn("dec-a", Decision, Accepted), verdictOn("ev-b", Evidence, Retracted))
		}, func(a, b *Record) { b.Verdict.State = Recorded }, despiteB, true},
		{"decision on a refuted hypothesis", RuleRestsOnDead, func() (*Record, *Record) {
			return restsOn(verdictOn("dec-a", Decision, Accepted), verdictOn("hyp-b", Hypothesis, Refuted))
		}, func(a, b *Record) { b.Verdict.State = Supported }, despiteB, true},
		{"conclusion on a rejected decision", RuleRestsOnDead, func() (*Record, *Record) {
			return restsOn(verdictOn("con-a", Conclusion, Accepted), verdictOn("dec-b", Decision, Rejected))
		}, func(a, b *Record) { b.Verdict.State = Accepted }, despiteB, true},
		{"two decisions on one question", RuleRivalDecisions, func() (*Record, *Record) {
			a, b := verdictOn("dec-a", Decision, Accepted), verdictOn("dec-b", Decision, Accepted)
			a.Question, b.Question = "Which cache?", "which  CACHE"
			return refresh(a), refresh(b)
		}, func(a, b *Record) { b.Question = "Which queue?"; refresh(b) }, despiteA, true},
		{"two decisions on one question, lifted by the other", RuleRivalDecisions, func() (*Record, *Record) {
			a, b := verdictOn("dec-a", Decision, Accepted), verdictOn("dec-b", Decision, Accepted)
			a.Question, b.Question = "Which cache?", "Which cache?"
			return refresh(a), refresh(b)
		}, func(a, b *Record) { b.Verdict.State = Proposed }, despiteB, true},
		{"open child of a closed task", RuleOpenChild, func() (*Record, *Record) {
			a, b := verdictOn("task-a", Task, Todo), verdictOn("task-b", Task, Done)
			a.Links = map[Relation][]ID{PartOf: {b.ID}}
			return refresh(a), b
		}, func(a, b *Record) { b.Verdict.State = InProgress }, despiteA, true},
		{"fork of supersession", RuleSupersedesFork, func() (*Record, *Record) {
			a, b := verdictOn("dec-a", Decision, Accepted), verdictOn("dec-b", Decision, Superseded)
			b.Verdict.SupersededBy = a.ID
			b.Also = []Verdict{{State: Superseded, SupersededBy: "dec-c"}}
			return a, b
		}, func(a, b *Record) { b.Also = nil }, nil, true},
		{"cycle of supersession", RuleSupersedesCycle, func() (*Record, *Record) {
			a, b := verdictOn("dec-a", Decision, Superseded), verdictOn("dec-b", Decision, Superseded)
			a.Verdict.SupersededBy, b.Verdict.SupersededBy = b.ID, a.ID
			return a, b
		}, func(a, b *Record) { b.Verdict.SupersededBy = "" }, nil, false},
	}
}

func TestContradictions(t *testing.T) {
	j := EvalContext{Review: ReviewAny, ValidAt: noon}
	for _, c := range clashes() {
		t.Run(c.name, func(t *testing.T) {
			a, b := c.build()
			v := NewSet([]*Record{a, b}, nil)
			all := slices.Collect(Contradictions(v))
			if len(all) != 1 || all[0].Rule != c.rule || !slices.Contains(all[0].IDs, a.ID) || !slices.Contains(all[0].IDs, b.ID) {
				t.Fatalf("contradictions of the tree: %v", all)
			}
			for _, r := range []*Record{a, b} { // found from either end
				if got := ContradictionsOf(v, r.ID); len(got) != 1 || got[0].Key() != all[0].Key() {
					t.Errorf("contradictions of %s: %v", r.ID, got)
				}
			}
			if st := Effective(v, a.ID, j); c.disputeA && (st.Class != InDispute || st.Why != WhyContradicted) {
				t.Errorf("%s is %s %s", a.ID, st.Class, st.Why)
			}

			a, b = c.build()
			c.agree(a, b)
			v = NewSet([]*Record{a, b}, nil)
			if all := slices.Collect(Contradictions(v)); len(all) != 0 {
				t.Errorf("positive control: still %v", all)
			}
			if st := Effective(v, a.ID, j); c.disputeA && st.Class != Asserted {
				t.Errorf("positive control: %s is %s %s", a.ID, st.Class, st.Why)
			}
			if c.lift == nil {
				return
			}
			a, b = c.build()
			c.lift(a, b)
			v = NewSet([]*Record{a, b}, nil)
			if st := Effective(v, a.ID, j); st.Class != Asserted {
				t.Errorf("despite does not lift it: %s is %s %s", a.ID, st.Class, st.Why)
			}
			a.Verdict.N, b.Verdict.N = "000000", "000001" // new verdicts: the override named the old ones
			if all := slices.Collect(Contradictions(NewSet([]*Record{a, b}, nil))); len(all) != 1 {
				t.Errorf("despite outlives the verdict it names: %v", all)
			}
		})
	}
}

// Support by an agent needs evidence that anyone can check; each way to fail is
// one change away from evidence that carries it.
func TestSupportNeedsCitableEvidence(t *testing.T) {
	j := EvalContext{Review: ReviewHuman, ValidAt: noon}
	standing := func(change func(h, ev *Record)) Standing {
		h, ev := verdictOn("hyp-a", Hypothesis, Supported), verdictOn("ev-b", Evidence, Recorded)
		ev.Source = "bench.txt"
		h.Verdict.Actor, h.Verdict.Cites = "agent/x", []ID{ev.ID}
		change(h, ev)
		return Effective(NewSet([]*Record{h, ev}, nil), h.ID, j)
	}
	for name, change := range map[string]func(h, ev *Record){
		"source": func(h, ev *Record) {},
		"anchor": func(h, ev *Record) { ev.Source, ev.Anchors = "", []Anchor{{Path: "a.go"}} },
		"human":  func(h, ev *Record) { h.Verdict.Actor, h.Verdict.Cites = Human, nil },
	} {
		if st := standing(change); st.Class != Asserted {
			t.Errorf("%s: %s %s", name, st.Class, st.Why)
		}
	}
	for name, change := range map[string]func(h, ev *Record){
		"nothing cited":   func(h, ev *Record) { h.Verdict.Cites = nil },
		"missing":         func(h, ev *Record) { h.Verdict.Cites = []ID{"ev-z"} },
		"not evidence":    func(h, ev *Record) { ev.Kind = Conclusion },
		"no source":       func(h, ev *Record) { ev.Source = "" },
		"model output":    func(h, ev *Record) { ev.Type = "model-output" },
		"retracted":       func(h, ev *Record) { ev.Verdict.State = Retracted },
		"forgotten":       func(h, ev *Record) { ev.Tombstone = &Tombstone{} },
		"disputed":        func(h, ev *Record) { ev.Conflicts = []Conflict{{Field: "source"}} },
		"unknown channel": func(h, ev *Record) { h.Verdict.Actor, h.Verdict.Cites = Unknown, nil },
	} {
		if st := standing(change); st.Class != OpenQuestion || st.Why != WhyUnsourced {
			t.Errorf("%s: %s %s", name, st.Class, st.Why)
		}
	}
}
