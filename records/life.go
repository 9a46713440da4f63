package records

import (
	"slices"
	"strings"
)

// This file holds the questions about a record's life: each is asked here and
// nowhere else, whatever asks it. They go by the record alone; what else may speak
// against a record is for package standing.

// RuledOut reports whether the state says that the record's statement is wrong.
func (s State) RuledOut() bool { return s == Refuted || s == Rejected }

// Defeated reports whether the state ends the record as a justification: nothing may rest on it.
func (s State) Defeated() bool { return s.RuledOut() || s == Retracted }

// Overruled reports whether the state takes away what the record asserted, by a
// verdict against it or a successor: on the default branch that vetoes it on all others.
func (s State) Overruled() bool { return s.Defeated() || s == Superseded }

// OutOfUse reports whether the state takes the record out of use, for whatever
// reason but that its work is done.
func (s State) OutOfUse() bool {
	return s.Overruled() || s == Retired || s == Dropped || s == Abandoned
}

// Class returns what the state alone lets readers do with a record of the kind.
func (s State) Class(k Kind) Class {
	switch {
	case s.RuledOut():
		return RuledOut
	case s.Overruled(), s == Retired:
		return Gone
	case s == Done, s == Dropped, s == Achieved, s == Abandoned, s == Parked:
		return Closed
	case s == Proposed, s == UnderEvaluation, s == Draft:
		return OpenQuestion
	}
	if sch := k.Schema(); sch == nil || !sch.Has(s) {
		return OpenQuestion
	}
	return Asserted
}

// Historical reports whether records of the class are shown on request only.
func (c Class) Historical() bool { return c == RuledOut || c == Closed || c == Gone }

// SameTextKinds returns the kinds among which a text, once ruled out, is ruled out:
// all that claim something to be so for one of them, else the kind alone.
func (k Kind) SameTextKinds() []Kind {
	if k.Claims() {
		return []Kind{Hypothesis, Evidence, Decision, Conclusion}
	}
	return []Kind{k}
}

// Claims reports whether a record of the kind claims something to be so.
func (k Kind) Claims() bool {
	return k == Hypothesis || k == Evidence || k == Decision || k == Conclusion
}

// RepeatedKeys returns the [Normalize]d forms under which r may say again what
// another record's title says: of its title, and, where it claims something, of its body, of
// each paragraph there that is not an item of a list, and of title and body together.
func (r *Record) RepeatedKeys() []string {
	texts := []string{r.Title}
	if r.Kind.Claims() && r.Body != "" {
		texts = append(texts, r.Body, r.Title+" "+r.Body)
		for p := range strings.SplitSeq(strings.ReplaceAll(r.Body, "\r\n", "\n"), "\n\n") {
			if p = strings.TrimSpace(p); p != "" && !strings.ContainsAny(p[:1], "-*+#>|") {
				texts = append(texts, p)
			}
		}
	}
	var keys []string
	for i, t := range texts {
		if i > 0 && len(t) > 4*MaxTitle {
			continue // longer than any title
		}
		if key := Normalize(t); key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// Forgotten reports whether a tombstone stands in place of the record's payload.
func (r *Record) Forgotten() bool { return r.Tombstone != nil }

// Disputed reports whether a merge left a conflict in the record.
func (r *Record) Disputed() bool { return len(r.Conflicts) > 0 }

// InConflict reports whether a merge left a conflict on the field.
func (r *Record) InConflict(field string) bool {
	return slices.ContainsFunc(r.Conflicts, func(c Conflict) bool { return c.Field == field })
}

// Intact reports whether the record says one thing: it is neither forgotten nor in conflict.
func (r *Record) Intact() bool { return !r.Forgotten() && !r.Disputed() && r.Verdict != nil }

// Withdrawn reports whether the record's maker took it back: it says nothing any more.
func (r *Record) Withdrawn() bool { return r.Verdict != nil && r.Verdict.Withdrawn }

// Open reports whether the record's state leaves its question unsettled. A forgotten
// record keeps the state that it had and is not open; one whose verdict is in
// conflict has no state and is not open either, nor is one that was withdrawn.
func (r *Record) Open() bool {
	return !r.Forgotten() && !r.Withdrawn() && r.Kind.Schema().Open(r.State())
}

// Settled reports whether the record's state settles its question. A forgotten
// record, and one whose verdict is in conflict, are not settled.
func (r *Record) Settled() bool {
	sch := r.Kind.Schema()
	return !r.Forgotten() && sch.Has(r.State()) && !sch.Open(r.State())
}

// MayBeOpen reports whether the record is open, or its verdict in conflict and so
// not settled either.
func (r *Record) MayBeOpen() bool { return r.Open() || !r.Forgotten() && r.Verdict == nil }

// InForce reports whether r is an accepted decision or conclusion.
func (r *Record) InForce() bool {
	return (r.Kind == Decision || r.Kind == Conclusion) && r.State() == Accepted
}

// MayHold reports whether no verdict overrules the record: it holds, or may come to.
func (r *Record) MayHold() bool { return !r.State().Overruled() }

// Vetoes reports whether a record that stands so on the default branch is not
// asserted on any other.
func (r *Record) Vetoes() bool { return r.Forgotten() || r.State().Overruled() }

// Counts reports whether r is evidence that nobody took back.
func (r *Record) Counts() bool {
	return r.Kind == Evidence && !r.Forgotten() && r.State() != Retracted
}

// Citable reports whether evidence can carry an agent's verdict: it counts, no
// model made it up, and it says where to look.
func (r *Record) Citable() bool {
	return r.Counts() && r.Intact() && r.Type != "model-output" && (r.Source != "" || len(r.Anchors) > 0)
}

// Knew reports whether the verdict was given in knowledge of o as it is: its
// content, and its state, where all open ones count as one.
func (v *Verdict) Knew(o *Record) bool {
	return slices.ContainsFunc(v.Despite, func(d Despite) bool {
		return d.ID == o.ID && sameState(o.Kind, d.State, o.State()) && d.Of == o.Digest()
	})
}

func sameState(k Kind, a, b State) bool {
	return a == b || a.Class(k) == OpenQuestion && b.Class(k) == OpenQuestion
}

// Overrides reports whether r's verdict was given in knowledge of o as it is, so that
// o does not speak against it.
func (r *Record) Overrides(o *Record) bool { return r.Verdict != nil && r.Verdict.Knew(o) }

// CoversContent reports whether the record's state is a verdict on its content,
// which a later edit of the content outdates. A task in progress, or evidence as
// recorded, is not: editing it needs nobody to look again.
func (r *Record) CoversContent() bool {
	sch := r.Kind.Schema()
	return !sch.Open(r.State()) || sch.Reviewed == r.State()
}

// Signs reports whether a person signs the verdict of a record where the policy asks for
// signatures: what is asserted on a person's word, and what takes out of force: every verdict
// that settles the record, reopens it, or displaced another.
func Signs(r *Record) bool {
	return NeedsProvenance(r.Kind, r.State()) || r.Settled() || r.Verdict != nil && (r.Verdict.After != "" || r.Verdict.Withdrawn)
}

// NeedsProvenance reports whether state s of a kind is one that readers believe
// for who gave it: what a reviewer gives, and a supported hypothesis.
func NeedsProvenance(k Kind, s State) bool {
	sch := k.Schema()
	return sch != nil && sch.Reviewed != "" && sch.Reviewed == s || k == Hypothesis && s == Supported
}
