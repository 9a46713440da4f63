package audit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/records"
	"pgregory.net/rapid"
)

// similarPairs compares every record with every other: the slow reference.
func similarPairs(v records.View) map[records.ID]int {
	best := make(map[records.ID]int)
	var ids []records.ID
	words := make(map[records.ID][]string)
	blocks := make(map[records.ID]string)
	for r := range v.All() {
		w, block := titleWords(v, r)
		for _, id := range ids {
			shared := 0
			for _, x := range w {
				if slices.Contains(words[id], x) {
					shared++
				}
			}
			union := len(w) + len(words[id]) - shared
			if blocks[id] == block && union > 0 && float64(shared)/float64(union) >= 0.8 {
				best[r.ID] = max(best[r.ID], 100*shared/union)
			}
		}
		ids = append(ids, r.ID)
		words[r.ID], blocks[r.ID] = w, block
	}
	return best
}

func TestNearestAgreesWithComparingAll(t *testing.T) {
	vocabulary := strings.Fields("a b c d e f g h i j v1 v2")
	rapid.Check(t, func(t *rapid.T) {
		var rs []*records.Record
		for i := range rapid.IntRange(0, 40).Draw(t, "records") {
			title := strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 12).Draw(t, "title"), " ")
			rs = append(rs, hypothesis(i, title))
		}
		v := records.NewSet(rs, nil)
		want := similarPairs(v)
		x := newTitleIndex(v)
		for _, r := range rs {
			got, _ := x.nearest(r.ID, func(records.ID) bool { return false })
			if got.percent != want[r.ID] {
				t.Fatalf("%s %q: nearest is %+v, want %d%%", r.ID, r.Title, got, want[r.ID])
			}
		}
	})
}

func hypothesis(i int, title string) *records.Record {
	return &records.Record{
		ID: records.ID(fmt.Sprintf("hyp-%010d", i)), Kind: records.Hypothesis, Title: title,
		Verdict: &records.Verdict{State: records.Proposed, Actor: records.Human},
	}
}

// titleShapes are ways in which many titles can be alike.
func titleShapes() map[string]func(i int) string {
	rnd := rand.New(rand.NewPCG(1, 2))
	words := func(n, of int) string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprintf("w%c%c", 'a'+rune(rnd.IntN(of)/26), 'a'+rune(rnd.IntN(of)%26))
		}
		return strings.Join(out, " ")
	}
	return map[string]func(i int) string{
		"varied":   func(int) string { return words(8, 600) },
		"fewWords": func(int) string { return words(9, 20) },
		"numbered": func(i int) string { return fmt.Sprintf("step %d of the long way to a fast start", i) },
		"equal":    func(int) string { return "same title every time" },
		"template": func(i int) string {
			return fmt.Sprintf("move the service %s from the old to the new host", strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(i)))
		},
	}
}

func TestNearestComparesFewTitles(t *testing.T) {
	for shape, title := range titleShapes() {
		var rs []*records.Record
		for i := range 10_000 {
			rs = append(rs, hypothesis(i, title(i)))
		}
		v := records.NewSet(rs, nil)
		compared := 0
		x := newTitleIndex(v)
		for i := range x.entries {
			compared += len(x.candidates(i))
		}
		if limit := maxCompared * len(rs); compared > limit {
			t.Errorf("%s: %d titles compared, at most %d expected", shape, compared, limit)
		}
	}
}

func BenchmarkNearDuplicates(b *testing.B) {
	for shape, title := range titleShapes() {
		var rs []*records.Record
		for i := range 10_000 {
			rs = append(rs, hypothesis(i, title(i)))
		}
		v := records.NewSet(rs, nil)
		b.Run(fmt.Sprintf("shape=%s/records=10000", shape), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				x := newTitleIndex(v)
				for _, r := range rs {
					x.nearest(r.ID, func(records.ID) bool { return false })
				}
			}
		})
	}
}

func BenchmarkRun(b *testing.B) {
	s := newStore()
	title := titleShapes()["varied"]
	states := map[records.Kind]records.State{records.Task: records.Done, records.Hypothesis: records.Supported, records.Decision: records.Accepted}
	for i := range 10_000 {
		k := []records.Kind{records.Task, records.Hypothesis, records.Evidence, records.Decision}[i%4]
		st, ok := states[k]
		if !ok {
			st = k.Schema().Birth()
		}
		r := s.add(k, "a", title(i), st)
		r.ID = records.ID(fmt.Sprintf("%s-%010d", k.Schema().Prefix, i))
		if i >= 4 {
			switch k {
			case records.Task:
				link(r, records.DependsOn, s.records[i-4])
			case records.Hypothesis:
				link(r, records.About, s.records[i-1])
			case records.Evidence:
				link(r, records.Supports, s.records[i-1])
			case records.Decision:
				link(r, records.RestsOn, s.records[i-1])
			}
		}
	}
	in := s.input()
	b.Run("records=10000", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Run(in)
		}
	})
}
