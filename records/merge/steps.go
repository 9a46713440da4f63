package merge

import (
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

// index finds the members of sequences by their keys.
type index map[string]*records.Value

// add takes the members of a sequence in and returns their keys in order.
func (x index) add(t term) []string {
	if t.absent() {
		return nil
	}
	keys := make([]string, len(t.value.Items))
	for i, n := range t.value.Items {
		keys[i] = newTerm(n).key
		x[keys[i]] = n
	}
	return keys
}

func (x index) sequence(keys []string) term {
	ns := make([]*records.Value, len(keys))
	for i, k := range keys {
		ns[i] = x[k]
	}
	return newTerm(listOf(ns))
}

// steps is a keyed list: its ids in order and each one's step.
type steps struct {
	ids  []string
	byID map[string]term
}

func newSteps(t term) steps {
	s := steps{byID: make(map[string]term)}
	if t.absent() {
		return s
	}
	for _, n := range t.value.Items {
		id := n.TextOf("id")
		s.ids = append(s.ids, id)
		s.byID[id] = newTerm(n)
	}
	return s
}

// mergeSteps merges a keyed list by id: each step whole, the order by diff3.
// Steps that both sides added at one place follow each other, the group that is
// bytewise smaller first. Dropped are the steps whose moved copy was removed.
func mergeSteps(base, ours, theirs term) (merged term, dropped []term, ok bool) {
	b, o, t := newSteps(base), newSteps(ours), newSteps(theirs)
	order, ok := diff3(b.ids, o.ids, t.ids, bothAdded)
	if !ok {
		return term{}, nil, false
	}
	var ns []*records.Value
	seen := make(map[string]bool)
	for _, id := range order {
		if seen[id] { // both sides moved it, to different places
			return term{}, nil, false
		}
		seen[id] = true
		step, ok := mergeStep(b.byID[id], o.byID[id], t.byID[id])
		switch {
		case !ok:
			return term{}, nil, false
		case step.absent():
			dropped = append(dropped, b.byID[id])
		default:
			ns = append(ns, step.value)
		}
	}
	for _, id := range slices.Concat(o.ids, t.ids) {
		if seen[id] {
			continue
		}
		if step, ok := mergeStep(b.byID[id], o.byID[id], t.byID[id]); !ok || !step.absent() {
			return term{}, nil, false // kept, but with no place
		}
	}
	if len(ns) == 0 {
		return newTerm(nil), dropped, true
	}
	return newTerm(listOf(ns)), dropped, true
}

// mergeStep merges one step; absent terms may be the zero term.
func mergeStep(base, ours, theirs term) (term, bool) {
	switch {
	case ours.key == theirs.key, theirs.key == base.key:
		return ours, true
	case ours.key == base.key:
		return theirs, true
	}
	return term{}, false
}

// bothAdded places the steps that both sides added where base has nothing.
func bothAdded(base, ours, theirs []string) ([]string, bool) {
	if len(base) > 0 {
		return nil, false
	}
	for _, id := range ours {
		if slices.Contains(theirs, id) {
			return nil, false
		}
	}
	if slices.Compare(ours, theirs) > 0 {
		ours, theirs = theirs, ours
	}
	return slices.Concat(ours, theirs), true
}
