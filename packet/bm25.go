package packet

import (
	"math"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// The constants of BM25, and how much a word counts in each field.
const (
	bm25K1 = 1.2
	bm25B  = 0.75

	titleWeight = 3
	tagWeight   = 2
	bodyWeight  = 1
)

// A query is the set of words that records are compared with.
type query struct {
	terms map[string]int
	// begins marks the first bytes of the terms, to pass over most words early.
	begins [256]bool
}

func newQuery(texts ...string) *query {
	q := &query{terms: map[string]int{}}
	stops := map[string]bool{}
	eachWord(stopWords, nil, func(w []byte) { stops[string(w)] = true })
	for _, t := range texts {
		eachWord(t, nil, func(w []byte) {
			if _, ok := q.terms[string(w)]; !ok && !stops[string(w)] {
				q.terms[string(w)] = len(q.terms)
				q.begins[w[0]] = true
			}
		})
	}
	return q
}

// has reports whether every word of s, and at least one, is a term.
func (q *query) has(s string) bool {
	some, every := false, true
	eachWord(s, nil, func(w []byte) {
		_, ok := q.terms[string(w)]
		some, every = true, every && ok
	})
	return some && every
}

// A hit is how often a record has each term, by weight, and its length in words.
type hit struct {
	freq   []float64
	length float64
}

// share is the part of the query's terms that the record has.
func (h *hit) share() float64 {
	if h == nil {
		return 0
	}
	n := 0
	for _, f := range h.freq {
		if f > 0 {
			n++
		}
	}
	return float64(n) / float64(len(h.freq))
}

// match counts the query's terms in a record; nil when it has none.
func (q *query) match(r *records.Record) *hit {
	var h *hit
	length := 0
	scan := func(s string, weight float64) {
		length += eachWord(s, &q.begins, func(w []byte) {
			t, ok := q.terms[string(w)]
			if !ok {
				return
			}
			if h == nil {
				h = &hit{freq: make([]float64, len(q.terms))}
			}
			h.freq[t] += weight
		})
	}
	for field, text := range r.Prose() {
		weight := float64(bodyWeight)
		if field == "title" {
			weight = titleWeight
		}
		scan(text, weight)
	}
	if r.Verdict != nil {
		scan(r.Verdict.Reason, bodyWeight)
	}
	scan(strings.Join(r.Tags, " "), tagWeight)
	if h != nil {
		h.length = float64(length)
	}
	return h
}

// bm25 scores hits from 0 to 1, the best being 1; nil scores 0. Document
// frequencies and the mean length count the hits alone, so that records without
// any of the words change no score.
func (q *query) bm25(hits []*hit) []float64 {
	df := make([]float64, len(q.terms))
	n, mean := 0.0, 0.0
	for _, h := range hits {
		if h == nil {
			continue
		}
		n++
		mean += h.length
		for t, f := range h.freq {
			if f > 0 {
				df[t]++
			}
		}
	}
	scores := make([]float64, len(hits))
	if n == 0 {
		return scores
	}
	mean /= n
	best := 0.0
	for i, h := range hits {
		if h == nil {
			continue
		}
		for t, f := range h.freq {
			if f > 0 {
				idf := math.Log(1 + (n-df[t]+0.5)/(df[t]+0.5))
				scores[i] += idf * f * (bm25K1 + 1) / (f + bm25K1*(1-bm25B+bm25B*h.length/mean))
			}
		}
		best = max(best, scores[i])
	}
	for i := range scores {
		scores[i] /= best
	}
	return scores
}
