// Package graph walks the links between records: around some of them, and from
// one to what it came from and what rests on it.
//
// It owns which edges a record has, links and what stands in verdicts alike. It
// is pure and judges nothing. Its invariant: a graph is bounded, holds each
// record and each edge once, and depends on the view and the request alone, so
// that circles end and equal requests give equal graphs.
package graph
