package standing

import (
	"slices"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/records"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

const (
	theGoal records.ID = "goal-0000000001"
	theTask records.ID = "task-0000000001"
	theHyp  records.ID = "hyp-0000000001"
	theEv   records.ID = "ev-0000000001"
	otherEv records.ID = "ev-0000000002"
	theDec  records.ID = "dec-0000000001"
	rival   records.ID = "dec-0000000002"
	oldDec  records.ID = "dec-0000000003"
	theCon  records.ID = "con-0000000001"
)

// A store is records in the making.
type store map[records.ID]*records.Record

// add puts a record in a state that a person gave.
func (s store) add(id records.ID, state records.State) *records.Record {
	r := &records.Record{ID: id, Kind: id.Kind(), Title: string(id), Links: map[records.Relation][]records.ID{},
		Verdict: &records.Verdict{State: state, Actor: records.Human, At: noon.Add(-time.Hour), N: "8f3k2m"}}
	s[id] = r
	return r
}

// view seals the records, so that each verdict fits its content, but for those
// that are sealed already.
func (s store) view(vetoes map[records.ID]records.State) records.View {
	var rs []*records.Record
	for _, r := range s {
		if r.Verdict != nil && r.Verdict.Of == "" {
			r.Verdict.Of = r.Digest()
		}
		rs = append(rs, r)
	}
	return records.NewSet(rs, vetoes)
}

func link(r *records.Record, rel records.Relation, to records.ID) {
	r.Links[rel] = append(r.Links[rel], to)
}

// chain is goal, task, supported hypothesis with evidence, decision and conclusion on it.
func chain() store {
	s := store{}
	s.add(theGoal, records.Active)
	link(s.add(theTask, records.InProgress), records.Serves, theGoal)
	s.add(theEv, records.Recorded).Source = "bench"
	s.add(theHyp, records.Supported).Verdict.Cites = []records.ID{theEv}
	link(s.add(theDec, records.Accepted), records.RestsOn, theHyp)
	link(s.add(theCon, records.Accepted), records.RestsOn, theDec)
	link(s[theCon], records.Closes, theTask)
	return s
}

func TestEachRuleDecides(t *testing.T) {
	human := records.EvalContext{Review: records.ReviewHuman, ValidAt: noon}
	tests := []struct {
		name string
		// fact is what the rule is about: done to the chain, it takes id down.
		fact  func(s store, c *records.EvalContext)
		veto  map[records.ID]records.State
		id    records.ID
		class records.Class
		why   records.Why
		rule  string // of the cause
		root  records.ID
	}{
		{name: "contradiction", id: theDec, class: records.InDoubt, why: records.WhyDoubt, rule: records.RuleContradiction, root: theDec,
			fact: func(s store, _ *records.EvalContext) {
				link(s.add(rival, records.Accepted), records.Contradicts, theDec)
			}},
		{name: "contradicted basis", id: theCon, class: records.InDoubt, why: records.WhyDoubt, rule: records.RuleRestsOnDead, root: theDec,
			fact: func(s store, _ *records.EvalContext) {
				link(s.add(rival, records.Accepted), records.Contradicts, theDec)
			}},
		{name: "rival", id: theDec, class: records.InDoubt, why: records.WhyDoubt, rule: records.RuleRivalDecisions, root: theDec,
			fact: func(s store, _ *records.EvalContext) {
				s[theDec].Question, s.add(rival, records.Accepted).Question = "How?", "how"
			}},
		{name: "refuting evidence", id: theHyp, class: records.InDoubt, why: records.WhyDoubt, rule: records.RuleRefuted, root: theHyp,
			fact: func(s store, _ *records.EvalContext) { link(s.add(otherEv, records.Recorded), records.Refutes, theHyp) }},
		{name: "two links from refuting evidence", id: theCon, class: records.InDoubt, why: records.WhyDoubt, rule: records.RuleRestsOnDead, root: theHyp,
			fact: func(s store, _ *records.EvalContext) { link(s.add(otherEv, records.Recorded), records.Refutes, theHyp) }},
		{name: "only evidence retracted", id: theHyp, class: records.InDoubt, why: records.WhyDoubt, rule: records.RuleEvidenceGone, root: theEv,
			fact: func(s store, _ *records.EvalContext) { s[theEv].Verdict.State = records.Retracted }},
		{name: "decision over retracted evidence", id: theDec, class: records.InDoubt, why: records.WhyDoubt, rule: records.RuleRestsOnDead, root: theEv,
			fact: func(s store, _ *records.EvalContext) { s[theEv].Verdict.State = records.Retracted }},
		{name: "basis refuted", id: theCon, class: records.InDoubt, why: records.WhyDoubt, rule: records.RuleRestsOnDead, root: theHyp,
			fact: func(s store, _ *records.EvalContext) { s[theHyp].Verdict.State = records.Refuted }},
		{name: "basis reopened", id: theDec, class: records.InDoubt, why: records.WhyDoubt, rule: records.RuleRestsOnDead, root: theHyp,
			fact: func(s store, _ *records.EvalContext) { s[theHyp].Verdict.State = records.Proposed }},
		{name: "basis expired", id: theDec, class: records.InDoubt, why: records.WhyDoubt, rule: records.RuleRestsOnDead, root: theHyp,
			fact: func(s store, _ *records.EvalContext) { s[theHyp].Valid.Until = noon }},
		{name: "basis missing", id: theDec, class: records.InDoubt, why: records.WhyDoubt, rule: records.RuleRestsOnDead, root: theHyp,
			fact: func(s store, _ *records.EvalContext) { delete(s, theHyp) }},
		{name: "basis superseded by a proposal", id: theCon, class: records.InDoubt, why: records.WhyDoubt, rule: records.RuleRestsOnDead, root: rival,
			fact: func(s store, _ *records.EvalContext) {
				s.add(rival, records.Proposed)
				s[theDec].Verdict.State, s[theDec].Verdict.SupersededBy = records.Superseded, rival
			}},
		{name: "basis vetoed", id: theDec, class: records.InDoubt, why: records.WhyDoubt, rule: records.RuleRestsOnDead, root: theHyp,
			fact: func(store, *records.EvalContext) {}, veto: map[records.ID]records.State{theHyp: records.Refuted}},
		{name: "same text ruled out as another kind", id: theCon, class: records.InDoubt, why: records.WhyDoubt, rule: records.RuleRuledOutAgain, root: theCon,
			fact: func(s store, _ *records.EvalContext) {
				s[theCon].Title, s.add(rival, records.Rejected).Title = "Use Redis!", "use redis"
			}},
		{name: "fork", id: theDec, class: records.InDoubt, why: records.WhyDoubt, rule: records.RuleSupersedesFork, root: oldDec,
			fact: func(s store, _ *records.EvalContext) {
				old := s.add(oldDec, records.Superseded)
				old.Verdict.SupersededBy = theDec
				old.Verdict.Of = old.Digest()
				also := old.Verdict.Clone()
				also.SupersededBy, also.N = rival, "8f3k2n"
				old.Also = []records.Verdict{also}
				s.add(rival, records.Accepted)
			}},
		{name: "merge conflict", id: theDec, class: records.InDoubt, why: records.WhyConflict, rule: records.RuleConflict, root: theDec,
			fact: func(s store, _ *records.EvalContext) { s[theDec].Conflicts = []records.Conflict{{Field: "body"}} }},
		{name: "lost side", id: theDec, class: records.InDoubt, why: records.WhyDoubt, rule: records.RuleLostSide, root: theDec,
			fact: func(_ store, c *records.EvalContext) {
				c.Lost = func(id records.ID) []records.Loss {
					if id == theDec {
						return []records.Loss{{Rule: records.RuleLostSide, Commit: "abc"}}
					}
					return nil
				}
			}},
		{name: "displaced verdict", id: theDec, class: records.InDoubt, why: records.WhyDoubt, rule: records.RuleDisplaced, root: theDec,
			fact: func(_ store, c *records.EvalContext) {
				c.Provenance = func(r *records.Record, m *records.Verdict) records.Provenance {
					p := records.Provenance{Named: true}
					if r.ID == theDec {
						p.Displaced = "abc"
					}
					return p
				}
			}},
		{name: "stale where the policy doubts it", id: theHyp, class: records.InDoubt, why: records.WhyDoubt, rule: records.RuleStaleAnchor, root: theHyp,
			fact: func(_ store, c *records.EvalContext) {
				c.StaleDoubt = true
				c.Stale = func(r *records.Record) (records.Staleness, bool) { return records.Staleness{}, r.ID == theHyp }
			}},
		{name: "unnamed by history", id: theDec, class: records.AwaitingReview, why: records.WhyUnreviewed,
			fact: func(_ store, c *records.EvalContext) {
				c.Provenance = func(r *records.Record, _ *records.Verdict) records.Provenance {
					return records.Provenance{Named: r.ID != theDec}
				}
			}},
		{name: "an agent's word", id: theDec, class: records.AwaitingReview, why: records.WhyUnreviewed,
			fact: func(s store, _ *records.EvalContext) { s[theDec].Verdict.Actor = "agent/x" }},
		{name: "an agent's support without a source", id: theHyp, class: records.OpenQuestion, why: records.WhyUnsourced,
			fact: func(s store, _ *records.EvalContext) { s[theHyp].Verdict.Actor, s[theEv].Source = "agent/x", "" }},
		{name: "edited", id: theDec, class: records.OpenQuestion, why: records.WhyChanged,
			fact: func(s store, _ *records.EvalContext) { s[theDec].Verdict.Of = "000000000000" }},
		{name: "not yet valid", id: theDec, class: records.Closed, why: records.WhyNotYet,
			fact: func(s store, _ *records.EvalContext) { s[theDec].Valid.From = noon.Add(time.Second) }},
		{name: "expired", id: theDec, class: records.Closed, why: records.WhyExpired,
			fact: func(s store, _ *records.EvalContext) { s[theDec].Valid.Until = noon }},
		{name: "vetoed", id: theDec, class: records.RuledOut, why: records.WhyVetoed, fact: func(store, *records.EvalContext) {},
			veto: map[records.ID]records.State{theDec: records.Rejected}},
		{name: "vetoed by what cannot be read", id: theDec, class: records.InDoubt, why: records.WhyDoubt, rule: records.RuleUnreadableVeto,
			fact: func(store, *records.EvalContext) {}, veto: map[records.ID]records.State{theDec: ""}},
		{name: "withdrawn", id: theHyp, class: records.Gone, why: records.WhyWithdrawn,
			fact: func(s store, _ *records.EvalContext) {
				s[theHyp].Verdict.State, s[theHyp].Verdict.Withdrawn = records.Proposed, true
			}},
		{name: "forgotten", id: theHyp, class: records.Gone, why: records.WhyForgotten,
			fact: func(s store, _ *records.EvalContext) { s[theHyp].Tombstone = &records.Tombstone{Fingerprint: "f"} }},
		{name: "goal parked", id: theTask, class: records.Closed, why: records.WhyIdleGoals,
			fact: func(s store, _ *records.EvalContext) { s[theGoal].Verdict.State = records.Parked }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if st := Of(chain().view(nil), tt.id, human); st.Class != records.Asserted || len(st.Causes) > 0 {
				t.Fatalf("without it, %s is %+v", tt.id, st)
			}
			s, c := chain(), human
			tt.fact(s, &c)
			st := Of(s.view(tt.veto), tt.id, c)
			if st.Class != tt.class || st.Why != tt.why {
				t.Fatalf("%s is %s (%s) %+v, want %s (%s)", tt.id, st.Class, st.Why, st.Causes, tt.class, tt.why)
			}
			if tt.rule == "" {
				return
			}
			i := slices.IndexFunc(st.Causes, func(c records.Cause) bool { return c.Rule == tt.rule })
			if i < 0 {
				t.Fatalf("causes are %+v, want %s", st.Causes, tt.rule)
			}
			if tt.root != "" && !slices.Contains(st.Causes[i].Root, tt.root) {
				t.Errorf("root of %s is %v, want %s", tt.rule, st.Causes[i].Root, tt.root)
			}
		})
	}
}

func TestWhatLifts(t *testing.T) {
	c := records.EvalContext{Review: records.ReviewHuman, ValidAt: noon}
	know := func(r, o *records.Record) {
		r.Verdict.Despite = append(r.Verdict.Despite, records.Despite{ID: o.ID, State: o.State(), Of: o.Digest()})
	}
	tests := []struct {
		name string
		fact func(s store)
		know func(s store) // makes theDec stand all the same
	}{
		{"a contradiction, from this side",
			func(s store) { link(s.add(rival, records.Accepted), records.Contradicts, theDec) },
			func(s store) { know(s[theDec], s[rival]) }},
		{"a contradiction, from the other side",
			func(s store) { link(s.add(rival, records.Accepted), records.Contradicts, theDec) },
			func(s store) { know(s[rival], s[theDec]) }},
		{"rivals whose paths are apart",
			func(s store) { s[theDec].Question, s.add(rival, records.Accepted).Question = "How?", "how" },
			func(s store) {
				s[theDec].Paths, s[rival].Paths = []string{"internal/cache/**"}, []string{"cmd/**/*.go"}
			}},
		{"an open basis",
			func(s store) { s[theHyp].Verdict.State = records.Proposed },
			func(s store) { know(s[theDec], s[theHyp]) }},
		{"a ruled-out text, reopened",
			func(s store) { s[theDec].Title, s.add(rival, records.Rejected).Title = "Use Redis", "use redis" },
			func(s store) { link(s[theDec], records.Reopens, rival) }},
		{"a superseded basis, by its successor",
			func(s store) {
				s[theHyp].Verdict.State, s[theHyp].Verdict.SupersededBy = records.Superseded, "hyp-0000000002"
				s.add("hyp-0000000002", records.Proposed)
			},
			func(s store) { s["hyp-0000000002"].Verdict.State = records.Supported }},
		{"refuting evidence that does not stand",
			func(s store) { link(s.add(otherEv, records.Recorded), records.Refutes, theDec) },
			func(s store) { s[otherEv].Verdict.State = records.Retracted }},
		{"refuting evidence of an agent",
			func(s store) { link(s.add(otherEv, records.Recorded), records.Refutes, theDec) },
			func(s store) { s[otherEv].Verdict.Actor = "agent/x" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := chain()
			tt.fact(s)
			if st := Of(s.view(nil), theDec, c); st.Class != records.InDoubt {
				t.Fatalf("before, it is %s", st.Class)
			}
			s = chain()
			tt.fact(s)
			tt.know(s)
			if st := Of(s.view(nil), theDec, c); st.Class != records.Asserted {
				t.Errorf("it is %s: %+v", st.Class, st.Causes)
			}
		})
	}
}

func TestMarks(t *testing.T) {
	tests := []struct {
		name records.MarkName
		id   records.ID
		fact func(s store, c *records.EvalContext)
	}{
		{records.MarkStale, theHyp, func(_ store, c *records.EvalContext) {
			c.Stale = func(r *records.Record) (records.Staleness, bool) {
				return records.Staleness{Commit: "abc"}, r.ID == theHyp
			}
		}},
		{records.MarkChallenged, theDec, func(s store, _ *records.EvalContext) {
			ev := s.add(otherEv, records.Recorded)
			ev.Verdict.Actor = "agent/x"
			link(ev, records.Refutes, theDec)
		}},
		{records.MarkChallenged, theDec, func(s store, _ *records.EvalContext) {
			s[theDec].Challenges = []records.Verdict{{State: records.Rejected, Actor: "agent/x"}}
		}},
		{records.MarkAgentOnly, theDec, func(s store, _ *records.EvalContext) { s[theEv].Verdict.Actor = "agent/x" }},
		{records.MarkBasisSucceeded, theDec, func(s store, _ *records.EvalContext) {
			s[theHyp].Verdict.State, s[theHyp].Verdict.SupersededBy = records.Superseded, "hyp-0000000002"
			s.add("hyp-0000000002", records.Supported)
		}},
		{records.MarkBasisReduced, theHyp, func(s store, _ *records.EvalContext) {
			s.add(otherEv, records.Retracted)
			s[theHyp].Verdict.Cites = append(s[theHyp].Verdict.Cites, otherEv)
		}},
		{records.MarkDerived, theHyp, func(s store, _ *records.EvalContext) {
			s.add("hyp-0000000002", records.Refuted)
			link(s[theHyp], records.DerivedFrom, "hyp-0000000002")
		}},
		{records.MarkReopenedTask, theCon, func(store, *records.EvalContext) {}}, // the chain's task is open
		{records.MarkImported, theHyp, func(s store, c *records.EvalContext) {
			c.Review = records.ReviewAny
			s[theHyp].Created.Actor, s[theHyp].Verdict.Actor = importer, importer
		}},
	}
	for _, tt := range tests {
		t.Run(string(tt.name), func(t *testing.T) {
			has := func(st records.Standing) bool {
				return slices.ContainsFunc(st.Marks, func(m records.Mark) bool { return m.Name == tt.name })
			}
			s, c := chain(), records.EvalContext{Review: records.ReviewHuman, ValidAt: noon}
			if tt.name == records.MarkReopenedTask {
				s[theTask].Verdict.State = records.Done
			}
			if st := Of(s.view(nil), tt.id, c); has(st) {
				t.Fatalf("it has the mark without cause: %+v", st.Marks)
			}
			s = chain()
			tt.fact(s, &c)
			if st := Of(s.view(nil), tt.id, c); st.Class != records.Asserted || !has(st) {
				t.Errorf("%s is %s %+v with marks %+v", tt.id, st.Class, st.Causes, st.Marks)
			}
		})
	}
}

// TestMembersAreNotMixed puts a person's word on one member and the fitting
// citation on another: neither suffices by itself.
func TestMembersAreNotMixed(t *testing.T) {
	s := chain()
	h := s[theHyp]
	h.Verdict.Actor = "agent/x"
	h.Verdict.Cites = nil // an agent's word without a source
	h.Verdict.Of = h.Digest()
	also := h.Verdict.Clone()
	also.Actor, also.N, also.Cites = records.Human, "8f3k2n", []records.ID{otherEv} // a person's, whose evidence is gone
	s.add(otherEv, records.Retracted)
	h.Also = []records.Verdict{also}
	c := records.EvalContext{Review: records.ReviewHuman, ValidAt: noon}
	if st := Of(s.view(nil), theHyp, c); st.Class == records.Asserted {
		t.Error("parts of two verdicts were put together")
	}
	h.Also[0].Cites = []records.ID{theEv}
	if st := Of(s.view(nil), theHyp, c); st.Class != records.Asserted || st.Verdict.N != "8f3k2n" {
		t.Errorf("the sound member alone gives %s by %+v", st.Class, st.Verdict)
	}
}

// TestChainsAreDeepAndLinear asks for the end of a long chain, which recursion
// or repeated passes would not bear.
func TestChainsAreDeepAndLinear(t *testing.T) {
	const n = 30_000
	id := func(i int) records.ID { return records.ID("con-" + string(base32(i))) }
	rs := make([]*records.Record, n)
	for i := range rs {
		r := &records.Record{ID: id(i), Kind: records.Conclusion, Title: string(id(i)), Links: map[records.Relation][]records.ID{},
			Verdict: &records.Verdict{State: records.Accepted, Actor: records.Human}}
		if i > 0 {
			link(r, records.RestsOn, id(i-1))
		}
		r.Verdict.Of = r.Digest()
		rs[i] = r
	}
	e := NewEvaluator(records.NewSet(rs, nil), records.EvalContext{Review: records.ReviewHuman})
	if st := e.Standing(id(n - 1)); st.Class != records.Asserted {
		t.Fatalf("the end of the chain is %s", st.Class)
	}
	rs[0].Verdict.State = records.Rejected
	rs[0].Verdict.Of = rs[0].Digest()
	e = NewEvaluator(records.NewSet(rs, nil), records.EvalContext{Review: records.ReviewHuman})
	st := e.Standing(id(n - 1))
	if st.Class != records.InDoubt || !slices.Equal(st.Causes[0].Root, []records.ID{id(0)}) {
		t.Errorf("with its beginning rejected the end is %s, causes %+v", st.Class, st.Causes)
	}
}

func base32(i int) []byte {
	out := make([]byte, 10)
	for p := range out {
		out[9-p] = "0123456789abcdefghjkmnpqrstvwxyz"[i%32]
		i /= 32
	}
	return out
}
