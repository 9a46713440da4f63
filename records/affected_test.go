package records

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// tangled draws a record that is likely to clash with others of the same few ids.
func tangled(t *rapid.T, id ID, ids []ID) *Record {
	some := func(label string) []ID {
		return sortedSet(rapid.SliceOfN(rapid.SampledFrom(ids), 0, 2).Draw(t, label))
	}
	k := id.Kind()
	r := &Record{
		ID: id, Kind: k, Title: "T",
		Verdict: &Verdict{
			State: rapid.SampledFrom(k.Schema().States).Draw(t, "state"), Actor: rapid.SampledFrom([]Actor{Human, "agent/x"}).Draw(t, "actor"),
			N: rapid.SampledFrom([]string{"aaaaaa", "bbbbbb"}).Draw(t, "n"), Cites: some("cites"),
			At: time.Unix(1700000000, 0).UTC(),
		},
		Links:   map[Relation][]ID{RestsOn: some("rests-on"), PartOf: some("part-of")},
		Created: Created{Actor: Human, At: time.Unix(1700000000, 0).UTC()},
	}
	if k == Hypothesis && rapid.Bool().Draw(t, "supported by evidence") {
		r.Verdict.State, r.Verdict.Actor, r.Verdict.Cites = Supported, "agent/x", []ID{"ev-0000000009"}
	}
	if rapid.IntRange(0, 2).Draw(t, "superseded") == 0 {
		r.Verdict.SupersededBy = rapid.SampledFrom(ids).Draw(t, "successor")
	}
	if rapid.IntRange(0, 4).Draw(t, "forked") == 0 {
		twin := r.Verdict.Clone()
		twin.SupersededBy = rapid.SampledFrom(ids).Draw(t, "twin's successor")
		r.Also = []Verdict{twin}
	}
	if rapid.IntRange(0, 3).Draw(t, "despite") == 0 {
		r.Verdict.Despite = []Despite{{rapid.SampledFrom(ids).Draw(t, "despite id"), "aaaaaa"}}
	}
	if k == Decision {
		r.Question = rapid.SampledFrom([]string{"", "Which?", "which", "Where?"}).Draw(t, "question")
	}
	if k == Evidence {
		r.Type = rapid.SampledFrom([]string{"", "model-output"}).Draw(t, "type")
		r.Source = rapid.SampledFrom([]string{"", "a log"}).Draw(t, "source")
	}
	if rapid.IntRange(0, 5).Draw(t, "stale") > 0 {
		r.Verdict.Of = r.Digest()
	}
	switch rapid.IntRange(0, 9).Draw(t, "fate") {
	case 0:
		r.Verdict = nil
		r.Conflicts = []Conflict{{Field: "verdict"}}
	case 1:
		r.Tombstone = &Tombstone{Fingerprint: "f", Salt: "s", Actor: Human}
	}
	return r
}

// Whatever changes at once, every record whose standing differs is named.
func TestAffectedNamesEveryChangedStanding(t *testing.T) {
	ids := []ID{
		"task-0000000001", "task-0000000002", "task-0000000003", "dec-0000000004", "dec-0000000005",
		"con-0000000006", "hyp-0000000007", "hyp-0000000008", "ev-0000000009",
	}
	seen := 0 // standings of others that changed: the property must not hold for want of cases
	rapid.Check(t, func(t *rapid.T) {
		before, after := make(map[ID]*Record), make(map[ID]*Record)
		for _, id := range ids {
			if rapid.IntRange(0, 5).Draw(t, "there") > 0 {
				before[id] = tangled(t, id, ids)
				after[id] = before[id]
			}
		}
		for i := range rapid.IntRange(1, 3).Draw(t, "changes") {
			id := rapid.SampledFrom(ids).Draw(t, fmt.Sprint("change", i))
			if rapid.IntRange(0, 5).Draw(t, "gone") == 0 {
				delete(after, id)
			} else {
				after[id] = tangled(t, id, ids)
			}
		}
		was, is := setOf(before), setOf(after)
		affected := make(map[ID]bool)
		for _, id := range ids {
			if before[id] != after[id] {
				for _, a := range Affected(is, before[id], after[id]) {
					affected[a] = true
				}
			}
		}
		for _, review := range []Review{ReviewAny, ReviewHuman, ReviewSigned} {
			j := EvalContext{Review: review, ValidAt: time.Unix(1800000000, 0)}
			for _, id := range ids {
				a, b := Effective(was, id, j), Effective(is, id, j)
				if reflect.DeepEqual(a, b) {
					continue
				}
				if !affected[id] {
					t.Fatalf("%s went from %+v to %+v, and Affected does not name it", id, a, b)
				}
				if before[id] == after[id] {
					seen++
				}
			}
		}
	})
	if seen == 0 {
		t.Error("no change ever reached another record")
	}
}

func setOf(rs map[ID]*Record) *Set {
	var all []*Record
	for _, r := range rs {
		all = append(all, r)
	}
	return NewSet(all, nil)
}

// A hypothesis is found by what its verdict cites, in sets and overlays alike.
func TestCitesAreLookedUp(t *testing.T) {
	r := &Record{ID: "hyp-0000000001", Kind: Hypothesis, Verdict: &Verdict{State: Supported, Cites: []ID{"ev-0000000002"}}}
	o := NewOverlay(NewSet(nil, nil))
	o.Put(r)
	for name, v := range map[string]View{"set": NewSet([]*Record{r}, nil), "overlay": o} {
		if got := v.Backlinks("ev-0000000002", Cites); !slices.Equal(got, []ID{r.ID}) {
			t.Errorf("%s: cited by %v", name, got)
		}
		if got := v.Backlinks(r.ID, Cites); len(got) != 0 {
			t.Errorf("%s: the citing record is cited by %v", name, got)
		}
	}
}
