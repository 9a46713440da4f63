package index

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/git-ctx/git-ctx/records"
)

func priority(n int) func(*records.Record) { return func(r *records.Record) { r.Priority = &n } }
func tag(s ...string) func(*records.Record) {
	return func(r *records.Record) { r.Tags = s }
}
func created(h int) func(*records.Record) {
	return func(r *records.Record) { r.Created.At = day.Add(time.Duration(h) * time.Hour) }
}
func agent(r *records.Record) { r.Verdict.Actor = "agent/x" }

func TestRows(t *testing.T) {
	db := open(t)
	err := db.Update(background, "", Head{Commit: "c1"}, records.ReviewHuman, changes(t,
		rec("task-000000000a", records.Todo, "A", created(1)),
		rec("task-000000000b", records.Done, "B", created(2), tag("x"), priority(0)),
		rec("task-000000000c", records.Todo, "C", created(3), tag("x", "y"), priority(1)),
		rec("goal-000000000a", records.Active, "D", created(1), priority(3)),
		rec("dec-000000000a", records.Accepted, "E", created(4), tag("y")),
		rec("dec-000000000b", records.Accepted, "F", created(4), agent, func(r *records.Record) { r.Valid.Until = day }),
	))
	if err != nil {
		t.Fatal(err)
	}
	s := begin(t, db)
	defer end(t, s)
	for _, c := range []struct {
		q    Query
		want string
	}{
		{Query{}, "E F D A B C"},
		{Query{Limit: 2}, "E F"},
		{Query{Limit: 2, After: "dec-000000000b"}, "D A"},
		{Query{After: "dec-zzzzzzzzzz"}, ""},
		{Query{After: "nothing"}, ""},
		{Query{Order: Newest}, "E F C B D A"},
		{Query{Order: Newest, After: "dec-000000000a"}, "F C B D A"},
		{Query{Order: ByPriority}, "B C A E F D"},
		{Query{Order: ByPriority, After: "task-000000000a", Limit: 2}, "E F"},
		{Query{Kinds: []records.Kind{records.Task}}, "A B C"},
		{Query{Kinds: []records.Kind{records.Goal, records.Decision}}, "E F D"},
		{Query{Kinds: []records.Kind{"elephant"}}, ""},
		{Query{States: []records.State{records.Todo, records.Active}}, "D A C"},
		{Query{Classes: []records.Class{records.AwaitingReview, records.Closed}}, "F B"},
		{Query{Tag: "x"}, "B C"},
		{Query{Tag: "x", Classes: []records.Class{records.Asserted}}, "C"},
		{Query{Tag: "X"}, ""},
	} {
		var got []string
		for r, err := range s.Rows(c.q) {
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := s.Record(r.ID); !ok { // the loop may use the view
				t.Errorf("%s is not there", r.ID)
			}
			got = append(got, r.Title)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v: %s, want %s", c.q, got, c.want)
		}
	}
	for r, err := range s.Rows(Query{Kinds: []records.Kind{records.Decision}, Classes: []records.Class{records.AwaitingReview}}) {
		if err != nil || r.Why != records.WhyUnreviewed || !r.Timed || !r.At.Equal(day) || r.Priority != nil {
			t.Errorf("row %+v, %v", r, err)
		}
	}
}

// Rows come in pages; no row is lost or repeated between them, in any order.
func TestRowsAcrossPages(t *testing.T) {
	db := open(t)
	var rs []*records.Record
	for i := range 2*batchSize + 10 {
		rs = append(rs, rec(records.ID(fmt.Sprintf("task-%010d", i)), records.Todo, "T", created(i%3), priority(i%4)))
	}
	if err := db.Update(background, "", Head{Commit: "c1"}, records.ReviewAny, changes(t, rs...)); err != nil {
		t.Fatal(err)
	}
	s := begin(t, db)
	defer end(t, s)
	n := 0
	for r := range s.All() {
		if r.ID != rs[n].ID {
			t.Fatalf("record %d is %s", n, r.ID)
		}
		n++
	}
	if n != len(rs) {
		t.Errorf("All yields %d of %d", n, len(rs))
	}
	for _, o := range []Order{ByID, Newest, ByPriority} {
		for _, limit := range []int{0, batchSize, batchSize + 1} {
			var got []records.ID
			for r, err := range s.Rows(Query{Order: o, Limit: limit}) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, r.ID)
			}
			want := len(rs)
			if limit > 0 {
				want = limit
			}
			unique := slices.Compact(slices.Sorted(slices.Values(got)))
			if len(got) != want || len(unique) != want {
				t.Errorf("order %d, limit %d: %d rows, %d different", o, limit, len(got), len(unique))
			}
		}
	}
}

func TestSearch(t *testing.T) {
	db := open(t)
	err := db.Update(background, "", Head{Commit: "c1"}, records.ReviewAny, changes(t,
		rec("dec-000000000a", records.Accepted, "Use a write-through cache"),
		rec("dec-000000000b", records.Rejected, "Warm it at start", tag("cache"), func(r *records.Record) { r.Verdict.Reason = "too slow: caf\u00e9 closed\n" }),
		rec("hyp-000000000a", records.Proposed, "Stampedes", func(r *records.Record) {
			r.Body = "First line.\nEvery deploy empties the cache, " + strings.Repeat("and then ", 30) + "latency spikes.\n"
		}),
		rec("rb-000000000a", records.Draft, "Runbook", func(r *records.Record) {
			r.Steps = []records.Step{{ID: "1", Do: "drain internal/lru.go", Verify: "queue is empty"}}
		}),
	))
	if err != nil {
		t.Fatal(err)
	}
	s := begin(t, db)
	defer end(t, s)
	for q, want := range map[string]string{
		"cache":                   "dec-000000000a dec-000000000b hyp-000000000a", // title, tag, body
		"CACHE write":             "dec-000000000a",
		"cafe":                    "dec-000000000b",
		"caf\u00c9":               "dec-000000000b",
		"stamp":                   "",
		"stamp*":                  "hyp-000000000a",
		`"empties the"`:           "hyp-000000000a",
		`"the empties"`:           "",
		`"empties the`:            "hyp-000000000a",
		"the empties":             "hyp-000000000a",
		"internal/lru.go":         "rb-000000000a",
		"queue":                   "rb-000000000a",
		"write-through":           "dec-000000000a",
		"title:cache":             "",
		"cache OR drain":          "",
		"NOT cache":               "",
		"cache)":                  "dec-000000000a dec-000000000b hyp-000000000a",
		`cache" OR "`:             "",
		"ca\x00che":               "",
		"^use":                    "dec-000000000a",
		"* ** - \"\" () {} : ^ '": "",
		"":                        "",
	} {
		hits, err := s.Search(q, Query{})
		var got []string
		for _, h := range hits {
			got = append(got, string(h.ID))
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q finds %v, %v, want %s", q, got, err, want)
		}
	}
	hits := must(s.Search("cache", Query{Limit: 2}))
	if len(hits) != 2 || hits[0].Score <= hits[1].Score {
		t.Errorf("the best two: %+v", hits)
	}
	for q, want := range map[string]string{
		"spikes":  "... " + strings.Repeat("and then ", 3) + "latency spikes.",
		"empties": "Every deploy empties the cache, and then and then and then and then and then and then and then and then and then and ...",
		"slow":    "too slow: caf\u00e9 closed",
		"drain":   "drain internal/lru.go",
		"queue":   "queue is empty",
		"through": "",
	} {
		if hits, err := s.Search(q, Query{Limit: 1}); err != nil || len(hits) != 1 || snippetAt(s, hits[0], q).Text != want {
			t.Errorf("snippet for %s: %+v, %v, want %s", q, hits, err, want)
		}
	}
	if _, err := s.Search(strings.Repeat("word ", maxTerms), Query{}); err != nil {
		t.Errorf("%d words: %v", maxTerms, err)
	}
	if _, err := s.Search(strings.Repeat("word ", maxTerms+1), Query{}); err == nil || s.Err() != nil {
		t.Errorf("more words: %v, %v", err, s.Err())
	}
}

// No text a user can write is an error, or reaches the query language.
func TestSearchTakesAnyText(t *testing.T) {
	db := open(t)
	if err := db.Update(background, "", Head{Commit: "c1"}, records.ReviewAny, changes(t, rec("dec-000000000a", records.Accepted, "word"))); err != nil {
		t.Fatal(err)
	}
	s := begin(t, db)
	defer end(t, s)
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			"word", `"`, "*", "AND", "OR", "NOT", "NEAR(", ")", "(", ":", "^", "+", "-", "'", ";", "title", " ", "\x00", "\u0301", "\xff",
		})), 0, 8).Draw(t, "pieces")
		if _, err := s.Search(strings.Join(pieces, ""), Query{Limit: 5}); err != nil {
			t.Fatal(err)
		}
	})
	if hits := must(s.Search("word", Query{})); len(hits) != 1 {
		t.Errorf("afterwards: %v", hits)
	}
}

// A forgotten record is in no list of words, whether it is forgotten by an
// update or was before the build.
func TestForgottenTextIsNotSearched(t *testing.T) {
	r := rec("dec-000000000a", records.Accepted, "secret plan", tag("secret"), func(r *records.Record) {
		r.Body = "the secret\n"
		r.Verdict.Reason = "secret\n"
	})
	gone := &records.Record{ID: r.ID, Kind: r.Kind, Verdict: r.Verdict, Created: r.Created,
		Tombstone: &records.Tombstone{Fingerprint: "f", Salt: "s", Actor: records.Human, At: day}}
	found := func(db *DB) (int, string) {
		s := begin(t, db)
		defer end(t, s)
		title := ""
		for row := range s.Rows(Query{}) {
			title += string(row.Class) + " " + row.Title
		}
		return len(must(s.Search("secret", Query{}))), title
	}
	updated, fresh := open(t), open(t)
	if err := updated.Update(background, "", Head{Commit: "c1"}, records.ReviewAny, changes(t, r)); err != nil {
		t.Fatal(err)
	}
	if n, row := found(updated); n != 1 || row != "asserted secret plan" {
		t.Fatalf("before: %d hits, row %s", n, row)
	}
	if err := updated.Update(background, "c1", Head{Commit: "c2"}, records.ReviewAny, changes(t, gone)); err != nil {
		t.Fatal(err)
	}
	if err := fresh.Update(background, "", Head{Commit: "c2"}, records.ReviewAny, changes(t, gone)); err != nil {
		t.Fatal(err)
	}
	for name, db := range map[string]*DB{"updated": updated, "built": fresh} {
		if n, row := found(db); n != 0 || row != "gone " {
			t.Errorf("%s: %d hits, row '%s'", name, n, row)
		}
		if d := dump(t, db, "SELECT rec FROM docs", "SELECT count(*) FROM search"); d != "SELECT rec FROM docs\nSELECT count(*) FROM search\n\"0\"|\n" {
			t.Errorf("%s: texts are left:\n%s", name, d)
		}
	}
}

// One Snap serves goroutines, beside updates of the same DB.
func TestConcurrentUse(t *testing.T) {
	db := open(t)
	if err := db.Update(background, "", Head{Commit: "1"}, records.ReviewAny, sequence(stateOf(1))); err != nil {
		t.Fatal(err)
	}
	s := begin(t, db)
	defer end(t, s)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range crowd {
				id := records.ID(fmt.Sprintf("dec-%010d", i))
				if r, ok := s.Record(id); !ok || r.Title != "at 1" {
					t.Errorf("record %s: %v, %v", id, r, s.Err())
				}
				if _, err := s.Search("words", Query{Limit: 3}); err != nil {
					t.Error(err)
				}
			}
			if n, err := holds(db); err != nil || n < 1 {
				t.Errorf("commit %d: %v", n, err)
			}
		})
	}
	wg.Go(func() {
		for n := 1; n < 6; n++ {
			if err := db.Update(background, fmt.Sprint(n), Head{Commit: fmt.Sprint(n + 1)}, records.ReviewAny, sequence(stateOf(n+1))); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Wait()
}

// A writer that waits too long for another says so and leaves the index alone.
func TestLockedOut(t *testing.T) {
	t.Parallel()
	db := open(t)
	if err := db.Update(background, "", Head{Commit: "1"}, records.ReviewAny, sequence(stateOf(1))); err != nil {
		t.Fatal(err)
	}
	entered, leave := make(chan bool), make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() {
		slow := func(func(Change, error) bool) { entered <- true; <-leave }
		if err := db.Update(background, "1", Head{Commit: "2"}, records.ReviewAny, slow); err != nil {
			t.Errorf("the first writer: %v", err)
		}
	})
	<-entered
	if n, err := holds(db); n != 1 || err != nil {
		t.Errorf("a reader beside a writer: %d, %v", n, err)
	}
	if err := db.Update(background, "1", Head{Commit: "3"}, records.ReviewAny, sequence(nil)); !unavailableError(err) {
		t.Errorf("the second writer: %v", err)
	}
	leave <- true
	wg.Wait()
	s := begin(t, db)
	defer end(t, s)
	if s.Commit() != "2" {
		t.Errorf("it holds %s", s.Commit())
	}
}

// TestRelatedPrefersRareWords: what a rare word finds goes before what common
// words find together, and one common word alone is still an answer.
func TestRelatedPrefersRareWords(t *testing.T) {
	id := func(i int) records.ID { return records.ImportID(records.Hypothesis, "test", fmt.Sprint(i)) }
	var rs []*records.Record
	for i := range 2 * (commonFrom + 100) {
		title := "cache"
		switch {
		case i < 3:
			title = "stampede of the cache"
		case i < 10:
			title = "cache and latency"
		case i%2 == 0:
			title = "latency"
		}
		rs = append(rs, rec(id(i), records.Proposed, title))
	}
	db := open(t)
	if err := db.Update(background, "", Head{Commit: "c1"}, records.ReviewAny, changes(t, rs...)); err != nil {
		t.Fatal(err)
	}
	s := begin(t, db)
	defer end(t, s)
	ids := func(from, to int) []records.ID {
		var out []records.ID
		for i := from; i < to; i++ {
			out = append(out, id(i))
		}
		slices.Sort(out)
		return out
	}
	for _, tt := range []struct {
		text string
		want []records.ID
	}{{"the stampede of cache and latency", ids(0, 10)}, {"latency, cache", ids(3, 10)}, {"stampede cache", nil}, {"nothing", []records.ID{}}} {
		got, err := s.Related(tt.text, 2000)
		if err != nil {
			t.Fatal(err)
		}
		if tt.want == nil { // the three, then those of the one common word
			if len(got) < commonFrom || !slices.Equal(slices.Sorted(slices.Values(got[:3])), ids(0, 3)) {
				t.Errorf("%q: %d found, first %v", tt.text, len(got), got[:3])
			}
			continue
		}
		slices.Sort(got)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q: %v, want %v", tt.text, got, tt.want)
		}
	}
	if got, err := s.Related("cache", 50); err != nil || len(got) != 50 {
		t.Errorf("one common word: %d found, %v", len(got), err)
	}
}
