package main

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/internal/words"
	"github.com/git-ctx/git-ctx/packet"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/standing"
)

// An order is all records, or some, the one to show first in front.
type order func(*store, question) []*records.Record

// labels say what a baseline writes in front of a record. What is dead counts
// as told so where its state stands there.
type labels int

const (
	noLabels labels = iota
	states          // the record's own state
	judged          // the same, and what the rules of the store find disputed
)

// A baseline shows records in an order of its own until the budget is used up.
type baseline struct {
	order  order
	labels labels
	// titles shows no bodies.
	titles bool
}

const (
	// maxBody bounds the text shown of a record, as the packet's sections do.
	maxBody = 400
	// maxMisses is how many records may be too long for the rest of the budget.
	maxMisses = 20
)

// answer implements chooser. The order is made once and counts for each budget's time.
func (b baseline) answer(s *store, q question, budgets []int) ([]answer, error) {
	start := time.Now()
	order := b.order(s, q)
	ordering := time.Since(start)
	texts, sizes := make([]told, 0, len(order)), make([]int, 0, len(order))
	size := func(i int) int {
		for len(texts) <= i {
			t := b.render(s, order[len(texts)])
			n, _ := packet.Measure(t.text)
			texts, sizes = append(texts, t), append(sizes, n)
		}
		return sizes[i]
	}
	frame, err := s.frame(q)
	if err != nil {
		return nil, err
	}
	answers := make([]answer, len(budgets))
	for i, budget := range budgets {
		start := time.Now()
		a := &answers[i]
		a.tokens = frame
		for j, misses := 0, 0; j < len(order) && misses < maxMisses; j++ {
			n := size(j)
			if a.tokens+n > budget {
				misses++
				continue
			}
			a.tokens += n
			a.told = append(a.told, texts[j])
		}
		a.took = ordering + time.Since(start)
	}
	return answers, nil
}

func (b baseline) render(s *store, r *records.Record) told {
	t := told{id: r.ID, asserted: true}
	label := ""
	if b.labels != noLabels {
		label, t.asserted = string(r.State()), r.State().Class(r.Kind) == records.Asserted
		if r.Disputed() || b.labels == judged && standing.Of(s.view, r.ID, s.judge).Class == records.InDoubt {
			label, t.asserted, t.disputed = "disputed", false, true
		}
		label = " (" + label + ")"
	}
	t.text = "- " + string(r.ID)[:len(r.Kind.Schema().Prefix)+1+records.MinPrefix] + label + ": " + r.Title + "\n"
	if text := r.Body; text != "" && !b.titles {
		t.text += "  > " + text[:min(len(text), maxBody)] + "\n"
	}
	return t
}

// A document is a record as BM25 sees it.
type document struct {
	r             *records.Record
	freq          map[string]float64
	length, score float64
}

// byWords orders by BM25, best first, what shares a word with the question.
func byWords(s *store, q question) []*records.Record {
	query := s.words(q)
	var docs []*document
	df, mean := map[string]float64{}, 0.0
	for _, r := range others(s, q) {
		d := &document{r: r, freq: map[string]float64{}}
		ws := plainWords(allText(r))
		d.length = float64(len(ws))
		mean += d.length
		for _, w := range ws {
			if query[w] {
				d.freq[w]++
			}
		}
		for w := range d.freq {
			df[w]++
		}
		docs = append(docs, d)
	}
	n := float64(len(docs))
	mean /= n
	for _, d := range docs {
		for _, w := range sortedKeys(d.freq) {
			f := d.freq[w]
			d.score += math.Log(1+(n-df[w]+0.5)/(df[w]+0.5)) * f * 2.2 / (f + 1.2*(0.25+0.75*d.length/mean))
		}
	}
	docs = slices.DeleteFunc(docs, func(d *document) bool { return d.score == 0 })
	slices.SortStableFunc(docs, func(a, b *document) int { return cmp.Compare(b.score, a.score) })
	out := make([]*records.Record, len(docs))
	for i, d := range docs {
		out[i] = d.r
	}
	return out
}

// words are those of a question, its task and its files.
func (s *store) words(q question) map[string]bool {
	text := q.Purpose + " " + strings.Join(q.Paths, " ")
	if t, ok := s.view.Record(q.Task); ok {
		text += " " + t.Title
	}
	set := map[string]bool{}
	for _, w := range plainWords(text) {
		set[w] = true
	}
	return set
}

// allText is everything a record says in words.
func allText(r *records.Record) string {
	reason := ""
	if r.Verdict != nil {
		reason = r.Verdict.Reason
	}
	return strings.Join([]string{r.Title, r.Body, r.Question, reason, strings.Join(r.Tags, " "), strings.Join(r.Paths, " ")}, " ")
}

// byAge orders all records, the most recently judged first.
func byAge(s *store, q question) []*records.Record {
	out := others(s, q)
	slices.SortStableFunc(out, func(a, b *records.Record) int { return changed(b).Compare(changed(a)) })
	return out
}

// byConfidence orders all records by how sure they say they are.
func byConfidence(s *store, q question) []*records.Record {
	out := others(s, q)
	slices.SortStableFunc(out, func(a, b *records.Record) int { return cmp.Compare(sure(b), sure(a)) })
	return out
}

// touched is another order of what shares a word with the question.
func touched(by order) order {
	return func(s *store, q question) []*records.Record {
		in := map[records.ID]bool{}
		for _, r := range byWords(s, q) {
			in[r.ID] = true
		}
		return slices.DeleteFunc(by(s, q), func(r *records.Record) bool { return !in[r.ID] })
	}
}

// assertable is byWords of what may be told as fact, proposed or warned of:
// the rules of the packet without its choice.
func assertable(s *store, q question) []*records.Record {
	return slices.DeleteFunc(byWords(s, q), func(r *records.Record) bool {
		st := standing.Of(s.view, r.ID, s.judge)
		return packet.SectionName(r, st) == "" || st.Class == records.OpenQuestion
	})
}

func others(s *store, q question) []*records.Record {
	var out []*records.Record
	for r := range s.view.All() {
		if r.ID != q.Task {
			out = append(out, r)
		}
	}
	return out
}

func changed(r *records.Record) time.Time {
	if r.Verdict != nil {
		return r.Verdict.At
	}
	return r.Created.At
}

func sure(r *records.Record) int {
	switch {
	case r.Confidence != nil:
		return int(*r.Confidence)
	case r.Strength != nil:
		return int(*r.Strength)
	}
	return 50
}

// plainWords are the stems of a text's words, folded as search engines do.
func plainWords(text string) []string {
	var out []string
	words.Each(text, func(w words.Word) {
		if folded := string(w.Folded); !w.Compound && !words.Stop(folded) {
			out = append(out, words.Stem(folded))
		}
	})
	return out
}
