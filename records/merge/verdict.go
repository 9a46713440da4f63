package merge

import "github.com/git-ctx/git-ctx/records"

// bundleKey is what two verdicts must share to agree.
type bundleKey struct {
	state records.State
	of    string
}

func bundleKeyOf(t term) bundleKey {
	return bundleKey{stateOf(t), t.value.TextOf("of")}
}

func stateOf(t term) records.State { return records.State(t.value.TextOf("state")) }

// agree reports whether all bundles say the same of the same content.
func agree(bundles values) bool {
	for _, t := range bundles {
		if bundleKeyOf(t) != bundleKeyOf(bundles[0]) {
			return false
		}
	}
	return len(bundles) > 0
}

// verdict merges verdicts that both sides changed, or whose bases are several.
func (m *merger) verdict(bases []sum, ours, theirs sum) sum {
	var gone values
	if o, t := m.joined(bases, ours), m.joined(bases, theirs); o != t {
		if t {
			ours, theirs = theirs, ours
		}
		ours, gone = unjoined(bases, ours, theirs)
	}
	s := theirs
	if len(bases) != 1 || !ours.equal(bases[0]) {
		left, yielded := yieldOpen(flatten(fieldVerdict, bases, ours, theirs))
		s, gone = left.reduced(fieldVerdict), gone.union(yielded)
	}
	for _, t := range gone {
		m.report.drop(fieldVerdict, RuleOpenState, t.key)
	}
	return s
}

// joined reports whether side still holds a base's verdict, in an open state and
// with only such beside it as agree. Nobody judged anything there or asked for
// it, so that the side stands where the base stood: it counts as unchanged. Any
// other base must lead there too, or the side moved away from that one.
func (m *merger) joined(bases []sum, side sum) bool {
	open := func(t term) bool {
		return m.schema.Open(stateOf(t)) && stateOf(t) != m.schema.Reviewed && t.value.TextOf("asks") == ""
	}
	if !settled(fieldVerdict, side) || len(side.sides.filter(open)) < len(side.sides) {
		return false
	}
	holds := false
	for _, b := range bases {
		switch {
		case !settled(fieldVerdict, b): // who holds one verdict now has decided something
			return false
		case side.sides.containsAll(b.sides):
			holds = true
		case !forward(b.sides[0], side.sides[0]):
			return false
		}
	}
	return holds
}

// unjoined returns a joined side as the bases had it, and the verdicts that go:
// those that had joined it and do not stand on the other side.
func unjoined(bases []sum, side, other sum) (was sum, gone values) {
	var known values
	for _, b := range bases {
		known = known.union(b.sides)
	}
	return sum{sides: side.sides.both(known)}, side.sides.minus(known).minus(other.sides)
}

// forward reports whether the verdict to only carries the open verdict from on:
// work begins, or a judgement is asked for. Such a move gives way to a judgement.
func forward(from, to term) bool {
	switch stateOf(from) {
	case stateOf(to):
		return from.value.TextOf("asks") == "" && to.value.TextOf("asks") != ""
	case records.Proposed:
		return stateOf(to) == records.UnderEvaluation
	case records.Todo:
		return stateOf(to) == records.InProgress
	}
	return false
}

// yieldOpen lets such moves among the sides give way when another side
// moved away from the base too. It depends on the set of sides alone, so that
// the order of many merges does not matter.
func yieldOpen(s sum) (left sum, gone values) {
	fromAll := func(t term) bool {
		for _, b := range s.bases {
			if !forward(b, t) {
				return false
			}
		}
		return len(s.bases) > 0
	}
	moved := func(t term) bool {
		for _, b := range s.bases {
			if stateOf(b) == stateOf(t) {
				return false
			}
		}
		return !t.absent() && !fromAll(t)
	}
	if len(s.sides.filter(moved)) == 0 {
		return s, nil
	}
	gone = s.sides.filter(fromAll)
	return sum{bases: s.bases, sides: s.sides.minus(gone)}, gone
}
