package ledger

import (
	"slices"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/alike"
	"github.com/git-ctx/git-ctx/records/standing"
)

// A Near names standing records that a record written by an edit may be about the
// same thing as: it may replace one, contradict it, or stand beside it.
type Near struct {
	Of      *records.Record
	Nearest []*records.Record // at most [alike.Shown], best first
	// Passed is how many of them are worth interrupting a person for.
	Passed int
}

// nearUnindexed is up to how many records are compared where no index is at hand.
const nearUnindexed = 5000

// near finds what stands about the same things as the claims that the edit writes.
func (tx *Tx) near() []Near {
	var out []Near
	compared := 0
	for _, id := range tx.touched {
		r, ok := tx.Overlay.Record(id)
		if !ok || !r.Kind.Claims() || !r.Intact() || r.State().OutOfUse() {
			continue
		}
		if was, ok := tx.before.Record(id); ok && slices.Equal(was.RepeatedKeys(), r.RepeatedKeys()) {
			continue
		}
		if compared++; compared > alikeCompared {
			break
		}
		if n := tx.nearTo(r); len(n.Nearest) > 0 {
			out = append(out, n)
		}
	}
	return out
}

func (tx *Tx) nearTo(r *records.Record) Near {
	var ms []alike.Match
	e := standing.NewEvaluator(tx.Overlay, tx.Eval)
	for _, m := range tx.matches(r) {
		o := m.Record
		if o.ID == r.ID || slices.Contains(tx.created, o.ID) || o.Forgotten() || Reconciled(r, o) {
			continue
		}
		if c := e.Standing(o.ID).Class; c == records.Asserted || c == records.AwaitingReview {
			ms = append(ms, m)
		}
	}
	n := Near{Of: r, Passed: len(alike.Gate(ms))}
	for _, m := range ms[:min(len(ms), alike.Shown)] {
		n.Nearest = append(n.Nearest, m.Record)
	}
	return n
}

// Reconciled reports whether a link or verdict says how two records relate.
func Reconciled(r, o *records.Record) bool {
	for _, pair := range [][2]*records.Record{{r, o}, {o, r}} {
		for _, ids := range pair[0].Links {
			if slices.Contains(ids, pair[1].ID) {
				return true
			}
		}
		if v := pair[0].Verdict; v != nil && (slices.Contains(v.Cites, pair[1].ID) || v.SupersededBy == pair[1].ID) {
			return true
		}
	}
	return false
}

// counted is how many records of a store have each word, as an index tells it.
type counted struct {
	of  map[string]int
	all int
}

// Of implements [alike.Frequency].
func (c counted) Of(word string) int { return c.of[word] }

// Len implements [alike.Frequency].
func (c counted) Len() int { return c.all }

// matches compares r with what the branch held before the edit.
func (tx *Tx) matches(r *records.Record) []alike.Match {
	if tx.before.snap == nil {
		if tx.before.Len() > nearUnindexed {
			return nil
		}
		var claims []*records.Record
		for o := range tx.Overlay.All() {
			if o.Kind.Claims() {
				claims = append(claims, o)
			}
		}
		return alike.NewCorpus(claims).Nearest(r)
	}
	ids, count, err := tx.before.snap.Near(alike.Words(r))
	if err != nil {
		return nil // the view's error ends the edit
	}
	if over, ok := tx.before.View.(*records.Overlay); ok {
		ids = append(ids, over.Changed()...)
	}
	var candidates []*records.Record
	for _, id := range ids {
		if o, ok := tx.Overlay.Record(id); ok && o.Kind.Claims() && !slices.Contains(candidates, o) {
			candidates = append(candidates, o)
		}
	}
	return alike.Nearest(r, candidates, counted{count, tx.before.Len()})
}
