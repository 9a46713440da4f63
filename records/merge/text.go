package merge

import (
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// lines splits a text so that joining the lines gives it back. An absent text
// has none.
func lines(t term) []string {
	if t.absent() {
		return nil
	}
	return strings.Split(t.value.Text, "\n")
}

// mergeText merges by lines; false is a conflict.
func mergeText(base, ours, theirs term) (term, bool) {
	ls, ok := diff3(lines(base), lines(ours), lines(theirs), nil)
	text := strings.Join(ls, "\n")
	if !ok || text == "" {
		return newTerm(nil), ok
	}
	return newTerm(records.NewText(text)), true
}

// mergeSequence merges by members; false is a conflict.
func mergeSequence(base, ours, theirs term) (term, bool) {
	members := make(index)
	keys, ok := diff3(members.add(base), members.add(ours), members.add(theirs), nil)
	if !ok || len(keys) == 0 {
		return newTerm(nil), ok
	}
	return members.sequence(keys), true
}
