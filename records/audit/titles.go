package audit

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/git-ctx/git-ctx/records"
)

// Two titles are nearly the same when, of the words in either, at least 4 in 5
// are in both (Jaccard similarity of their normalised words), and all words
// with a digit are: "step 1" and "step 2" are two things.
const (
	similarNum, similarDen = 4, 5
	// maxCompared bounds the titles compared in full with one title, so that a
	// store of many titles from few words still takes time in line with its size.
	maxCompared = 128
)

// A titleIndex finds open records of one kind with nearly the same title. It
// compares only titles that share one of their rarest words: a title of n words
// and another similar to it must share one of the n - ceil(4n/5) + 1 rarest of
// either, whatever the order of rarity. Postings are kept by the place of the
// shared word and the length of the title, since these bound how many words
// can still be shared.
type titleIndex struct {
	entries    []titleEntry // one for each different title, by id
	byID       map[records.ID]int
	duplicates map[records.ID]records.ID // records whose title an entry has already
	postings   map[posting][]int
}

type titleEntry struct {
	id    records.ID
	block int
	words []int // rarest first
}

type posting struct{ block, word, size, place int }

func newTitleIndex(v records.View) *titleIndex {
	x := &titleIndex{
		byID:       make(map[records.ID]int),
		duplicates: make(map[records.ID]records.ID),
		postings:   make(map[posting][]int),
	}
	first := make(map[string]records.ID)
	blocks := make(map[string]int)
	numbers := make(map[string]int) // of words, in order of appearance
	var count []int                 // titles by word number
	for r := range v.All() {
		words, block := titleWords(v, r)
		if len(words) == 0 {
			continue
		}
		title := string(r.Kind) + " " + strings.Join(words, " ")
		if same, ok := first[title]; ok {
			x.duplicates[r.ID] = same
			continue
		}
		first[title] = r.ID
		e := titleEntry{id: r.ID, block: number(blocks, block), words: make([]int, len(words))}
		for i, w := range words {
			n := number(numbers, w)
			if n == len(count) {
				count = append(count, 0)
			}
			count[n]++
			e.words[i] = n
		}
		x.byID[r.ID] = len(x.entries)
		x.entries = append(x.entries, e)
	}
	for i := range x.entries {
		x.post(i, count)
	}
	return x
}

// titleWords returns the different words of an open record's title, sorted, and
// what must be equal in similar ones: the kind and the words with a digit.
func titleWords(v records.View, r *records.Record) (words []string, block string) {
	if r.Forgotten() || !r.Open() {
		return nil, ""
	}
	if _, vetoed := v.Veto(r.ID); vetoed {
		return nil, ""
	}
	words = strings.Fields(records.Normalize(r.Title))
	slices.Sort(words)
	words = slices.Compact(words)
	block = string(r.Kind)
	for _, w := range words {
		if strings.ContainsFunc(w, unicode.IsDigit) {
			block += " " + w
		}
	}
	return words, block
}

// number returns the number of s, a new one when s is new.
func number(numbers map[string]int, s string) int {
	n, ok := numbers[s]
	if !ok {
		n = len(numbers)
		numbers[s] = n
	}
	return n
}

func (x *titleIndex) post(i int, count []int) {
	e := &x.entries[i]
	slices.SortFunc(e.words, func(a, b int) int {
		return cmp.Or(cmp.Compare(count[a], count[b]), cmp.Compare(a, b))
	})
	for place := range rarest(len(e.words)) {
		k := posting{e.block, e.words[place], len(e.words), place}
		x.postings[k] = append(x.postings[k], i)
	}
}

// rarest returns how many of n words, rarest first, hold one that every similar title shares.
func rarest(n int) int { return n - (similarNum*n+similarDen-1)/similarDen + 1 }

// enough reports whether titles of a and b words that share so many are similar.
func enough(shared, a, b int) bool {
	return (similarNum+similarDen)*shared >= similarNum*(a+b)
}

// A likeness is another record and the share, in hundredths, of words in common.
type likeness struct {
	id      records.ID
	percent int
}

// nearest returns the record of smaller id whose title is most like that of id;
// of equal ones the first. Records for which settled holds do not count.
func (x *titleIndex) nearest(id records.ID, settled func(records.ID) bool) (likeness, bool) {
	if same, ok := x.duplicates[id]; ok {
		return likeness{same, 100}, !settled(same)
	}
	i, ok := x.byID[id]
	if !ok {
		return likeness{}, false
	}
	var best likeness
	for _, j := range x.candidates(i) {
		percent, ok := x.compare(i, j)
		if !ok || percent < best.percent || (percent == best.percent && j > x.byID[best.id]) {
			continue
		}
		if other := x.entries[j].id; !settled(other) {
			best = likeness{other, percent}
		}
	}
	return best, best.id != ""
}

// candidates returns the entries before i that may be similar to it.
func (x *titleIndex) candidates(i int) []int {
	e := &x.entries[i]
	n := len(e.words)
	var found []int
	for place := range rarest(n) {
		for size := (similarNum*n + similarDen - 1) / similarDen; size <= similarDen*n/similarNum; size++ {
			for other := range rarest(size) {
				// The shared word is the first that both have among their rarest.
				if !enough(1+min(n-place-1, size-other-1), n, size) {
					break
				}
				for _, j := range x.postings[posting{e.block, e.words[place], size, other}] {
					if j >= i || len(found) == maxCompared {
						break
					}
					found = append(found, j)
				}
			}
		}
	}
	return found
}

// compare returns how alike two titles are, and whether that is enough.
func (x *titleIndex) compare(i, j int) (percent int, similar bool) {
	a, b := x.entries[i].words, x.entries[j].words
	shared := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			shared++
		}
	}
	return 100 * shared / (len(a) + len(b) - shared), enough(shared, len(a), len(b))
}
