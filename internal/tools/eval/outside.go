package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/records"
)

// resamples is how often the questions are drawn anew for an interval.
const resamples = 2000

// sharedData measures the ways on the shared folder's questions, loaded both ways; a
// folder that is not there is said so.
func sharedData(w io.Writer, dir string, o options) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(w, "\n%s is not here: its questions are not asked\n", dir)
		return nil
	}
	for _, form := range []struct {
		name string
		load func(string) (*store, error)
	}{{"all accepted", sharedAccepted}, {"imported, unreviewed", sharedImported}} {
		s, err := form.load(dir)
		if err != nil {
			return fmt.Errorf("load %s: %w", dir, err)
		}
		if err := outside(w, dir+", "+form.name, s, o); err != nil {
			return err
		}
	}
	return nil
}

// outsideFile measures the ways on a file of records and questions.
func outsideFile(w io.Writer, name string, o options) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	s, err := readStore(f)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return outside(w, name, s, o)
}

// outside measures search, the packet, the packet of the index's pool and the
// baselines on a store that was not made for it, question by question.
func outside(w io.Writer, name string, s *store, o options) error {
	fmt.Fprintf(w, "\n%s: %d records, %d questions\n", name, s.view.Len(), len(s.questions))
	return s.indexed(func(snap *index.Snap) error {
		if err := searchTable(w, s, snap, o); err != nil {
			return err
		}
		ways := []way{
			{name: "packet", forms: []chooser{ours}}, {name: "packet of the index's pool", forms: []chooser{pooled(snap)}},
			{name: "BM25 over everything", forms: forms(noLabels, byWords)}, {name: "(BM25 over what holds)", forms: forms(judged, assertable)},
			{name: "most recent first", forms: forms(noLabels, byAge, touched(byAge))},
		}
		results := make([][]result, len(ways))
		for i, way := range ways {
			var err error
			if results[i], err = way.measure([]*store{s}); err != nil {
				return err
			}
		}
		fmt.Fprint(w, "\n| tokens | chosen by | recall | the packet has more, 95 % | MRR | stale | disputed shown | answer words | tokens used | time |\n|---|---|---|---|---|---|---|---|---|---|\n")
		for b, budget := range budgets {
			for i, way := range ways {
				m := results[i][b].all
				fmt.Fprintf(w, "| %d | %s | %.3f | %s | %.3f | %.3f | %s | %s | %d | %.1f ms |\n", budget, way.name, mean(m.recalls),
					difference(results[0][b].all.recalls, m.recalls), mean(m.ranks), m.staleRate(), ratio(m.shown, m.clashes), ratio(m.answersShown, m.answers),
					m.tokens/m.questions, float64(m.took.Microseconds())/1000/float64(m.questions))
				if o.parts {
					printParts(w, m)
					printMissed(w, s, m.recalls)
				}
			}
		}
		return nil
	})
}

// searchTable compares the first hits of a search with those of BM25.
func searchTable(w io.Writer, s *store, snap *index.Snap, o options) error {
	var ours, plain, ourRanks, plainRanks []float64
	for _, q := range s.questions {
		ids, err := searched(snap, q)
		if err != nil {
			return err
		}
		recall, rank := q.among(ids)
		ours, ourRanks = append(ours, recall), append(ourRanks, rank)
		ids = nil
		for _, r := range byWords(s, q) {
			ids = append(ids, r.ID)
		}
		recall, rank = q.among(ids[:min(len(ids), searchMost)])
		plain, plainRanks = append(plain, recall), append(plainRanks, rank)
	}
	fmt.Fprintf(w, "\nof the answers, among the first %d: search %.3f (MRR %.3f), BM25 over stems %.3f (MRR %.3f), search has more by %s\n", searchMost,
		mean(ours), mean(ourRanks), mean(plain), mean(plainRanks), difference(ours, plain))
	if o.parts {
		printMissed(w, s, ours)
	}
	return nil
}

// among returns which part of the answer is among the ids, and one over the place of the first.
func (q question) among(ids []records.ID) (recall, rank float64) {
	gold, found, first := 0, 0, 0
	for _, fs := range q.Gold {
		for _, f := range fs {
			gold++
			if i := slices.IndexFunc(ids, f.is); i >= 0 {
				found++
				if first == 0 || i < first-1 {
					first = i + 1
				}
			}
		}
	}
	if first > 0 {
		rank = 1 / float64(first)
	}
	return rate(found, gold), rank
}

// printMissed names the questions whose answer is not all found.
func printMissed(w io.Writer, s *store, recalls []float64) {
	for i, q := range s.questions {
		if recalls[i] < 1 {
			fmt.Fprintf(w, "    %.2f %s\n", recalls[i], q.Purpose)
		}
	}
}

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / max(1, float64(len(xs)))
}

// difference is the mean of a minus that of b, with the interval that holds 95 in
// a hundred means when the questions are drawn anew (a paired bootstrap).
func difference(a, b []float64) string {
	if len(a) == 0 || &a[0] == &b[0] {
		return ""
	}
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	rng := rand.New(rand.NewPCG(1, 2))
	means := make([]float64, resamples)
	for i := range means {
		for range d {
			means[i] += d[rng.IntN(len(d))]
		}
		means[i] /= float64(len(d))
	}
	slices.SortFunc(means, cmp.Compare)
	return fmt.Sprintf("%+.3f (%+.3f to %+.3f)", mean(d), means[resamples/40], means[resamples-1-resamples/40])
}

// ratio is a rate, or a dash where there is nothing of the kind.
func ratio(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", rate(n, of))
}

// answerWords counts the words of the answer, and those that stand in a text.
func (q question) answerWords(text string) (shown, all int) {
	have := plainWords(text)
	for _, w := range plainWords(q.Answer) {
		all++
		if slices.Contains(have, w) {
			shown++
		}
	}
	return shown, all
}

func allTold(a answer) string {
	var b strings.Builder
	for _, t := range a.told {
		b.WriteString(t.text + "\n")
	}
	return b.String()
}
