package alike

import (
	"cmp"
	"maps"
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

// Considered is how many candidates are compared with a new record.
const Considered = 64

// common is from how many records on a word leads to none of them.
const common = 256

// A Corpus holds records in memory by their words, for where no index is at hand.
type Corpus struct {
	of    map[string][]*records.Record
	count int
}

// NewCorpus returns a corpus of the records.
func NewCorpus(rs []*records.Record) *Corpus {
	c := &Corpus{of: make(map[string][]*records.Record)}
	for _, r := range rs {
		c.count++
		for _, w := range Words(r) {
			c.of[w] = append(c.of[w], r)
		}
	}
	return c
}

// Of implements [Frequency].
func (c *Corpus) Of(word string) int { return len(c.of[word]) }

// Len implements [Frequency].
func (c *Corpus) Len() int { return c.count }

// Nearest is the function of that name over the records of the corpus that share
// the rarest words with r.
func (c *Corpus) Nearest(r *records.Record) []Match {
	weight := make(map[*records.Record]float64)
	for _, w := range Words(r) {
		if n := len(c.of[w]); n < common {
			for _, o := range c.of[w] {
				if o.ID != r.ID {
					weight[o] += 1 / float64(n+1)
				}
			}
		}
	}
	found := slices.SortedFunc(maps.Keys(weight), func(a, b *records.Record) int {
		return cmp.Or(cmp.Compare(weight[b], weight[a]), cmp.Compare(a.ID, b.ID))
	})
	return Nearest(r, found[:min(len(found), Considered)], c)
}
