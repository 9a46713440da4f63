package alike

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// Shown is how many of the nearest records a reply names.
const Shown = 3

// opening is how many bytes of a body belong to the text that is compared.
const opening = 400

// The constants of BM25, how much each feature counts, and how many letters of a
// word tell it from others. See docs/design/alike.md for how they were found.
const (
	bm25K1 = 1.2
	bm25B  = 0.5

	cosineWeight = 0.5
	cueWeight    = 1.0

	stemLength = 6
)

// A Match is a record that may be about the same thing as a new one.
type Match struct {
	Record *records.Record
	Score  float64 // comparable with those of the same call alone
}

// Frequency tells in how many of a store's records a word occurs, and how many there are.
type Frequency interface {
	Of(word string) int
	Len() int
}

// Words returns the different words by which r is compared, as [records.Normalize]
// has them, in their order.
func Words(r *records.Record) []string {
	var out []string
	for _, w := range newText(r).words {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// Nearest orders candidates by how much they seem to be about what r is about,
// best first; those that share nothing with it are left out.
func Nearest(r *records.Record, candidates []*records.Record, f Frequency) []Match {
	of := newText(r)
	near := make(map[string]bool)
	for _, w := range of.cued() {
		near[stem(w)] = true
	}
	weight := make(map[string]float64, len(of.count))
	for w := range of.count {
		n, all := float64(f.Of(w)), float64(f.Len())
		weight[w] = math.Log(1 + (max(all-n, 0)+0.5)/(n+0.5))
	}
	own := of.bm25(of, weight)
	var out []Match
	for _, o := range candidates {
		t := newText(o)
		share := of.bm25(t, weight) / max(own, 1e-9)
		if share == 0 {
			continue
		}
		score := min(share, 1) + cosineWeight*of.cosine(t) + cueWeight*overlap(near, t, weight)
		out = append(out, Match{o, score})
	}
	slices.SortFunc(out, func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Record.ID, b.Record.ID))
	})
	return out
}

// A text is what is compared of a record: its title and how its body opens.
type text struct {
	raw    []string // as they are written
	words  []string // as they begin
	count  map[string]int
	threes map[string]float64
	norm   float64
}

func newText(r *records.Record) *text {
	s := r.Title + "\n" + r.Question + "\n" + r.Body
	if most := len(r.Title) + len(r.Question) + opening; len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	t := &text{count: make(map[string]int), threes: make(map[string]float64)}
	for w := range strings.FieldsSeq(records.Normalize(s)) {
		t.raw = append(t.raw, w)
		st := stem(w)
		t.words = append(t.words, st)
		t.count[st]++
		rs := []rune(" " + w + " ")
		for i := range len(rs) - 2 {
			t.threes[string(rs[i:i+3])]++
		}
	}
	for _, n := range t.threes {
		t.norm += n * n
	}
	t.norm = math.Sqrt(t.norm)
	return t
}

// stem is how a word begins, which is the same for most of its forms, in many languages.
func stem(w string) string {
	if rs := []rune(strings.TrimSuffix(w, "s")); len(rs) > stemLength {
		return string(rs[:stemLength])
	} else if len(rs) > 2 {
		return string(rs)
	}
	return w
}

// cosine is that of the counts of groups of three letters.
func (t *text) cosine(o *text) float64 {
	dot := 0.0
	for g, n := range t.threes {
		dot += n * o.threes[g]
	}
	return dot / max(t.norm*o.norm, 1e-9)
}

// meanLength is the length in words that BM25 takes for usual. A fixed one keeps the
// score of two records the same whatever else the store has.
const meanLength = 40

// bm25 scores o as an answer to t.
func (t *text) bm25(o *text, weight map[string]float64) float64 {
	sum := 0.0
	for w := range t.count {
		if f := float64(o.count[w]); f > 0 {
			sum += weight[w] * f * (bm25K1 + 1) / (f + bm25K1*(1-bm25B+bm25B*float64(len(o.words))/meanLength))
		}
	}
	return sum
}

// cues are words that tell of a change, and reach is how many words around one it is about.
const (
	cues  = " now anymore longer switched switch moved move instead increased decreased raised lowered replaced replace changed dropped removed became new since stopped migrated renamed again back "
	reach = 6
)

func cue(w string) bool { return strings.Contains(cues, " "+w+" ") }

// cued returns the words near cues of change.
func (t *text) cued() []string {
	var out []string
	for i, w := range t.raw {
		if cue(w) {
			out = append(out, t.words[max(0, i-reach):i]...)
			out = append(out, t.words[i+1:min(len(t.words), i+1+reach)]...)
		}
	}
	return out
}

// overlap is the share of the words, by weight, that o has.
func overlap(words map[string]bool, o *text, weight map[string]float64) float64 {
	all, found := 0.0, 0.0
	for w := range words {
		all += weight[w]
		if o.count[w] > 0 {
			found += weight[w]
		}
	}
	return found / max(all, 1e-9)
}
