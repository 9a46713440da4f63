package merge

import (
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

// Missing compares a merge that somebody else made with the one this package
// makes of the same sides, and returns the values that are in ours and not in
// theirs: merged is the result of [Records], made what was committed, nil for no
// record. A value counts as missing where made stands by one side alone, or
// holds a verdict that nobody gave; a field that somebody wrote anew while
// merging counts as settled. A value without Field is the whole record.
func Missing(merged, made, ours, theirs *records.Record) []Drop {
	if merged == nil {
		return nil
	}
	if made == nil {
		return []Drop{{}}
	}
	if made.Tombstone != nil && merged.Tombstone == nil {
		return nil // forgotten while merging
	}
	want, have := recordFields(merged), recordFields(made)
	sides := []fields{{}, {}}
	for i, r := range []*records.Record{ours, theirs} {
		if r != nil {
			sides[i] = recordFields(r)
		}
	}
	m := &merger{ours: want, theirs: have}
	var out []Drop
	for _, name := range m.names() {
		w, h := want.get(name), have.get(name)
		if w.equal(h) || rewritten(name, h, sides) {
			continue
		}
		for _, t := range parts(name, w).minus(parts(name, h)) {
			if !t.absent() {
				out = append(out, Drop{Field: name, Value: t.key})
			}
		}
	}
	slices.SortFunc(out, compareDrops)
	return out
}

// rewritten reports whether s is neither side's value, and so was written by
// whoever merged. A set is never rewritten, as its members merge one by one. A
// verdict carries a nonce that tells a new one from a mixture of two.
func rewritten(name string, s sum, sides []fields) bool {
	switch records.FormOf(name) {
	case records.FormSet, records.FormLinks:
		return false
	case records.FormVerdict:
		known := make(map[string]bool)
		for _, side := range sides {
			for _, t := range side.get(name).sides {
				known[t.value.TextOf("n")] = true
			}
		}
		return settled(name, s) && !s.sides[0].absent() &&
			!slices.ContainsFunc(s.sides, func(t term) bool { return known[t.value.TextOf("n")] })
	}
	return settled(name, s) && !slices.ContainsFunc(sides, func(side fields) bool { return side.get(name).equal(s) })
}
