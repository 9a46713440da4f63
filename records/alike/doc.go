// Package alike finds the records that a new one may be about: what it may
// replace, contradict or stand beside. It compares texts alone and reads no store:
// the caller chooses candidates, by [Words] or with a [Corpus], and what of them
// stands. It is pure, and an answer depends on its arguments alone.
package alike
