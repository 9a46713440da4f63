package merge

import (
	"cmp"
	"slices"
	"strings"
)

// A Rule names why a merge dropped a value, or kept a record.
type Rule string

// The rules.
const (
	// RuleOpenState: an open state reached forward from an open one, or a proposal
	// that asks for a judgement, gives way to the other side's judgement; and one
	// that only joined the base's, in agreement, goes when the other side moved on.
	RuleOpenState Rule = "open-state"
	// RuleTombstone: a forgotten record absorbs every edit.
	RuleTombstone Rule = "tombstone"
	// RuleSameOrigin: two imports of one source differ in their claim of creation.
	RuleSameOrigin Rule = "same-origin"
	// RuleStep: one side removed a step that the other left alone but for its place.
	RuleStep Rule = "step"
	// RuleDeleted: one side removed the file, the other had left it alone.
	RuleDeleted Rule = "deleted"
	// RuleDeleteModify: one side removed the file, the other's changed record is kept.
	RuleDeleteModify Rule = "delete-modify"
	// RuleStricter: of two policies the stricter stands.
	RuleStricter Rule = "stricter"
)

// A Drop is a value of one side that is not in the result. Value is its
// canonical text; it is empty under [RuleTombstone], whose point is that the
// text is not repeated, and when a whole record was dropped (Field is empty then).
type Drop struct {
	Field string
	Rule  Rule
	Value string
}

// A Report says what a merge did beyond taking one-sided changes.
type Report struct {
	// Conflicts are the fields newly in conflict, sorted: neither side held this conflict.
	Conflicts []string
	// Dropped are the values that a named rule dropped, sorted.
	Dropped []Drop
	// Kept is [RuleDeleteModify] when a record was kept although one side removed it.
	Kept Rule
}

func (r *Report) drop(field string, rule Rule, value string) {
	r.Dropped = append(r.Dropped, Drop{Field: field, Rule: rule, Value: value})
}

func (r *Report) sort() {
	slices.Sort(r.Conflicts)
	r.Conflicts = slices.Compact(r.Conflicts)
	slices.SortFunc(r.Dropped, compareDrops)
	r.Dropped = slices.Compact(r.Dropped)
}

func compareDrops(a, b Drop) int {
	return cmp.Or(
		strings.Compare(a.Field, b.Field),
		strings.Compare(string(a.Rule), string(b.Rule)),
		strings.Compare(a.Value, b.Value),
	)
}
