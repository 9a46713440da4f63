package standing

import (
	"fmt"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/records"
	"pgregory.net/rapid"
)

// tangled draws a record that is likely to clash with others of the same few ids.
func tangled(t *rapid.T, id records.ID, ids []records.ID) *records.Record {
	some := func(label string) []records.ID {
		return sorted(rapid.SliceOfN(rapid.SampledFrom(ids), 0, 2).Draw(t, label), "")
	}
	k := id.Kind()
	var refuted []records.ID
	if k == records.Evidence {
		refuted = some("refutes")
	}
	r := &records.Record{
		ID: id, Kind: k, Title: rapid.SampledFrom([]string{"T", "U", string(id)}).Draw(t, "title"),
		Verdict: &records.Verdict{
			State: rapid.SampledFrom(k.Schema().States).Draw(t, "state"), Actor: rapid.SampledFrom([]records.Actor{records.Human, "agent/x"}).Draw(t, "actor"),
			N: rapid.SampledFrom([]string{"aaaaaa", "bbbbbb"}).Draw(t, "n"), Cites: some("cites"),
			At: time.Unix(1700000000, 0).UTC(),
		},
		Links:   map[records.Relation][]records.ID{records.RestsOn: some("rests-on"), records.Contradicts: some("contradicts"), records.Refutes: refuted},
		Created: records.Created{Actor: records.Human, At: time.Unix(1700000000, 0).UTC()},
	}
	if k == records.Hypothesis && rapid.Bool().Draw(t, "supported by evidence") {
		r.Verdict.State, r.Verdict.Actor, r.Verdict.Cites = records.Supported, "agent/x", []records.ID{"ev-0000000009"}
	}
	if rapid.IntRange(0, 2).Draw(t, "superseded") == 0 {
		r.Verdict.SupersededBy = rapid.SampledFrom(ids).Draw(t, "successor")
	}
	if rapid.IntRange(0, 4).Draw(t, "forked") == 0 {
		twin := r.Verdict.Clone()
		twin.SupersededBy = rapid.SampledFrom(ids).Draw(t, "twin's successor")
		r.Also = []records.Verdict{twin}
	}
	if rapid.IntRange(0, 3).Draw(t, "despite") == 0 {
		r.Verdict.Despite = []records.Despite{{ID: rapid.SampledFrom(ids).Draw(t, "despite id"), State: records.Accepted}}
	}
	if k == records.Decision {
		r.Question = rapid.SampledFrom([]string{"", "Which?", "which", "Where?"}).Draw(t, "question")
	}
	if k == records.Evidence {
		r.Type = rapid.SampledFrom([]string{"", "model-output"}).Draw(t, "type")
		r.Source = rapid.SampledFrom([]string{"", "a log"}).Draw(t, "source")
	}
	if rapid.IntRange(0, 5).Draw(t, "stale") > 0 {
		r.Verdict.Of = r.Digest()
	}
	switch rapid.IntRange(0, 9).Draw(t, "fate") {
	case 0:
		r.Verdict = nil
		r.Conflicts = []records.Conflict{{Field: "verdict"}}
	case 1:
		r.Tombstone = &records.Tombstone{Fingerprint: "f", Salt: "s", Actor: records.Human}
	}
	return r
}

// Whatever changes at once, every record whose standing differs is named.
func TestAffectedNamesEveryChangedStanding(t *testing.T) {
	ids := []records.ID{
		"task-0000000001", "task-0000000002", "task-0000000003", "dec-0000000004", "dec-0000000005",
		"con-0000000006", "hyp-0000000007", "hyp-0000000008", "ev-0000000009",
	}
	seen := 0 // standings of others that changed: the property must not hold for want of cases
	rapid.Check(t, func(t *rapid.T) {
		before, after := make(map[records.ID]*records.Record), make(map[records.ID]*records.Record)
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
		affected := make(map[records.ID]bool)
		for _, id := range ids {
			if before[id] != after[id] {
				for _, a := range Affected(is, before[id], after[id]) {
					affected[a] = true
				}
			}
		}
		for _, review := range []records.Review{records.ReviewAny, records.ReviewHuman, records.ReviewSigned} {
			j := records.EvalContext{Review: review, ValidAt: time.Unix(1800000000, 0)}
			for _, id := range ids {
				a, b := Of(was, id, j), Of(is, id, j)
				if a.Class == b.Class && a.State == b.State && a.Why == b.Why {
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
	if seen == 0 && !testing.Short() { // few draws may meet none
		t.Error("no change ever reached another record")
	}
}

func setOf(rs map[records.ID]*records.Record) *records.Set {
	var all []*records.Record
	for _, r := range rs {
		all = append(all, r)
	}
	return records.NewSet(all, nil)
}
