package records

import (
	"fmt"
	"slices"
	"strings"
)

// A Relation names a kind of link from one record to others.
type Relation string

// The relations. Supersedes is what a proposal would take the place of, and ends
// once it is in force. SupersededBy is not a link field: it stands in a verdict, and
// is named here so that [View.Backlinks] can follow it too.
const (
	Parent       Relation = "parent"
	Serves       Relation = "serves"
	DependsOn    Relation = "depends-on"
	PartOf       Relation = "part-of"
	About        Relation = "about"
	CompetesWith Relation = "competes-with"
	DerivedFrom  Relation = "derived-from"
	Supports     Relation = "supports"
	Refutes      Relation = "refutes"
	RestsOn      Relation = "rests-on"
	Closes       Relation = "closes"
	AppliesTo    Relation = "applies-to"
	Starts       Relation = "starts"
	Duplicates   Relation = "duplicates"
	Contradicts  Relation = "contradicts"
	RelatesTo    Relation = "relates-to"
	Reopens      Relation = "reopens"
	Supersedes   Relation = "supersedes"
	SupersededBy Relation = "superseded-by"
)

type relationRule struct {
	rel     Relation
	from    Kind   // "" is any
	to      []Kind // nil is any
	acyclic bool
}

var relationRules = []relationRule{
	{rel: Parent, from: Goal, to: []Kind{Goal}, acyclic: true},
	{rel: Serves, from: Task, to: []Kind{Goal}},
	{rel: DependsOn, from: Task, to: []Kind{Task}, acyclic: true},
	{rel: PartOf, from: Task, to: []Kind{Task}, acyclic: true},
	{rel: About, from: Hypothesis, to: []Kind{Task, Goal}},
	{rel: CompetesWith, from: Hypothesis, to: []Kind{Hypothesis}},
	{rel: DerivedFrom, from: Hypothesis, to: []Kind{Hypothesis, Evidence, Conclusion}, acyclic: true},
	{rel: Supports, from: Evidence, to: []Kind{Hypothesis, Decision, Conclusion, Task}},
	{rel: Refutes, from: Evidence, to: []Kind{Hypothesis, Decision, Conclusion}},
	{rel: RestsOn, from: Decision, to: []Kind{Hypothesis, Evidence}},
	{rel: RestsOn, from: Conclusion, to: []Kind{Hypothesis, Evidence, Decision}},
	{rel: Closes, from: Conclusion, to: []Kind{Task, Goal}},
	{rel: AppliesTo, from: Runbook},
	{rel: Starts, from: Trigger},
	{rel: Duplicates},
	{rel: Contradicts},
	{rel: RelatesTo},
	{rel: Reopens, acyclic: true},
	{rel: Supersedes, from: Decision, to: []Kind{Decision}, acyclic: true},
	{rel: Supersedes, from: Conclusion, to: []Kind{Conclusion}, acyclic: true},
	{rel: Supersedes, from: Runbook, to: []Kind{Runbook}, acyclic: true},
	{rel: Supersedes, from: Trigger, to: []Kind{Trigger}, acyclic: true},
}

// carriedBy reports whether records of kind k may carry the rule's relation.
func (r *relationRule) carriedBy(k Kind) bool { return r.from == "" || r.from == k }

// carries reports whether records of kind k may carry rel.
func carries(k Kind, rel Relation) bool {
	for i := range relationRules {
		if r := &relationRules[i]; r.rel == rel && r.carriedBy(k) {
			return true
		}
	}
	return false
}

// Relations returns the relations a record of kind k may carry, in canonical order.
func Relations(k Kind) []Relation {
	var rs []Relation
	for _, r := range relationRules {
		if r.carriedBy(k) && !slices.Contains(rs, r.rel) {
			rs = append(rs, r.rel)
		}
	}
	return rs
}

// CheckLink returns nil when a record of kind from may carry rel to one of kind
// to. The error names the legal relations or kinds.
func CheckLink(from Kind, rel Relation, to Kind) error {
	for _, r := range relationRules {
		if r.rel != rel || !r.carriedBy(from) {
			continue
		}
		if r.to == nil || slices.Contains(r.to, to) {
			return nil
		}
		ks := make([]string, len(r.to))
		for i, k := range r.to {
			ks[i] = k.Phrase()
		}
		return fmt.Errorf("%s of %s leads to %s, not to %s", rel, from.Phrase(), strings.Join(ks, " or "), to.Phrase())
	}
	rs := Relations(from)
	names := make([]string, len(rs))
	for i, r := range rs {
		names[i] = string(r)
	}
	return fmt.Errorf("unknown relation '%s': %s may have %s", rel, from.Phrase(), strings.Join(names, ", "))
}

// Acyclic reports whether following rel must never lead back to the start.
func (rel Relation) Acyclic() bool {
	for _, r := range relationRules {
		if r.rel == rel {
			return r.acyclic
		}
	}
	return rel == SupersededBy
}
