package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// A way is one kind of choosing, in one form or several; the form that finds
// most at a budget stands for it.
type way struct {
	name  string
	forms []chooser
	// reference is set where it is not a rival: it knows the packet's rules.
	reference bool
}

// forms are the baselines of these orders, with bodies and without.
func forms(labels labels, orders ...order) []chooser {
	var cs []chooser
	for _, o := range orders {
		for _, titles := range []bool{false, true} {
			cs = append(cs, baseline{o, labels, titles}.answer)
		}
	}
	return cs
}

func ways() []way {
	return []way{
		{name: "packet", forms: []chooser{ours}},
		{name: "BM25 over everything", forms: forms(noLabels, byWords)},
		{name: "BM25 with labels", forms: forms(states, byWords)},
		{name: "most recent first", forms: forms(noLabels, byAge, touched(byAge))},
		{name: "confidence order with labels", forms: forms(states, byConfidence, touched(byConfidence))},
		{name: "(BM25 over what holds)", forms: forms(judged, assertable), reference: true},
	}
}

// compare asks all questions of all stores in all ways and prints a table.
func compare(w io.Writer, stores []*store, ways []way, parts bool) error {
	results := make([][]result, len(ways))
	for i, way := range ways {
		var err error
		if results[i], err = way.measure(stores); err != nil {
			return err
		}
	}
	fmt.Fprint(w, "\n| tokens | chosen by | recall | least to most | stale | disputed shown | far ones | tokens used | time |\n|---|---|---|---|---|---|---|---|---|\n")
	for b, budget := range budgets {
		for i, way := range ways {
			r := results[i][b]
			var recalls []float64
			for _, m := range r.each {
				recalls = append(recalls, m.recall())
			}
			m := r.all
			fmt.Fprintf(w, "| %d | %s | %.3f | %.3f-%.3f | %.3f | %.3f | %.3f | %d | %.1f ms |\n", budget, way.name, m.recall(),
				slices.Min(recalls), slices.Max(recalls), m.staleRate(), rate(m.shown, m.clashes), rate(m.farShown, m.far), m.tokens/m.questions,
				float64(m.took.Microseconds())/1000/float64(m.questions))
			if parts {
				printParts(w, m)
			}
		}
	}
	return nil
}

// A result is what was measured at one budget, over all stores and over each.
type result struct {
	all  *measure
	each []*measure
}

// measure returns the result at each budget of the form that finds most there.
func (y way) measure(stores []*store) ([]result, error) {
	var best []result
	for _, f := range y.forms {
		rs, err := measureForm(stores, f)
		if err != nil {
			return nil, err
		}
		if best == nil {
			best = rs
			continue
		}
		for i, r := range rs {
			if mean(r.all.recalls) > mean(best[i].all.recalls) {
				best[i] = r
			}
		}
	}
	return best, nil
}

func measureForm(stores []*store, choose chooser) ([]result, error) {
	rs := make([]result, len(budgets))
	for i := range rs {
		rs[i].all = newMeasure()
	}
	for _, s := range stores {
		for i := range rs {
			rs[i].each = append(rs[i].each, newMeasure())
		}
		for _, q := range s.questions {
			as, err := choose(s, q, budgets)
			if err != nil {
				return nil, err
			}
			for i, a := range as {
				rs[i].all.count(s, q, a)
				rs[i].each[len(rs[i].each)-1].count(s, q, a)
			}
		}
	}
	return rs, nil
}

func printParts(w io.Writer, m *measure) {
	for _, part := range sortedKeys(m.partGold) {
		fmt.Fprintf(w, "    %-60s %d of %d\n", part, m.partFound[part], m.partGold[part])
	}
	for _, class := range sortedKeys(m.classGold) {
		fmt.Fprintf(w, "    %-60s %d of %d\n", class, m.classFound[class], m.classGold[class])
	}
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// printStrange tells how many words of the questions their answers do not have.
func printStrange(w io.Writer, stores []*store) {
	strange, all := map[string]int{}, map[string]int{}
	for _, s := range stores {
		for _, q := range s.questions {
			class, _, _ := strings.Cut(q.Class, ",")
			n, of := s.strange(q)
			strange[class], all[class] = strange[class]+n, all[class]+of
		}
	}
	fmt.Fprintln(w, "\nwords of the questions that no record of the answer has:")
	for _, class := range sortedKeys(all) {
		fmt.Fprintf(w, "- %s: %d of %d\n", class, strange[class], all[class])
	}
}
