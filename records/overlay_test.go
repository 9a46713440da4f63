package records

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// An overlay must answer as a set of the same records does.
func TestOverlayIsASet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := []ID{"task-0000000001", "task-0000000002", "dec-0000000003", "dec-0000000004", "hyp-0000000005"}
		draw := func(label string) *Record {
			id := rapid.SampledFrom(ids).Draw(t, label)
			r := &Record{
				ID: id, Kind: id.Kind(), Title: rapid.SampledFrom([]string{"One", "one!", "Two"}).Draw(t, "title"),
				Question: rapid.SampledFrom([]string{"", "Which?", "which"}).Draw(t, "question"), Verdict: &Verdict{State: rapid.SampledFrom([]State{Superseded, Todo}).Draw(t, "state")},
				Links: map[Relation][]ID{RelatesTo: {rapid.SampledFrom(ids).Draw(t, "link")}},
			}
			r.Verdict.SupersededBy = rapid.SampledFrom(append([]ID{""}, ids...)).Draw(t, "successor")
			return r
		}
		all := make(map[ID]*Record)
		var base []*Record
		for i := range rapid.IntRange(0, 4).Draw(t, "base") {
			r := draw(fmt.Sprint("base", i))
			base, all[r.ID] = append(base, r), r
		}
		o := NewOverlay(NewSet(base, nil))
		for i := range rapid.IntRange(0, 6).Draw(t, "puts") {
			r := draw(fmt.Sprint("put", i))
			if rapid.Bool().Draw(t, "drop") {
				o.Drop(r.ID)
				delete(all, r.ID)
				continue
			}
			o.Put(r)
			all[r.ID] = r
		}
		var want []*Record
		for _, r := range all {
			want = append(want, r)
		}
		s := NewSet(want, nil)
		if o.Len() != s.Len() || !slices.Equal(slices.Collect(o.All()), slices.Collect(s.All())) {
			t.Fatal("All differs")
		}
		for _, id := range ids {
			for _, rel := range []Relation{RelatesTo, SupersededBy} {
				if !slices.Equal(o.Backlinks(id, rel), s.Backlinks(id, rel)) {
					t.Fatalf("backlinks of %s by %s: %v, want %v", id, rel, o.Backlinks(id, rel), s.Backlinks(id, rel))
				}
			}
		}
		if !slices.Equal(o.OnQuestion("which"), s.OnQuestion("which")) || !slices.Equal(o.Titled(Task, "one"), s.Titled(Task, "one")) {
			t.Fatal("lookups differ")
		}
		for _, state := range []State{Superseded, Todo} {
			if !slices.Equal(o.InState(Task, state), s.InState(Task, state)) {
				t.Fatal("InState differs")
			}
		}
		for _, prefix := range []string{"0000", "task-0000", "dec-0000000003", "0000000004"} {
			a, errA := o.Match(prefix)
			b, errB := s.Match(prefix)
			if errA != nil || errB != nil || !slices.Equal(a, b) {
				t.Fatalf("match %s: %v (%v), want %v (%v)", prefix, a, errA, b, errB)
			}
		}
	})
}
