package merge

import "strings"

// lines splits a text so that joining the lines gives it back. An absent text
// has none.
func lines(t term) []string {
	if t.absent() {
		return nil
	}
	return strings.Split(t.node.Value, "\n")
}

// mergeText merges by lines; false is a conflict.
func mergeText(base, ours, theirs term) (term, bool) {
	ls, ok := diff3(lines(base), lines(ours), lines(theirs), nil)
	text := strings.Join(ls, "\n")
	if !ok || text == "" {
		return newTerm(nil), ok
	}
	return newTerm(textNode(text)), true
}

// mergeSequence merges by members; false is a conflict.
func mergeSequence(base, ours, theirs term) (term, bool) {
	nodes := make(index)
	keys, ok := diff3(nodes.add(base), nodes.add(ours), nodes.add(theirs), nil)
	if !ok || len(keys) == 0 {
		return newTerm(nil), ok
	}
	return nodes.sequence(keys), true
}
