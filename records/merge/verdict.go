package merge

import "github.com/git-ctx/git-ctx/records"

// bundleKey is what two verdicts must share to agree.
type bundleKey struct {
	state records.State
	of    string
}

func bundleKeyOf(t term) bundleKey {
	return bundleKey{stateOf(t), lookup(t.node, "of")}
}

func stateOf(t term) records.State { return records.State(lookup(t.node, "state")) }

// agree reports whether all bundles say the same of the same content.
func agree(bundles values) bool {
	for _, t := range bundles {
		if bundleKeyOf(t) != bundleKeyOf(bundles[0]) {
			return false
		}
	}
	return len(bundles) > 0
}

// forward reports whether the verdict to only carries the open verdict from on:
// work begins, or a judgement is asked for. Such a move gives way to a judgement.
func forward(from, to term) bool {
	switch stateOf(from) {
	case stateOf(to):
		return lookup(from.node, "asks") == "" && lookup(to.node, "asks") != ""
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
