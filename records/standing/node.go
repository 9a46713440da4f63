package standing

import (
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

// A label is where the alternating fixed point puts a record.
type label uint8

const (
	unlabelled label = iota
	falls
	undecided
	stands
)

// A node is a record in the evaluation: what it depends on, and what came of it.
type node struct {
	r     *records.Record  // nil where there is none
	class records.Standing // of a node that is not a candidate; for a candidate, what it is if it stands
	// candidate nodes are those that stand unless something speaks against them.
	candidate bool
	members   []*member       // the sound ones, in order
	static    []records.Cause // against all members, whatever other records are
	connected bool            // what the members depend on is filled in
	label     label
	rank      records.Rank // the highest of its sound verdicts
	done      *records.Standing
}

// A member is one sound verdict and what it depends on.
type member struct {
	verdict   *records.Verdict
	rank      records.Rank
	bases     []basis
	evidence  []basis // one of them must stand, unless there is none
	attackers []attacker
	// asked are all that may attack at some instant.
	asked []records.ID
	// challengers would attack if their word weighed as much.
	challengers []records.ID
}

// A basis is a record that something rests on.
type basis struct {
	named  records.ID // by the record that rests on it
	at     records.ID // what it counts as: its successor, or itself
	lifted bool       // known by the verdict as it is
}

// An attacker is a record that speaks against another while it stands or is undecided.
type attacker struct {
	id   records.ID
	rule string
}

// fixed reports whether the attacker was ruled out, and speaks whatever else is so.
func (a attacker) fixed() bool { return a.rule == records.RuleRuledOutAgain }

// claims reports whether records of a kind claim something to be so, and hence
// can contradict each other.
func claims(k records.Kind) bool {
	switch k {
	case records.Decision, records.Conclusion, records.Hypothesis, records.Evidence, records.Runbook:
		return true
	}
	return false
}

// classify gives a node its class, or makes it a candidate with its sound members.
func (e *Evaluator) classify(id records.ID) *node {
	n := &node{label: falls}
	r, ok := e.view.Record(id)
	if ok {
		n.r = r
	}
	veto, vetoed := e.view.Veto(id)
	switch {
	case !ok:
		n.class = records.Standing{Class: records.Gone}
		n.static = e.lost(id)
		return n
	case vetoed && veto == records.Forgotten:
		n.class = records.Standing{Class: records.Gone, State: records.Forgotten, Why: records.WhyForgotten}
		return n
	case r.Tombstone != nil:
		n.static = e.lost(id)
		n.class = records.Standing{Class: records.Gone, State: records.Forgotten, Why: records.WhyForgotten}
		if len(n.static) > 0 { // a tombstone that history does not prove
			n.class = records.Standing{Class: records.InDoubt, State: r.State(), Why: records.WhyDoubt, Causes: n.static}
		}
		return n
	case r.Verdict == nil:
		n.static = e.staticCauses(r)
		n.class = records.Standing{Class: records.InDoubt, Why: records.WhyConflict, Causes: n.static}
		return n
	}
	class := r.State().Class(r.Kind)
	if vetoed && class != records.RuledOut && class != records.Gone {
		n.class = vetoedStanding(r.Kind, veto)
		return n
	}
	e.judgeMembers(n, class)
	return n
}

// judgeMembers finds the sound members of a node's verdict and what follows from them.
func (e *Evaluator) judgeMembers(n *node, class records.Class) {
	r := n.r
	var first *fault
	for m := range records.Verdicts(r) {
		f := e.soundness(r, m)
		if f == nil {
			rank := e.rank(r, m)
			n.members = append(n.members, &member{verdict: m, rank: rank})
			n.rank = max(n.rank, rank)
		} else if first == nil || first.why != records.WhyDoubt && f.why == records.WhyDoubt {
			first = f // doubt says more than that a review is missing
		}
	}
	n.class = records.Standing{Class: class, State: r.State()}
	if len(n.members) > 0 {
		n.class.Verdict = n.members[0].verdict
	}
	switch {
	case r.Verdict.Withdrawn:
		n.class.Class, n.class.Why = records.Gone, records.WhyWithdrawn
	case r.Disputed():
		n.static = e.staticCauses(r)
		n.class = records.Standing{Class: records.InDoubt, State: r.State(), Why: records.WhyConflict, Causes: n.static}
	case len(n.members) == 0:
		e.unsound(n, class, first)
	case class == records.OpenQuestion && r.Verdict.Asks != "":
		n.class.Class = records.AwaitingReview
	case class == records.Asserted:
		e.assertable(n)
	}
}

// unsound gives the class of a record none of whose verdicts is sound.
func (e *Evaluator) unsound(n *node, class records.Class, f *fault) {
	n.class.Why = f.why
	switch {
	case f.why == records.WhyDoubt:
		n.static = []records.Cause{{Rule: f.rule, Commit: f.commit, Root: []records.ID{n.r.ID}}}
		n.class.Class, n.class.Causes = records.InDoubt, n.static
	case class != records.Asserted && class != records.RuledOut:
		n.class.Why = "" // it claims nothing that would need to be sound
	case f.why == records.WhyUnreviewed && n.r.Kind == records.Evidence:
		// Still evidence, merely not verified.
		n.class.State = n.r.Kind.Schema().Birth()
		if n.r.Verdict.Of != n.r.Digest() {
			n.class.Class, n.class.Why = records.OpenQuestion, records.WhyChanged
			return
		}
		n.class.Verdict = n.r.Verdict
		n.members = []*member{{verdict: n.r.Verdict, rank: records.AgentRank}}
		e.assertable(n)
	case f.why == records.WhyUnreviewed:
		n.class.Class = records.AwaitingReview
	default:
		n.class.Class = records.OpenQuestion
	}
}

// assertable makes a node a candidate whose state and verdict assert it, unless
// time or its goals say otherwise.
func (e *Evaluator) assertable(n *node) {
	r := n.r
	switch {
	case e.ctx.ByState || e.ctx.ValidAt.IsZero():
	case !r.Valid.From.IsZero() && e.ctx.ValidAt.Before(r.Valid.From):
		n.class.Class, n.class.Why = records.Closed, records.WhyNotYet
		return
	case !r.Valid.Until.IsZero() && !e.ctx.ValidAt.Before(r.Valid.Until):
		n.class.Class, n.class.Why = records.Closed, records.WhyExpired
		return
	}
	if r.Kind == records.Task && e.idleGoals(r) {
		n.class.Class, n.class.Why = records.Closed, records.WhyIdleGoals
		return
	}
	n.candidate, n.label = true, unlabelled
	n.static = e.staticCauses(r)
}

// idleGoals reports whether a task serves goals all of which are parked or abandoned.
func (e *Evaluator) idleGoals(r *records.Record) bool {
	goals := r.Links[records.Serves]
	return len(goals) > 0 && !slices.ContainsFunc(goals, func(id records.ID) bool {
		g, ok := e.view.Record(id)
		return !ok || g.State() != records.Parked && g.State() != records.Abandoned
	})
}

// vetoedStanding is the standing of a record that the default branch rules out.
func vetoedStanding(k records.Kind, s records.State) records.Standing {
	st := records.Standing{Class: s.Class(k), State: s, Why: records.WhyVetoed}
	switch {
	case s == "":
		st.Class = records.InDoubt // what the default branch has of it cannot be read
		st.Why = records.WhyDoubt
		st.Causes = []records.Cause{{Rule: records.RuleUnreadableVeto}}
	case st.Class != records.RuledOut:
		st.Class = records.Gone
	}
	return st
}
