// Package standing decides what may be asserted: the one function that every
// reader of records uses.
//
// It owns the classes, the causes for which a record is in doubt, and the marks
// that stand beside one that is not. It is pure: what history, signatures and
// the code prove is handed to it as a [records.EvalContext]. Its invariant: the standing of
// a record depends on the view and the context alone, not on the order of the
// questions, and nothing is asserted that another record which stands, or might,
// speaks against. docs/design/standing.md defines it.
package standing
