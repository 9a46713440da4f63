package records

import (
	"slices"
	"strings"
	"time"
)

// A Class is what readers may do with a record.
type Class string

// The classes. A packet asserts only records of class Asserted.
const (
	Asserted       Class = "asserted"        // holds: may be stated as fact
	OpenQuestion   Class = "open"            // not settled
	AwaitingReview Class = "awaiting-review" // proposed for acceptance
	RuledOut       Class = "ruled-out"       // refuted or rejected: a warning only
	InDispute      Class = "disputed"        // a merge conflict or a contradiction
	Closed         Class = "closed"          // done, dropped, achieved, abandoned, parked or out of its validity: history
	Gone           Class = "gone"            // superseded, retracted, retired or forgotten: not shown at all
)

// Why says which rule gave a record its [Class] when that is not its state alone.
type Why string

// The reasons that a record is not asserted although its state alone would
// assert it, and the others that a reader wants to know.
const (
	WhyConflict     Why = "conflict"             // a merge conflict
	WhyContradicted Why = "contradicted"         // an error-level contradiction
	WhyChanged      Why = "changed-since-review" // the content is not what was judged
	WhyVetoed       Why = "vetoed"               // dead on the default branch
	WhyNotYet       Why = "not-yet-valid"
	WhyExpired      Why = "expired"
	WhyUnreviewed   Why = "unreviewed" // the policy asks for a reviewer this verdict lacks
	WhyUnsourced    Why = "unsourced"  // an agent's support without checkable evidence
	WhyForgotten    Why = "forgotten"
)

// A Standing is what [Effective] says of one record.
type Standing struct {
	Class Class
	// State is the state to show: the record's own, the vetoing one, or the
	// birth state where a claim to more was not reviewed.
	State State
	Why   Why
	// Contradictions are those that suppress the record.
	Contradictions []Contradiction
}

// An EvalContext holds what [Effective] needs to know beside the records.
type EvalContext struct {
	// Review is the policy in force; anything unknown counts as [ReviewSigned].
	Review Review
	// ValidAt is the instant at which records must hold.
	ValidAt time.Time
	// Signed reports whether the record's verdict carries a signature that
	// verifies. Nil means that none does.
	Signed func(*Record) bool
	// HasProvenance reports whether the store's history proves that a person gave
	// the verdict, as one that [HumanVerdicts] yields claims. Nil believes them all.
	HasProvenance func(ID, *Verdict) bool
	// Alone leaves contradictions with other records aside.
	Alone bool
}

// Effective says what readers may do with the record: the one function that
// every reader uses. A missing record is Gone. What was recorded at another
// time is asked by passing the view of that time.
func Effective(v View, id ID, j EvalContext) Standing {
	r, ok := v.Record(id)
	veto, vetoes := v.Veto(id)
	switch {
	case !ok:
		return Standing{Class: Gone}
	case r.Forgotten(), vetoes && veto == Forgotten:
		return Standing{Class: Gone, State: Forgotten, Why: WhyForgotten}
	case r.Disputed() || r.Verdict == nil:
		return Standing{Class: InDispute, State: r.State(), Why: WhyConflict}
	}
	st := Standing{Class: r.State().Class(r.Kind), State: r.State()}
	if vetoes && st.Class != RuledOut && st.Class != Gone {
		return vetoed(r.Kind, veto)
	}
	if st.Class == OpenQuestion && r.Verdict.Asks != "" {
		st.Class = AwaitingReview
	}
	if st.Class != Asserted {
		return st
	}
	return j.assertable(v, r, st)
}

// assertable applies the rules that keep a record from being asserted whose state alone would assert it.
func (j EvalContext) assertable(v View, r *Record, st Standing) Standing {
	if !j.Alone {
		if cs := ContradictionsOf(v, r.ID); len(cs) > 0 {
			return Standing{Class: InDispute, State: st.State, Why: WhyContradicted, Contradictions: cs}
		}
	}
	if j.needsReview(r) && !j.reviewed(r) {
		if r.Kind != Evidence {
			return Standing{Class: AwaitingReview, State: st.State, Why: WhyUnreviewed}
		}
		st.State, st.Why = r.Kind.Schema().Birth(), WhyUnreviewed // still evidence, merely not verified
	}
	switch {
	case r.CoversContent() && r.Verdict.Of != r.Digest():
		return Standing{Class: OpenQuestion, State: st.State, Why: WhyChanged}
	case r.Kind == Hypothesis && !j.trusted(r) && !sourced(v, r):
		return Standing{Class: OpenQuestion, State: st.State, Why: WhyUnsourced}
	case !r.Valid.From.IsZero() && j.ValidAt.Before(r.Valid.From):
		return Standing{Class: Closed, State: st.State, Why: WhyNotYet}
	case !r.Valid.Until.IsZero() && !j.ValidAt.Before(r.Valid.Until):
		return Standing{Class: Closed, State: st.State, Why: WhyExpired}
	}
	return st
}

// vetoed is the standing of a record that is dead on the default branch.
func vetoed(k Kind, s State) Standing {
	st := Standing{Class: s.Class(k), State: s, Why: WhyVetoed}
	switch {
	case s == "":
		st.Class = InDispute // what the default branch holds of it cannot be read
	case st.Class != RuledOut:
		st.Class = Gone
	}
	return st
}

// needsReview reports whether the policy wants a reviewer for r's state.
func (j EvalContext) needsReview(r *Record) bool {
	return j.Review != ReviewAny && r.Kind.Schema().Reviewed == r.State()
}

// reviewed reports whether r's verdict has the reviewer the policy asks for.
func (j EvalContext) reviewed(r *Record) bool {
	if j.Review == ReviewHuman {
		for v := range HumanVerdicts(r) {
			if j.HasProvenance == nil || j.HasProvenance(r.ID, v) {
				return true
			}
		}
		return false
	}
	return j.Signed != nil && j.Signed(r)
}

// trusted reports whether r's verdict stands on its author's word.
func (j EvalContext) trusted(r *Record) bool { return j.Review == ReviewAny || j.reviewed(r) }

// sourced reports whether r's verdict cites evidence that anyone can check.
func sourced(v View, r *Record) bool {
	for _, id := range r.Verdict.Cites {
		ev, ok := v.Record(id)
		if !ok || !ev.Citable() || slices.Contains(ev.Links[Refutes], r.ID) {
			continue
		}
		if _, vetoed := v.Veto(id); !vetoed {
			return true
		}
	}
	return false
}

// QuestionKey folds a decision's question so that two spellings of one question
// compare equal; "" is no question.
func QuestionKey(q string) string {
	return strings.Join(strings.Fields(Normalize(q)), " ")
}
