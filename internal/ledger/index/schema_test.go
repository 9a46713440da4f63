package index

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-ctx/git-ctx/records"
)

func unavailableError(err error) bool { return errors.Is(err, ErrUnavailable) }

// Numbers sort as their ids do and lead back to them.
func TestNumbersAreIDs(t *testing.T) {
	draw := rapid.Custom(func(t *rapid.T) records.ID {
		k := rapid.SampledFrom(records.Schemas()).Draw(t, "kind").Kind
		return records.NewID(k, rapid.SliceOfN(rapid.Byte(), 7, 7).Draw(t, "random"))
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		na, aok := number(a)
		nb, bok := number(b)
		if !aok || !bok || (a < b) != (na < nb) {
			t.Fatalf("%s is %d, %s is %d", a, na, b, nb)
		}
		if back, ok := idOf(na); !ok || back != a {
			t.Fatalf("%s comes back as %s", a, back)
		}
		if na>>randomBits != kindNumber(a.Kind()) {
			t.Fatalf("%s is of kind %d", a, na>>randomBits)
		}
	})
	for _, id := range []records.ID{"", "task", "task-", "task-000000000", "task-00000000000", "TASK-0000000000", "task-000000000o", "elephant-0000000000"} {
		if n, ok := number(id); ok {
			t.Errorf("'%s' is %d", id, n)
		}
	}
	for _, n := range []int64{-1, int64(len(prefixes)) << randomBits} {
		if id, ok := idOf(n); ok {
			t.Errorf("%d is %s", n, id)
		}
	}
}

// What the columns mean is part of the version: when this test fails because a
// rule of standing, the lookups or the text searched changed, raise meaning and
// take over the new digest. Otherwise indexes made before would go on to answer
// by the old rules.
func TestMeaningIsVersioned(t *testing.T) {
	const wantMeaning, want = 13, "4dc45d181a02"
	link := func(rel records.Relation, to ...records.ID) func(*records.Record) {
		return func(r *records.Record) { r.Links = map[records.Relation][]records.ID{rel: to} }
	}
	by := func(id records.ID) func(*records.Record) {
		return func(r *records.Record) { r.Verdict.SupersededBy = id }
	}
	question := func(r *records.Record) { r.Question = "Which, then?" }
	rs := []*records.Record{
		rec("con-000000000a", records.Accepted, "Rests on a dead decision", link(records.RestsOn, "dec-000000000a")),
		rec("con-000000000b", records.Draft, "Asks", func(r *records.Record) { r.Verdict.Asks = records.Accepted }),
		rec("dec-000000000a", records.Rejected, "Rejected"),
		rec("dec-000000000f", records.Rejected, "Forgotten").Forget(records.Tombstone{Salt: "s", Actor: records.Human, At: day}, "000000"),
		rec("dec-000000000b", records.Accepted, "Rival", question), rec("dec-000000000c", records.Accepted, "Rival too", question),
		rec("dec-000000000d", records.Accepted, "Unreviewed", agent),
		rec("dec-000000000e", records.Accepted, "Changed", func(r *records.Record) { r.Verdict.Of = "000000000000" }),
		rec("ev-000000000a", records.Verified, "Unreviewed", agent, func(r *records.Record) { r.Source = "a log" }),
		rec("ev-000000000b", records.Retracted, "Retracted", func(r *records.Record) { r.Anchors = []records.Anchor{{Path: "a/b.go"}} }),
		rec("goal-000000000a", records.Achieved, "Achieved"),
		rec("hyp-000000000a", records.Supported, "Sourced", agent, func(r *records.Record) { r.Verdict.Cites = []records.ID{"ev-000000000a"} }),
		rec("hyp-000000000b", records.Supported, "Unsourced", agent, func(r *records.Record) { r.Verdict.Cites = []records.ID{"ev-000000000b"} }),
		rec("hyp-000000000c", records.Superseded, "Superseded", by("hyp-000000000a")),
		rec("rb-000000000a", records.Active, "Timed", func(r *records.Record) {
			r.Valid.Until, r.When, r.Signals, r.Preconditions, r.Escalation = day, "when", []string{"signal"}, []string{"first"}, "call"
			r.Steps = []records.Step{{ID: "1", Do: "do", Verify: "see"}}
		}),
		rec("task-000000000a", records.Done, "Closed parent", tag("t")), rec("task-000000000b", records.Todo, "Open child", link(records.PartOf, "task-000000000a")),
		rec("trg-000000000a", records.Active, "-5 @Trigger", func(r *records.Record) { r.Text = "text" }),
	}
	db := open(t)
	if err := db.Update(background, "", Head{Commit: "c1"}, records.ReviewHuman, changes(t, rs...)); err != nil {
		t.Fatal(err)
	}
	text := dump(t, db, meanings...)
	s := begin(t, db)
	defer end(t, s)
	for _, w := range []string{"when", "signal", "first", "call", "do", "see", "text", "which", "t", "a", "log"} {
		hits := must(s.Search(w, Query{}))
		var ids []records.ID
		for _, h := range hits {
			ids = append(ids, h.ID)
		}
		slices.Sort(ids)
		text += fmt.Sprintln(w, ids)
	}
	if got := fmt.Sprintf("%.6x", sha256.Sum256([]byte(text))); got != want || meaning != wantMeaning {
		t.Errorf("meaning %d has digest %s, want %s for %d:\n%s", meaning, got, want, wantMeaning, text)
	}
}
