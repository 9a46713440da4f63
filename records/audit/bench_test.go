package audit

import (
	"fmt"
	"testing"

	"github.com/git-ctx/git-ctx/records"
)

// manyRecords makes n records: cases of a task, a hypothesis, evidence and a decision.
func manyRecords(n int) Input {
	s := newStore()
	id := func(k records.Kind, i int) records.ID {
		return records.ImportID(k, "bench", fmt.Sprint(i))
	}
	for i := range n / 4 {
		add := func(k records.Kind, title string, st records.State) *records.Record {
			r := s.add(k, "a", fmt.Sprintf("%s %d: cache latency", title, i), st)
			r.ID, r.Body = id(k, i), "What was seen in the last run, in a few words.\n"
			return r
		}
		task := add(records.Task, "Look into case", records.Task.Schema().States[i%5])
		hyp := add(records.Hypothesis, "It comes from part", records.Hypothesis.Schema().States[i%4])
		ev := add(records.Evidence, "Run shows number", records.Recorded)
		dec := add(records.Decision, "Change setting", records.Decision.Schema().States[i%3])
		link(hyp, records.About, task)
		link(ev, records.Supports, hyp)
		link(dec, records.RestsOn, hyp)
	}
	in := s.input()
	in.Policy, in.Now = &records.Policy{}, noon
	return in
}

func BenchmarkWholeStore(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("records=%d", n), func(b *testing.B) {
			in := manyRecords(n)
			b.ReportAllocs()
			for b.Loop() {
				Run(in)
			}
		})
	}
}

func BenchmarkSince(b *testing.B) {
	in := manyRecords(100_000)
	before := in
	base := records.NewOverlay(in.View)
	before.View = base
	var changed records.ID
	for r := range in.View.All() {
		if r.Kind == records.Hypothesis {
			old := r.Clone()
			old.Verdict.State = records.Proposed
			base.Put(old)
			changed = r.ID
			break
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		Since(in, before, []records.ID{changed})
	}
}
