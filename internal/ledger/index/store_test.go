package index

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/standing"
)

var background = context.Background()

var day = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// rec makes a record of the id's kind in a state, judged by a human unless an
// edit says otherwise. Edits come before the judgement, so that its digest fits.
func rec(id records.ID, state records.State, title string, edits ...func(*records.Record)) *records.Record {
	r := &records.Record{
		ID: id, Kind: id.Kind(), Title: title,
		Verdict: &records.Verdict{State: state, By: "Ada Example", Actor: records.Human, At: day, N: "aaaaaa"},
		Created: records.Created{By: "Ada Example", Actor: records.Human, At: day.Add(-time.Hour)},
	}
	for _, e := range edits {
		e(r)
	}
	if r.Verdict != nil && r.CoversContent() && r.Verdict.Of == "" {
		r.Verdict.Of = r.Digest()
	}
	return r
}

// change is what a commit of r brings.
func change(tb rapid.TB, r *records.Record) Change {
	data, err := records.Format(r)
	if err != nil {
		tb.Fatal(err)
	}
	return Change{Path: records.IDPath(r.ID), OID: "o" + r.Digest(), Data: data}
}

func changes(tb rapid.TB, rs ...*records.Record) iter.Seq2[Change, error] {
	var cs []Change
	for _, r := range rs {
		cs = append(cs, change(tb, r))
	}
	return sequence(cs)
}

func open(tb testing.TB) *DB {
	db, err := Open(filepath.Join(tb.TempDir(), "main"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	return db
}

func begin(tb rapid.TB, db *DB) *Snap {
	s, err := db.Begin(background)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func end(tb rapid.TB, s *Snap) {
	if err := s.Close(); err != nil {
		tb.Fatal(err)
	}
}

// ids are few, so that records meet, and close, so that prefixes do.
var ids = []records.ID{
	"task-000000000a", "task-000000000b", "task-000010000a", "dec-000000000a", "dec-zzzzzzzzzz", "con-000000000a",
	"hyp-000000000a", "hyp-000000000b", "ev-000000000a", "goal-000000000a", "rb-000000000a", "trg-000000000a",
}

var titles = []string{"One cache", "one  CACHE!", "Two caches", "\u00c9tude in C"}

// draw makes a file for an id: of a record likely to clash with others, of a
// tombstone, or of garbage.
func draw(t *rapid.T, id records.ID) Change {
	k := id.Kind()
	some := func(label string) []records.ID {
		ids := rapid.SliceOfNDistinct(rapid.SampledFrom(ids), 0, 2, rapid.ID).Draw(t, label)
		slices.Sort(ids)
		return ids
	}
	r := rec(id, rapid.SampledFrom(k.Schema().States).Draw(t, "state"), rapid.SampledFrom(titles).Draw(t, "title"))
	r.Body = rapid.SampledFrom([]string{"", "The cache is cold.\n", "A line.\nAnother with dwarfs.\n"}).Draw(t, "body")
	r.Links = make(map[records.Relation][]records.ID)
	for _, rel := range records.Relations(k) {
		if slices.Contains([]records.Relation{records.RestsOn, records.PartOf, records.RelatesTo}, rel) {
			if ids := some(string(rel)); len(ids) > 0 {
				r.Links[rel] = ids
			}
		}
	}
	v := r.Verdict
	v.Actor = rapid.SampledFrom([]records.Actor{records.Human, "agent/x"}).Draw(t, "actor")
	v.N = rapid.SampledFrom([]string{"aaaaaa", "bbbbbb"}).Draw(t, "n")
	v.Cites = some("cites")
	v.At = day.Add(time.Duration(rapid.IntRange(0, 2).Draw(t, "at")) * time.Hour)
	v.SupersededBy = rapid.SampledFrom(append(make([]records.ID, len(ids)), ids...)).Draw(t, "successor")
	v.Sig = rapid.SampledFrom([]string{"", "", "sig\n"}).Draw(t, "sig")
	if !k.Schema().Open(v.State) {
		v.Reason = rapid.SampledFrom([]string{"", "measured twice\n"}).Draw(t, "reason")
	}
	r.Created.At = day.Add(-time.Duration(rapid.IntRange(0, 2).Draw(t, "created")) * time.Hour)
	if rapid.Bool().Draw(t, "tagged") {
		r.Tags = []string{rapid.SampledFrom([]string{"fast", "slow"}).Draw(t, "tag")}
	}
	switch k {
	case records.Task, records.Goal:
		if p := rapid.IntRange(-1, 4).Draw(t, "priority"); p >= 0 {
			r.Priority = &p
		}
	case records.Decision:
		r.Question = rapid.SampledFrom([]string{"", "Which?", "which", "Where?"}).Draw(t, "question")
	case records.Evidence:
		r.Source = rapid.SampledFrom([]string{"", "a log"}).Draw(t, "source")
	case records.Hypothesis:
		if rapid.Bool().Draw(t, "supported by evidence") {
			v.State, v.Actor, v.Cites = records.Supported, "agent/x", []records.ID{"ev-000000000a"}
		}
	}
	switch rapid.IntRange(0, 3).Draw(t, "validity") {
	case 0:
		r.Valid.From = day
	case 1:
		r.Valid.Until = day
	}
	if r.Verdict.Of = ""; rapid.IntRange(0, 4).Draw(t, "judged") > 0 {
		r.Verdict.Of = r.Digest()
	}
	switch rapid.IntRange(0, 11).Draw(t, "fate") {
	case 0:
		r = &records.Record{ID: id, Kind: k, Verdict: v, Created: r.Created,
			Tombstone: &records.Tombstone{Fingerprint: "f", Salt: "s", Actor: records.Human, At: day}}
	case 1:
		return Change{Path: records.IDPath(id), OID: "bad", Data: []byte("id: " + string(id) + "\nkind: elephant\n")}
	case 2:
		c := change(t, r)
		c.Path = "records/elsewhere/" + string(id) + records.RecordSuffix
		return c
	case 3:
		var sides []*records.Value
		for _, v.Of = range []string{"aaaaaaaaaaaa", "bbbbbbbbbbbb"} {
			for _, f := range r.Fields() {
				if f.Name == "verdict" {
					sides = append(sides, f.Value)
				}
			}
		}
		r.Verdict, r.Conflicts = nil, []records.Conflict{{Field: "verdict", Sides: sides}}
	}
	return change(t, r)
}

// A model is the files that a store holds.
type model map[string]Change

func (m model) all() iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		for _, path := range slices.Sorted(maps.Keys(m)) {
			if !yield(m[path], nil) {
				return
			}
		}
	}
}

// set reads the model as a reader without an index does.
func (m model) set() (*records.Set, []string) {
	var rs []*records.Record
	var bad []string
	for c := range m.all() {
		r, err := records.Parse(c.Path, c.Data)
		if err == nil {
			_, err = records.PathID(c.Path)
		}
		if err != nil {
			bad = append(bad, c.Path)
			continue
		}
		rs = append(rs, r)
	}
	return records.NewSet(rs, nil), bad
}

// everything asks for all in an index but the numbers that texts happen to have.
var everything = append([]string{
	"SELECT * FROM meta", "SELECT * FROM contents ORDER BY rec", "SELECT count(*) FROM search", "SELECT * FROM unreadable ORDER BY path",
	"SELECT records.rec FROM records JOIN docs ON docs.doc = records.doc WHERE docs.rec <> records.rec", "PRAGMA integrity_check",
}, meanings...)

// meanings asks for what the index made of the files.
var meanings = []string{
	"SELECT hex(key), rec FROM lookups ORDER BY 1, 2", "SELECT rec FROM docs ORDER BY rec",
	"SELECT rec, kind, state, asks, class, why, title, priority, at, created, timed, doc > 0 FROM records ORDER BY rec",
}

// dump returns the answers to queries of an index.
func dump(tb rapid.TB, db *DB, queries ...string) string {
	c, err := db.acquire()
	if err != nil {
		tb.Fatal(err)
	}
	defer db.release(c)
	var b strings.Builder
	for _, sql := range queries {
		fmt.Fprintln(&b, sql)
		err := c.queryOnce(sql, nil, func(row []driver.Value) error {
			for _, v := range row {
				if data, ok := v.([]byte); ok {
					v = string(data)
				}
				fmt.Fprintf(&b, "%q|", fmt.Sprint(v))
			}
			b.WriteByte('\n')
			return nil
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
	return b.String()
}

var dirs int

// After any updates the index answers as a set of the same records does, and
// equals one that is built from nothing.
func TestIndexIsASet(t *testing.T) {
	root := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dirs++
		db, err := Open(filepath.Join(root, fmt.Sprint(dirs)))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		m := make(model)
		commit := ""
		policies := []records.Review{records.ReviewAny, records.ReviewHuman, records.ReviewSigned}
		var review records.Review
		for step := range rapid.IntRange(1, 4).Draw(t, "updates") {
			review = rapid.SampledFrom(policies).Draw(t, "review")
			delta := make(model)
			for range rapid.IntRange(0, 8).Draw(t, "changes") {
				c := draw(t, rapid.SampledFrom(ids).Draw(t, "id"))
				if _, ok := m[c.Path]; ok && rapid.IntRange(0, 4).Draw(t, "gone") == 0 {
					c = Change{Path: c.Path}
				}
				delta[c.Path] = c
			}
			for path, c := range delta {
				if m[path] = c; c.Data == nil {
					delete(m, path)
				}
			}
			next := fmt.Sprint("c", step)
			if err := db.Update(background, commit, Head{Commit: next}, review, delta.all()); err != nil {
				t.Fatal(err)
			}
			commit = next
		}
		set, bad := m.set()
		s := begin(t, db)
		sameView(t, s, set)
		sameRows(t, s, set, review)
		us, err := s.Unreadable()
		var paths []string
		for _, u := range us {
			paths = append(paths, u.Path)
		}
		if err != nil || !slices.Equal(paths, bad) {
			t.Fatalf("unreadable: %v, %v, want %v", paths, err, bad)
		}
		hits := search(t, s)
		end(t, s)

		dirs++
		fresh, err := Open(filepath.Join(root, fmt.Sprint(dirs)))
		if err != nil {
			t.Fatal(err)
		}
		defer fresh.Close()
		if err := fresh.Update(background, "", Head{Commit: commit}, review, m.all()); err != nil {
			t.Fatal(err)
		}
		if got, want := dump(t, db, everything...), dump(t, fresh, everything...); got != want {
			t.Fatalf("updated step by step:\n%s\nbuilt at once:\n%s", got, want)
		}
		s = begin(t, fresh)
		if want := search(t, s); hits != want {
			t.Fatalf("search after updates:\n%s\nafter a build:\n%s", hits, want)
		}
		end(t, s)
	})
}

// sameView compares every method of records.View, prefixes and abbreviations.
func sameView(t *rapid.T, s *Snap, set *records.Set) {
	format := func(v records.View) string {
		var b strings.Builder
		for r := range v.All() {
			data, err := records.Format(r)
			if err != nil {
				t.Fatal(err)
			}
			b.Write(data)
		}
		fmt.Fprintln(&b, v.Len())
		for _, id := range ids {
			r, ok := v.Record(id)
			_, veto := v.Veto(id)
			fmt.Fprintln(&b, id, ok, r != nil && r.ID == id, veto)
			for _, rel := range []records.Relation{records.RestsOn, records.PartOf, records.RelatesTo, records.SupersededBy, records.Cites} {
				fmt.Fprintln(&b, id, rel, v.Backlinks(id, rel))
			}
		}
		for _, q := range []string{"which", "where", "", "nothing"} {
			fmt.Fprintln(&b, q, v.OnQuestion(q))
		}
		for _, sch := range records.Schemas() {
			for _, st := range sch.States {
				fmt.Fprintln(&b, sch.Kind, st, v.InState(sch.Kind, st))
			}
			for _, title := range titles {
				fmt.Fprintln(&b, sch.Kind, title, v.Titled(sch.Kind, records.Normalize(title)))
			}
		}
		return b.String()
	}
	if got, want := format(s), format(set); got != want || s.Err() != nil {
		t.Fatalf("index (%v):\n%s\nset:\n%s", s.Err(), got, want)
	}
	var sorted []records.ID
	for r := range set.All() {
		sorted = append(sorted, r.ID)
	}
	for _, p := range []string{
		"0000", "00000000", "TASK-0000", "task-oooo", "task-000000000a", "ev-0000", "zzzz", "dec-", "000", "", "elephant-0000", "-0000",
		"task-0000-", "hyp-0000000000000", "\x00\x00\x00\x00", "dec-zzzz",
	} {
		want, werr := records.MatchPrefix(sorted, p)
		got, gerr := s.Match(p)
		if !slices.Equal(got, want) || fmt.Sprint(gerr) != fmt.Sprint(werr) {
			t.Fatalf("%q matches %v, %v, want %v, %v", p, got, gerr, want, werr)
		}
	}
	for _, id := range ids {
		for _, n := range []int{0, 6, 20} {
			if got, want := s.Abbreviate(id, n), records.Abbreviate(sorted, id, n); got != want {
				t.Fatalf("%s is %s in short, want %s", id, got, want)
			}
		}
	}
}

// sameRows compares rows and counts with the judgement of each record.
func sameRows(t *rapid.T, s *Snap, set *records.Set, review records.Review) {
	want := make(map[records.ID]Row)
	counts := make(map[Count]int)
	for r := range set.All() {
		eval := standing.NewEvaluator(set, records.EvalContext{Review: review})
		st := eval.Standing(r.ID)
		row := Row{
			ID: r.ID, Kind: r.Kind, State: st.State, Class: st.Class, Why: st.Why, Title: r.Title,
			Priority: r.Priority, Created: r.Created.At, Timed: eval.Timed(r.ID),
		}
		if r.Verdict != nil {
			row.At, row.Asks = r.Verdict.At, r.Verdict.Asks
		}
		want[r.ID] = row
		counts[Count{Kind: row.Kind, State: row.State, Class: row.Class, Why: row.Why, Asks: row.Asks, Timed: row.Timed}]++
	}
	show := func(r Row) string {
		p := -1
		if r.Priority != nil {
			p = *r.Priority
		}
		r.Priority = nil
		return fmt.Sprintf("%+v %d", r, p)
	}
	n := 0
	for r, err := range s.Rows(Query{}) {
		if w, ok := want[r.ID]; err != nil || !ok || show(r) != show(w) {
			t.Fatalf("row %s, %v, want %s", show(r), err, show(want[r.ID]))
		}
		n++
	}
	if n != len(want) || s.Review() != review {
		t.Fatalf("%d rows for %s, want %d for %s", n, s.Review(), len(want), review)
	}
	got, err := s.Counts()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range got {
		n := c.N
		c.N = 0
		if counts[c] != n {
			t.Fatalf("%d of %+v, want %d", n, c, counts[c])
		}
		delete(counts, c)
	}
	if len(counts) > 0 {
		t.Fatalf("not counted: %v", counts)
	}
}

func search(t *rapid.T, s *Snap) string {
	var b strings.Builder
	for _, q := range []string{"cache", "measured", "etude", `"another with"`, "fast", "dwarf*", "cold cache"} {
		hits, err := s.Search(q, Query{})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hits {
			fmt.Fprintf(&b, "%s: %s %.9f %s\n", q, h.ID, h.Score, snippetAt(s, h, q).Text)
		}
	}
	return b.String()
}

// Updates start from what the index holds, and an error among the changes
// leaves it as it was.
func TestUpdateIsAllOrNothing(t *testing.T) {
	db := open(t)
	a, b := rec("task-000000000a", records.Todo, "A"), rec("task-000000000b", records.Todo, "B")
	if err := db.Update(background, "", Head{Commit: "c1"}, records.ReviewAny, changes(t, a)); err != nil {
		t.Fatal(err)
	}
	before := dump(t, db, everything...)
	broken := errors.New("object missing")
	fails := func(yield func(Change, error) bool) {
		if yield(change(t, b), nil) {
			yield(Change{}, broken)
		}
	}
	for name, from := range map[string]string{"wrong commit": "c0", "nothing": "", "later": "c2"} {
		if err := db.Update(background, from, Head{Commit: "c2"}, records.ReviewAny, changes(t, b)); !errors.Is(err, ErrMoved) {
			t.Errorf("%s: %v, want ErrMoved", name, err)
		}
	}
	if err := db.Update(background, "c1", Head{Commit: "c2"}, records.ReviewAny, fails); !errors.Is(err, broken) {
		t.Errorf("failing changes: %v", err)
	}
	ctx, cancel := context.WithCancel(background)
	cancel()
	if err := db.Update(ctx, "c1", Head{Commit: "c2"}, records.ReviewAny, changes(t, b)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if got := dump(t, db, everything...); got != before {
		t.Errorf("a failed update changed the index:\n%s\nwas:\n%s", got, before)
	}
	if err := db.Reset(); err != nil {
		t.Fatal(err)
	}
	if err := db.Update(background, "", Head{Commit: "c2"}, records.ReviewAny, fails); !errors.Is(err, broken) {
		t.Errorf("failing build: %v", err)
	}
	s := begin(t, db)
	if s.Commit() != "" || s.Len() != 0 {
		t.Errorf("after a reset and a failed build it holds '%s' with %d records", s.Commit(), s.Len())
	}
	end(t, s)
	if err := db.Update(background, "", Head{Commit: "c2"}, records.ReviewAny, changes(t, a, b)); err != nil {
		t.Fatal(err)
	}
	s = begin(t, db)
	defer end(t, s)
	if s.Commit() != "c2" || s.Len() != 2 {
		t.Errorf("it holds '%s' with %d records", s.Commit(), s.Len())
	}
}

// A Snap keeps its answers while updates and rebuilds go on.
func TestSnapIsUnmoved(t *testing.T) {
	db := open(t)
	a := rec("task-000000000a", records.Todo, "A")
	if err := db.Update(background, "", Head{Commit: "c1"}, records.ReviewAny, changes(t, a)); err != nil {
		t.Fatal(err)
	}
	old := begin(t, db)
	if err := db.Update(background, "c1", Head{Commit: "c2"}, records.ReviewAny, changes(t, rec("task-000000000a", records.Done, "B"))); err != nil {
		t.Fatal(err)
	}
	if err := db.Reset(); err != nil {
		t.Fatal(err)
	}
	if err := db.Update(background, "", Head{Commit: "c3"}, records.ReviewAny, changes(t)); err != nil {
		t.Fatal(err)
	}
	now := begin(t, db)
	if r, ok := old.Record("task-000000000a"); !ok || r.Title != "A" || old.Commit() != "c1" {
		t.Errorf("the old view shows %v at %s", r, old.Commit())
	}
	if _, ok := now.Record("task-000000000a"); ok || now.Commit() != "c3" {
		t.Errorf("the new view shows a record at %s", now.Commit())
	}
	end(t, old)
	end(t, now)
	if _, ok := old.Record("task-000000000a"); ok || old.Err() == nil {
		t.Error("a closed view answers")
	}
	if len(must(filepath.Glob(filepath.Join(db.dir, "*"+dbSuffix)))) != 1 {
		t.Error("old databases are left")
	}
}
