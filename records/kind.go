package records

import (
	"fmt"
	"slices"
	"strings"
)

// A Kind is one of the eight kinds of record.
type Kind string

// The kinds, in the order in which they are listed everywhere.
const (
	Goal       Kind = "goal"
	Task       Kind = "task"
	Hypothesis Kind = "hypothesis"
	Evidence   Kind = "evidence"
	Decision   Kind = "decision"
	Conclusion Kind = "conclusion"
	Runbook    Kind = "runbook"
	Trigger    Kind = "trigger"
)

// A State is a value of verdict.state. Which states a kind has, and which of
// them follow which, is in [Schema].
type State string

// The states of all kinds.
const (
	Proposed        State = "proposed"
	Active          State = "active"
	Parked          State = "parked"
	Achieved        State = "achieved"
	Abandoned       State = "abandoned"
	Todo            State = "todo"
	InProgress      State = "in-progress"
	Blocked         State = "blocked"
	Done            State = "done"
	Dropped         State = "dropped"
	UnderEvaluation State = "under-evaluation"
	Supported       State = "supported"
	Refuted         State = "refuted"
	Superseded      State = "superseded"
	Recorded        State = "recorded"
	Verified        State = "verified"
	Retracted       State = "retracted"
	Accepted        State = "accepted"
	Rejected        State = "rejected"
	Draft           State = "draft"
	Retired         State = "retired"
)

// A Schema is everything that is fixed about one kind.
type Schema struct {
	Kind    Kind
	Prefix  string   // of its ids, without the hyphen
	Aliases []string // other names accepted on the command line
	Purpose string   // one line for help texts
	States  []State  // the first is the birth state
	// Unsettled is how many of States, from the first, leave the record's question open.
	Unsettled int
	// Next lists, for each state, the states a verb may move it to.
	// The way back to the birth state is reopen's and not in it.
	Next map[State][]State
	// Reviewed is the state that only a reviewed verdict may assert, if any.
	Reviewed State
	// Types are the legal values of the type field, nil where the kind has none.
	Types []string
	// Fields are the names of the optional fields the kind carries beside the common ones.
	Fields []string
}

// Birth returns the state every record of the kind is born in.
func (s *Schema) Birth() State { return s.States[0] }

// Has reports whether state is one of the kind's.
func (s *Schema) Has(state State) bool { return slices.Contains(s.States, state) }

// Open reports whether state leaves the record's question unsettled.
func (s *Schema) Open(state State) bool {
	return slices.Contains(s.States[:s.Unsettled], state)
}

var schemas = []*Schema{
	{
		Kind: Goal, Prefix: "goal", Purpose: "what the work is for",
		States:    []State{Proposed, Active, Parked, Achieved, Abandoned},
		Unsettled: 3,
		Next: map[State][]State{
			Proposed: {Active, Parked, Achieved, Abandoned},
			Active:   {Parked, Achieved, Abandoned},
			Parked:   {Active, Achieved, Abandoned},
		},
		Reviewed: Active,
		Fields:   []string{"priority"},
	},
	{
		Kind: Task, Prefix: "task", Purpose: "a piece of work that serves a goal",
		States:    []State{Todo, InProgress, Blocked, Done, Dropped},
		Unsettled: 3,
		Next: map[State][]State{
			Todo:       {InProgress, Blocked, Done, Dropped},
			InProgress: {Blocked, Done, Dropped},
			Blocked:    {InProgress, Done, Dropped},
		},
		Fields: []string{"priority"},
	},
	{
		Kind: Hypothesis, Prefix: "hyp", Aliases: []string{"hyp", "hypo"}, Purpose: "a claim that evidence can test",
		States:    []State{Proposed, UnderEvaluation, Supported, Refuted, Superseded},
		Unsettled: 2,
		Next: map[State][]State{
			Proposed:        {UnderEvaluation, Supported, Refuted, Superseded},
			UnderEvaluation: {Supported, Refuted, Superseded},
			Supported:       {Refuted, Superseded},
		},
		Fields: []string{"confidence", "impact", "cost"},
	},
	{
		Kind: Evidence, Prefix: "ev", Aliases: []string{"ev"}, Purpose: "an observation, with its source",
		States:    []State{Recorded, Verified, Retracted},
		Unsettled: 1,
		Next: map[State][]State{
			Recorded: {Verified, Retracted},
			Verified: {Retracted},
		},
		Reviewed: Verified,
		Types:    []string{"observation", "benchmark", "document", "experiment", "model-output"},
		Fields:   []string{"type", "source", "strength"},
	},
	{
		Kind: Decision, Prefix: "dec", Aliases: []string{"dec"}, Purpose: "a choice made, and what it rests on",
		States:    []State{Proposed, Accepted, Rejected, Superseded},
		Unsettled: 1,
		Next: map[State][]State{
			Proposed: {Accepted, Rejected, Superseded},
			Accepted: {Rejected, Superseded},
		},
		Reviewed: Accepted,
		Fields:   []string{"question", "options"},
	},
	{
		Kind: Conclusion, Prefix: "con", Aliases: []string{"con"}, Purpose: "what was learned, closing a task or goal",
		States:    []State{Draft, Accepted, Rejected, Superseded},
		Unsettled: 1,
		Next: map[State][]State{
			Draft:    {Accepted, Rejected, Superseded},
			Accepted: {Rejected, Superseded},
		},
		Reviewed: Accepted,
	},
	{
		Kind: Runbook, Prefix: "rb", Aliases: []string{"rb"}, Purpose: "steps to follow when something happens",
		States:    []State{Draft, Active, Retired},
		Unsettled: 1,
		Next: map[State][]State{
			Draft:  {Active, Retired},
			Active: {Retired},
		},
		Reviewed: Active,
		Types:    []string{"procedure", "troubleshooting", "policy", "guardrail"},
		Fields:   []string{"type", "when", "signals", "preconditions", "steps", "escalation", "references"},
	},
	{
		Kind: Trigger, Prefix: "trg", Aliases: []string{"trg"}, Purpose: "the prompt or event that started work",
		States:    []State{Draft, Active, Retired},
		Unsettled: 1,
		Next: map[State][]State{
			Draft:  {Active, Retired},
			Active: {Retired},
		},
		Reviewed: Active,
		Types:    []string{"user-prompt", "agent-prompt", "continuation", "runbook", "issue"},
		Fields:   []string{"type", "text"},
	},
}

// Schemas returns the schemas of all kinds in their listing order. The caller must not change them.
func Schemas() []*Schema { return schemas }

// Schema returns the kind's schema, or nil for a string that is not a kind.
func (k Kind) Schema() *Schema {
	for _, s := range schemas {
		if s.Kind == k {
			return s
		}
	}
	return nil
}

// Phrase returns the kind as the subject of a sentence.
func (k Kind) Phrase() string {
	if k == Evidence {
		return string(k)
	}
	return "a " + string(k)
}

// ParseKind reads a kind's name or alias. The error lists the legal names.
func ParseKind(s string) (Kind, error) {
	for _, sch := range schemas {
		if s == string(sch.Kind) || slices.Contains(sch.Aliases, s) {
			return sch.Kind, nil
		}
	}
	names := make([]string, len(schemas))
	for i, sch := range schemas {
		names[i] = string(sch.Kind)
	}
	return "", fmt.Errorf("unknown kind '%s': it is one of %s", s, strings.Join(names, ", "))
}
