package packet

import (
	"math"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/internal/words"
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
	terms map[string]int // by stem
	// asked is how many words were asked for: a compound is its parts.
	asked int
	// begins marks the first bytes of the terms, to pass over most words early, and
	// known are the terms of the words met so far, -1 for none: to look a word up costs
	// less than to take its stem.
	begins [256]bool
	known  map[string]int
}

func newQuery(texts ...string) *query {
	q := &query{terms: map[string]int{}, known: map[string]int{}}
	var compounds []string
	for _, t := range texts {
		words.Each(t, func(w words.Word) {
			if words.Stop(string(w.Folded)) {
				return
			}
			if stem := words.Stem(string(w.Folded)); w.Compound {
				compounds = append(compounds, stem)
			} else {
				q.add(stem)
			}
		})
	}
	q.asked = len(q.terms)
	for _, stem := range compounds {
		q.add(stem)
	}
	return q
}

func (q *query) add(stem string) {
	if _, ok := q.terms[stem]; !ok {
		q.terms[stem] = len(q.terms)
		q.begins[stem[0]] = true
	}
}

// term returns the number of the term that a folded word is, -1 for none.
func (q *query) term(folded []byte) int {
	if !q.begins[folded[0]] {
		return -1
	}
	if t, ok := q.known[string(folded)]; ok {
		return t
	}
	word := string(folded)
	t, ok := q.terms[words.Stem(word)]
	if !ok {
		t = -1
	}
	q.known[word] = t
	return t
}

// has reports whether every word of s, and at least one, is a term.
func (q *query) has(s string) bool {
	some, every := false, true
	words.Each(s, func(w words.Word) {
		if !w.Compound {
			some, every = true, every && q.term(w.Folded) >= 0
		}
	})
	return some && every
}

// A hit is how often a record has each term, by weight, and its length in words.
type hit struct {
	freq   []float64
	length float64
}

// match counts the query's terms in a record; nil when it has none.
func (q *query) match(r *records.Record) *hit {
	var h *hit
	length := 0
	scan := func(s string, weight float64) {
		words.Each(s, func(w words.Word) {
			if !w.Part {
				length++
			}
			t := q.term(w.Folded)
			if t < 0 {
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

// most is, of each term, the more frequent of two hits, nil being none.
func (h *hit) most(o *hit) *hit {
	switch {
	case o == nil:
		return h
	case h == nil:
		return o
	}
	out := &hit{freq: slices.Clone(h.freq), length: max(h.length, o.length)}
	for t, f := range o.freq {
		out.freq[t] = max(out.freq[t], f)
	}
	return out
}

// beside adds the terms of neighbours at a discount. What has none of the words
// itself has the length of a neighbour.
func (h *hit) beside(near *hit) *hit {
	if near == nil {
		return h
	}
	out := &hit{freq: make([]float64, len(near.freq)), length: near.length}
	if h != nil {
		copy(out.freq, h.freq)
		out.length = h.length
	}
	for t, f := range near.freq {
		out.freq[t] += neighbourPart * f
	}
	return out
}

// A relevance is how much of a query a record has.
type relevance struct {
	// score is its BM25, 1 being that of the best record.
	score float64
	// share is the part of the query's words that it has, each weighed by how rare it is.
	share float64
}

// bm25 weighs hits, nil being none. A word is the rarer the fewer of all records have it.
func (q *query) bm25(hits []*hit) []relevance {
	df := make([]float64, len(q.terms))
	n, found, mean := float64(len(hits)), 0.0, 0.0
	for _, h := range hits {
		if h == nil {
			continue
		}
		found++
		mean += h.length
		for t, f := range h.freq {
			if f > 0 {
				df[t]++
			}
		}
	}
	out := make([]relevance, len(hits))
	if found == 0 {
		return out
	}
	mean /= found
	idf, all := make([]float64, len(df)), 0.0
	for t := range idf {
		idf[t] = math.Log(1 + (n-df[t]+0.5)/(df[t]+0.5))
		if t < q.asked {
			all += idf[t]
		}
	}
	best := 0.0
	for i, h := range hits {
		if h == nil {
			continue
		}
		for t, f := range h.freq {
			if f > 0 {
				out[i].score += idf[t] * f * (bm25K1 + 1) / (f + bm25K1*(1-bm25B+bm25B*h.length/mean))
				out[i].share += idf[t] / all
			}
		}
		best = max(best, out[i].score)
	}
	for i := range out {
		out[i].score /= best
	}
	return out
}
