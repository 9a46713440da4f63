package records

import (
	"fmt"
	"slices"
	"strings"
)

// A Verb is a command that moves a record to another state.
type Verb string

// A Transition says to which state a verb moves each kind it applies to.
type Transition struct {
	Verb        Verb
	To          map[Kind]State
	NeedsReason bool
	Purpose     string // one line for help texts
	// Over is what the verb does in the hands of an actor whose word weighs less than
	// the verdict that stands.
	Over Effect
}

// An Effect is what a verb does to a verdict of higher rank than its actor's.
type Effect string

// The effects.
const (
	Acts       Effect = "acts"       // it takes effect
	Challenges Effect = "challenges" // it is shown beside the record, for somebody of the rank to answer
	Proposes   Effect = "proposes"   // it becomes a proposal of what would take the record's place
	Refused    Effect = "is refused" // somebody of the rank is to be asked
)

// OverHigher is what becomes of a move from one state to another by an actor whose word
// weighs less than that of who gave the first. It is the one table of who may move what:
// an open record is everybody's, but for a goal, task or evidence, which is its maker's.
func OverHigher(k Kind, from, to State) Effect {
	if from == to || k.Schema().Open(from) && k != Goal && k != Task && k != Evidence {
		return Acts
	}
	verb := VerbFor(k, to)
	if m := verb.Transition(); m != nil {
		return m.Over
	}
	if verb == VerbSupersede {
		return Proposes
	}
	return Challenges // reopen
}

// Supersede and Reopen move states too, but by their own rules.
const (
	VerbSupersede Verb = "supersede"
	VerbReopen    Verb = "reopen"
)

var transitions = []*Transition{
	{Verb: "activate", To: map[Kind]State{Goal: Active, Runbook: Active, Trigger: Active}, Over: Challenges, Purpose: "put a goal, runbook or trigger into force"},
	{Verb: "park", To: map[Kind]State{Goal: Parked}, Over: Challenges, Purpose: "set a goal aside for now"},
	{Verb: "achieve", To: map[Kind]State{Goal: Achieved}, Over: Challenges, Purpose: "mark a goal as reached"},
	{Verb: "abandon", To: map[Kind]State{Goal: Abandoned}, NeedsReason: true, Over: Challenges, Purpose: "give a goal up"},
	{Verb: "start", To: map[Kind]State{Task: InProgress}, Over: Acts, Purpose: "begin or resume a task and make it @task"},
	{Verb: "block", To: map[Kind]State{Task: Blocked}, Over: Acts, Purpose: "mark a task as waiting for something"},
	{Verb: "done", To: map[Kind]State{Task: Done}, Over: Acts, Purpose: "close a task, with what was learned"},
	{Verb: "drop", To: map[Kind]State{Task: Dropped}, NeedsReason: true, Over: Challenges, Purpose: "close a task without doing it"},
	{Verb: "evaluate", To: map[Kind]State{Hypothesis: UnderEvaluation}, Over: Acts, Purpose: "begin to test a hypothesis"},
	{Verb: "support", To: map[Kind]State{Hypothesis: Supported}, Over: Challenges, Purpose: "judge that evidence supports a hypothesis"},
	{Verb: "refute", To: map[Kind]State{Hypothesis: Refuted}, NeedsReason: true, Over: Challenges, Purpose: "judge that evidence refutes a hypothesis"},
	{Verb: "verify", To: map[Kind]State{Evidence: Verified}, Over: Challenges, Purpose: "confirm evidence"},
	{Verb: "retract", To: map[Kind]State{Evidence: Retracted}, NeedsReason: true, Over: Challenges, Purpose: "withdraw evidence"},
	{Verb: "accept", To: map[Kind]State{Decision: Accepted, Conclusion: Accepted}, Over: Challenges, Purpose: "put a decision or conclusion into force"},
	{Verb: "reject", To: map[Kind]State{Decision: Rejected, Conclusion: Rejected}, NeedsReason: true, Over: Challenges, Purpose: "rule a decision or conclusion out"},
	{Verb: "retire", To: map[Kind]State{Runbook: Retired, Trigger: Retired}, Over: Challenges, Purpose: "take a runbook or trigger out of use"},
}

// Transitions returns every state verb in help order. The caller must not change them.
func Transitions() []*Transition { return transitions }

// Transition returns the verb's transition, or nil when it is not a state verb.
func (v Verb) Transition() *Transition {
	for _, m := range transitions {
		if m.Verb == v {
			return m
		}
	}
	return nil
}

// Kinds returns the kinds the verb applies to, in listing order.
func (m *Transition) Kinds() []Kind {
	var ks []Kind
	for _, s := range schemas {
		if _, ok := m.To[s.Kind]; ok {
			ks = append(ks, s.Kind)
		}
	}
	return ks
}

// VerbFor returns the state verb that moves a record of kind k to state s, or "".
func VerbFor(k Kind, s State) Verb {
	for _, m := range transitions {
		if m.To[k] == s {
			return m.Verb
		}
	}
	if s == Superseded && k.Schema() != nil && k.Schema().Has(Superseded) {
		return VerbSupersede
	}
	return ""
}

// A TransitionError says that a record of this kind may not move from one
// state to another; Legal lists where it may go.
type TransitionError struct {
	Kind     Kind
	From, To State
	Legal    []State
}

func (e *TransitionError) Error() string {
	legal := "nowhere but back, with reopen"
	if len(e.Legal) > 0 {
		ss := make([]string, len(e.Legal))
		for i, s := range e.Legal {
			ss[i] = string(s)
		}
		legal = "to " + strings.Join(ss, ", ")
	}
	return fmt.Sprintf("%s does not move from %s to %s; from %s it moves %s", e.Kind.Phrase(), e.From, e.To, e.From, legal)
}

// CheckTransition returns nil when a verb may move a record of kind k from one
// state to the other. Staying in a judged state is legal: it re-affirms. The
// error is a *[TransitionError].
func CheckTransition(k Kind, from, to State) error {
	s := k.Schema()
	if from == to || slices.Contains(s.Next[from], to) {
		return nil
	}
	return &TransitionError{Kind: k, From: from, To: to, Legal: s.Next[from]}
}

// CheckReopen returns nil when a record of kind k in state from may be reopened.
func CheckReopen(k Kind, from State) error {
	s := k.Schema()
	if s.Open(from) {
		return fmt.Errorf("%s that is %s is open already", k.Phrase(), from)
	}
	return nil
}
