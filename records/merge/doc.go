// Package merge merges records and the policy file three ways, by meaning.
//
// It owns the algebra of docs/design/merge.md: how each field merges, how a
// conflict is held as data, and how one is settled. It is pure. Its invariants:
// the result does not depend on which side is called ours, and every value of
// both sides stands in the result or was dropped by a named rule.
package merge
