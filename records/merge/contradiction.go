package merge

import (
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// Made returns the contradictions that the merge itself made: those of merged
// that neither side had, sorted by key. A new contradiction names a record that
// the merge changed against one side, so it is enough to look at touched, the
// ids that differ between merged and ours; nil looks at every record.
func Made(merged, ours, theirs records.View, touched []records.ID) []records.Contradiction {
	var out []records.Contradiction
	add := func(c records.Contradiction) {
		if !stands(ours, c) && !stands(theirs, c) {
			out = append(out, c)
		}
	}
	if touched == nil {
		for c := range records.Contradictions(merged) {
			add(c)
		}
	}
	for _, id := range touched {
		for _, c := range records.ContradictionsOf(merged, id) {
			add(c)
		}
	}
	slices.SortFunc(out, func(a, b records.Contradiction) int { return strings.Compare(a.Key(), b.Key()) })
	return slices.CompactFunc(out, func(a, b records.Contradiction) bool { return a.Key() == b.Key() })
}

// stands reports whether the view has the contradiction.
func stands(v records.View, c records.Contradiction) bool {
	return slices.ContainsFunc(records.ContradictionsOf(v, c.IDs[0]), func(o records.Contradiction) bool {
		return o.Key() == c.Key()
	})
}
