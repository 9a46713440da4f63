package standing

import (
	"fmt"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/records"
)

// stateAlone is what kind and state give when nothing else speaks against it.
var stateAlone = map[records.Kind]map[records.State]records.Class{
	records.Goal:       {records.Proposed: records.OpenQuestion, records.Active: records.Asserted, records.Parked: records.Closed, records.Achieved: records.Closed, records.Abandoned: records.Closed},
	records.Task:       {records.Todo: records.Asserted, records.InProgress: records.Asserted, records.Blocked: records.Asserted, records.Done: records.Closed, records.Dropped: records.Closed},
	records.Hypothesis: {records.Proposed: records.OpenQuestion, records.UnderEvaluation: records.OpenQuestion, records.Supported: records.Asserted, records.Refuted: records.RuledOut, records.Superseded: records.Gone},
	records.Evidence:   {records.Recorded: records.Asserted, records.Verified: records.Asserted, records.Retracted: records.Gone},
	records.Decision:   {records.Proposed: records.OpenQuestion, records.Accepted: records.Asserted, records.Rejected: records.RuledOut, records.Superseded: records.Gone},
	records.Conclusion: {records.Draft: records.OpenQuestion, records.Accepted: records.Asserted, records.Rejected: records.RuledOut, records.Superseded: records.Gone},
	records.Runbook:    {records.Draft: records.OpenQuestion, records.Active: records.Asserted, records.Retired: records.Gone},
	records.Trigger:    {records.Draft: records.OpenQuestion, records.Active: records.Asserted, records.Retired: records.Gone},
}

// onlyHumans are the states that only a human may give under the policy human.
var onlyHumans = map[records.Kind]records.State{
	records.Goal: records.Active, records.Evidence: records.Verified, records.Decision: records.Accepted, records.Conclusion: records.Accepted, records.Runbook: records.Active, records.Trigger: records.Active,
}

// onlyBookkeeping are the states that assert a record and judge nothing: its
// content may change under them.
var onlyBookkeeping = map[records.Kind]map[records.State]bool{
	records.Task:     {records.Todo: true, records.InProgress: true, records.Blocked: true},
	records.Evidence: {records.Recorded: true},
}

var (
	dawn  = noon.Add(-6 * time.Hour)
	night = noon.Add(9 * time.Hour)
)

// A situation is one row of the table: a record and all that bears on it.
type situation struct {
	kind         records.Kind
	state        records.State
	conflict     bool
	changed      bool
	contradicted bool
	veto         records.State // "" is none
	validity     string
	review       records.Review
	judge        string // human, agent or signed, an agent with a signature
	asks         bool
	sourced      bool
	forgotten    bool
}

const (
	subject   records.ID = "x-0000000001"
	other     records.ID = "dec-0000000002"
	old       records.ID = "dec-0000000003"
	citation  records.ID = "ev-0000000004"
	testNonce            = "8f3k2m"
)

// verdictOn returns a record in the given state whose verdict fits its content.
func verdictOn(id records.ID, k records.Kind, s records.State) *records.Record {
	r := &records.Record{ID: id, Kind: k, Title: string(id), Verdict: &records.Verdict{State: s, Actor: records.Human, At: dawn, N: testNonce}}
	r.Verdict.Of = r.Digest()
	return r
}

// refresh makes the verdict fit the record after a change of its content.
func refresh(r *records.Record) *records.Record {
	r.Verdict.Of = r.Digest()
	return r
}

func (c situation) effective() records.Standing {
	r := verdictOn(subject, c.kind, c.state)
	switch c.validity {
	case "inside":
		r.Valid = records.Validity{From: noon, Until: night}
	case "early":
		r.Valid = records.Validity{From: noon.Add(time.Second)}
	case "late":
		r.Valid = records.Validity{Until: noon}
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
		r.Conflicts = []records.Conflict{{Field: "body"}}
	}
	if c.forgotten {
		r.Tombstone = &records.Tombstone{Fingerprint: "f"}
	}
	rs := []*records.Record{r}
	if c.sourced {
		ev := verdictOn(citation, records.Evidence, records.Recorded)
		ev.Source = "bench.txt"
		r.Verdict.Cites = []records.ID{citation}
		rs = append(rs, refresh(ev))
	}
	if c.contradicted { // a fork of supersession can name a record of any kind
		o := verdictOn(old, records.Decision, records.Superseded)
		o.Verdict.SupersededBy = subject
		o.Also = []records.Verdict{{State: records.Superseded, SupersededBy: other}}
		rs = append(rs, o, verdictOn(other, records.Decision, records.Proposed))
	}
	vetoes := map[records.ID]records.State{}
	if c.veto != "" {
		vetoes[subject] = c.veto
	}
	j := records.EvalContext{Review: c.review, ValidAt: noon, Signed: func(*records.Record, *records.Verdict) bool { return c.judge == "signed" }}
	return Of(records.NewSet(rs, vetoes), subject, j)
}

// expected states the rules of what may be asserted in their order of precedence.
func (c situation) expected() (records.Class, records.State, records.Why) {
	alone := stateAlone[c.kind][c.state]
	unreviewed := onlyHumans[c.kind] == c.state
	untrusted := true
	switch c.review {
	case records.ReviewAny:
		unreviewed, untrusted = false, false
	case records.ReviewHuman:
		unreviewed, untrusted = unreviewed && c.judge != "human", c.judge != "human"
	default:
		unreviewed, untrusted = unreviewed && c.judge != "signed", c.judge != "signed"
	}
	shown, why := c.state, records.Why("")
	switch {
	case c.forgotten, c.veto == records.Forgotten:
		return records.Gone, records.Forgotten, records.WhyForgotten
	case c.veto != "" && alone != records.RuledOut && alone != records.Gone:
		if c.veto == records.Refuted || c.veto == records.Rejected {
			return records.RuledOut, c.veto, records.WhyVetoed
		}
		return records.Gone, c.veto, records.WhyVetoed
	case c.conflict:
		return records.InDoubt, c.state, records.WhyConflict
	case alone == records.OpenQuestion && c.asks:
		return records.AwaitingReview, c.state, ""
	case alone == records.RuledOut && c.changed:
		return records.OpenQuestion, c.state, records.WhyChanged
	case alone != records.Asserted:
		return alone, c.state, ""
	case unreviewed && c.kind != records.Evidence:
		return records.AwaitingReview, c.state, records.WhyUnreviewed
	case unreviewed: // it stays evidence, but not verified
		shown, why = records.Recorded, records.WhyUnreviewed
	}
	switch {
	case c.changed && !onlyBookkeeping[c.kind][c.state]:
		return records.OpenQuestion, shown, records.WhyChanged
	case c.kind == records.Hypothesis && untrusted && !c.sourced:
		return records.OpenQuestion, shown, records.WhyUnsourced
	case c.validity == "early":
		return records.Closed, shown, records.WhyNotYet
	case c.validity == "late":
		return records.Closed, shown, records.WhyExpired
	case c.contradicted:
		return records.InDoubt, shown, records.WhyDoubt
	}
	return records.Asserted, shown, why
}

// vetoStates are the states in which the kind can be dead on the default branch.
func vetoStates(s *records.Schema) []records.State {
	out := []records.State{"", records.Forgotten}
	for _, st := range []records.State{records.Refuted, records.Rejected, records.Superseded, records.Retracted} {
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
		if (len(got.Causes) > 0) != (class == records.InDoubt) {
			t.Errorf("%+v: contradictions %v", c, got.Causes)
		}
		if class == records.Asserted {
			asserted[fmt.Sprint(c.kind, " ", c.state, " ", c.review)]++
		}
	}
	for _, s := range records.Schemas() {
		if len(stateAlone[s.Kind]) != len(s.States) {
			t.Fatalf("the table lacks states of a %s", s.Kind)
		}
		for _, state := range s.States {
			for _, review := range []records.Review{records.ReviewAny, records.ReviewHuman, records.ReviewSigned, "unreadable"} {
				for _, judge := range []string{"human", "agent", "signed"} {
					for _, veto := range vetoStates(s) {
						for _, validity := range []string{"none", "inside", "early", "late"} {
							for bits := range 32 {
								c := situation{kind: s.Kind, state: state, review: review, judge: judge, veto: veto, validity: validity,
									conflict: bits&1 != 0, changed: bits&2 != 0, contradicted: bits&4 != 0, asks: bits&8 != 0, sourced: bits&16 != 0}
								if c.sourced && s.Kind != records.Hypothesis {
									continue
								}
								check(c)
							}
						}
					}
				}
			}
			check(situation{kind: s.Kind, state: state, review: records.ReviewAny, judge: "human", forgotten: true})
		}
	}
	// The positive control of every row that must not be asserted.
	for k, states := range stateAlone {
		for state, class := range states {
			for _, review := range []records.Review{records.ReviewAny, records.ReviewHuman, records.ReviewSigned} {
				if n := asserted[fmt.Sprint(k, " ", state, " ", review)]; (n > 0) != (class == records.Asserted) {
					t.Errorf("a %s that is %s was asserted in %d rows under %s", k, state, n, review)
				}
			}
		}
	}
	if s := Of(records.NewSet(nil, nil), subject, records.EvalContext{}); s.Class != records.Gone {
		t.Errorf("a missing record is %s", s.Class)
	}
}

// Support by an agent needs evidence that anyone can check; each way to fail is
// one change away from evidence that carries it.
func TestSupportNeedsCitableEvidence(t *testing.T) {
	j := records.EvalContext{Review: records.ReviewHuman, ValidAt: noon}
	standingOf := func(change func(h, ev *records.Record)) records.Standing {
		h, ev := verdictOn("hyp-a", records.Hypothesis, records.Supported), verdictOn("ev-b", records.Evidence, records.Recorded)
		ev.Source = "bench.txt"
		h.Verdict.Actor, h.Verdict.Cites = "agent/x", []records.ID{ev.ID}
		change(h, ev)
		return Of(records.NewSet([]*records.Record{h, ev}, nil), h.ID, j)
	}
	for name, change := range map[string]func(h, ev *records.Record){
		"source": func(h, ev *records.Record) {},
		"anchor": func(h, ev *records.Record) { ev.Source, ev.Anchors = "", []records.Anchor{{Path: "a.go"}} },
		"human":  func(h, ev *records.Record) { h.Verdict.Actor, h.Verdict.Cites = records.Human, nil },
	} {
		if st := standingOf(change); st.Class != records.Asserted {
			t.Errorf("%s: %s %s", name, st.Class, st.Why)
		}
	}
	for name, change := range map[string]func(h, ev *records.Record){
		"nothing cited":   func(h, ev *records.Record) { h.Verdict.Cites = nil },
		"missing":         func(h, ev *records.Record) { h.Verdict.Cites = []records.ID{"ev-z"} },
		"not evidence":    func(h, ev *records.Record) { ev.Kind = records.Conclusion },
		"no source":       func(h, ev *records.Record) { ev.Source = "" },
		"model output":    func(h, ev *records.Record) { ev.Type = "model-output" },
		"retracted":       func(h, ev *records.Record) { ev.Verdict.State = records.Retracted },
		"forgotten":       func(h, ev *records.Record) { ev.Tombstone = &records.Tombstone{} },
		"disputed":        func(h, ev *records.Record) { ev.Conflicts = []records.Conflict{{Field: "source"}} },
		"unknown channel": func(h, ev *records.Record) { h.Verdict.Actor, h.Verdict.Cites = records.Unknown, nil },
	} {
		if st := standingOf(change); st.Class != records.OpenQuestion || st.Why != records.WhyUnsourced {
			t.Errorf("%s: %s %s", name, st.Class, st.Why)
		}
	}
}
