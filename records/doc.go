// Package records is the record model of git ctx: kinds, states, links, the
// canonical YAML form, and the one function that says what may be asserted.
//
// It owns every rule about what a single record, or a set of records seen
// together, means. It is pure: no git, no clock, no environment, no randomness;
// callers pass times and random bytes in. Its invariant is that a [Record] it
// returns from [Parse] formats to one canonical byte string, and that
// Package standing alone says what holds.
package records
