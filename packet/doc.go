// Package packet selects, ranks, budgets and renders what a reader of a code
// base should know: the packet.
//
// It owns the choice of records and the text they are printed as. It is pure:
// the same view and request give the same bytes. It never evaluates a record
// itself; package standing does, once for each record. Its invariants are
// that the Markdown text keeps both limits of the request, that no record
// stands in two sections, and that no text of a record can open a section.
package packet
