package index

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/records"
)

// corpus makes n records as a project has them: linked, judged, with text.
func corpus(n int) []Change {
	rng := rand.New(rand.NewPCG(1, 2))
	vocabulary := make([]string, 5000)
	for i := range vocabulary {
		w := make([]byte, 3+rng.IntN(7))
		for j := range w {
			w[j] = 'a' + byte(rng.IntN(26))
		}
		vocabulary[i] = string(w)
	}
	words := func(n int) string {
		s := ""
		for i := range n {
			if i > 0 {
				s += " "
			}
			// A few words make up most of a text.
			s += vocabulary[int(float64(len(vocabulary))*rng.Float64()*rng.Float64()*rng.Float64())]
		}
		return s
	}
	kinds := []records.Kind{
		records.Task, records.Task, records.Task, records.Hypothesis, records.Hypothesis, records.Evidence, records.Evidence,
		records.Decision, records.Conclusion, records.Goal,
	}
	ids := make([]records.ID, n)
	byKind := make(map[records.Kind][]records.ID)
	for i := range ids {
		k := kinds[i%len(kinds)]
		ids[i] = records.ImportID(k, "bench", fmt.Sprint(i))
		byKind[k] = append(byKind[k], ids[i])
	}
	pick := func(k records.Kind) []records.ID {
		if len(byKind[k]) == 0 {
			return nil
		}
		return []records.ID{byKind[k][rng.IntN(len(byKind[k]))]}
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	out := make([]Change, n)
	for i, id := range ids {
		at = at.Add(time.Minute)
		k := id.Kind()
		states := k.Schema().States
		r := &records.Record{
			ID: id, Kind: k, Title: words(7), Body: words(60) + "\n", Tags: slices.Compact([]string{"area-" + vocabulary[rng.IntN(40)]}),
			Verdict: &records.Verdict{
				State: states[rng.IntN(len(states))], By: "Ada Example", Actor: records.Human, At: at.Add(time.Hour), N: "8f3k2m", Reason: words(9),
			},
			Created: records.Created{By: "Ada Example", Actor: "agent/x", At: at},
			Links:   map[records.Relation][]records.ID{},
		}
		switch k {
		case records.Task:
			r.Links[records.Serves] = pick(records.Goal)
			if i%4 == 0 {
				r.Links[records.PartOf] = pick(records.Task)
			}
		case records.Hypothesis:
			r.Links[records.About] = pick(records.Task)
			r.Verdict.Cites = pick(records.Evidence)
			r.Verdict.Actor = "agent/x"
		case records.Evidence:
			r.Type, r.Source = "benchmark", "https://example.com/"+words(1)
			r.Links[records.Supports] = pick(records.Hypothesis)
		case records.Decision:
			r.Question = words(8)
			r.Links[records.RestsOn] = pick(records.Evidence)
		case records.Conclusion:
			r.Links[records.Closes] = pick(records.Task)
		}
		for rel, ids := range r.Links {
			if ids == nil {
				delete(r.Links, rel)
			}
		}
		if r.CoversContent() {
			r.Verdict.Of = r.Digest()
		}
		data, err := records.Format(r)
		if err != nil {
			panic(err)
		}
		out[i] = Change{Path: records.IDPath(id), OID: fmt.Sprintf("%040x", i), Data: data}
	}
	slices.SortFunc(out, func(a, b Change) int {
		if a.Path < b.Path {
			return -1
		}
		return 1
	})
	return out
}

func sequence(cs []Change) func(func(Change, error) bool) {
	return func(yield func(Change, error) bool) {
		for _, c := range cs {
			if !yield(c, nil) {
				return
			}
		}
	}
}

func benchSizes(b *testing.B, fn func(b *testing.B, cs []Change)) {
	for _, n := range []int{10_000, 100_000} {
		if n > 10_000 && testing.Short() {
			continue
		}
		cs := corpus(n)
		b.Run(fmt.Sprintf("records=%d", n), func(b *testing.B) { fn(b, cs) })
	}
}

// built returns an open index of cs.
func built(tb testing.TB, cs []Change) *DB {
	db, err := Open(filepath.Join(tb.TempDir(), "main"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	if err := db.Update(context.Background(), "", Head{Commit: "c0"}, records.ReviewHuman, sequence(cs)); err != nil {
		tb.Fatal(err)
	}
	return db
}

func BenchmarkBuild(b *testing.B) {
	benchSizes(b, func(b *testing.B, cs []Change) {
		size := 0
		b.ReportAllocs()
		for b.Loop() {
			db := built(b, cs)
			b.StopTimer()
			for _, e := range must(os.ReadDir(db.dir)) {
				if filepath.Ext(e.Name()) == dbSuffix {
					size = int(must(e.Info()).Size())
				}
			}
			_ = db.Close()
			b.StartTimer()
		}
		b.ReportMetric(float64(size)/(1<<20), "MiB")
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// BenchmarkParse is what a build spends on reading the files, on one processor.
func BenchmarkParse(b *testing.B) {
	cs := corpus(10_000)
	for b.Loop() {
		for _, c := range cs {
			must(records.Parse(c.Path, c.Data))
		}
	}
}

func BenchmarkOpenPointRead(b *testing.B) {
	benchSizes(b, func(b *testing.B, cs []Change) {
		dir := built(b, cs).dir
		id := must(records.PathID(cs[len(cs)/2].Path))
		for b.Loop() {
			db := must(Open(dir))
			s := must(db.Begin(context.Background()))
			if _, ok := s.Record(id); !ok {
				b.Fatal(s.Err())
			}
			_ = s.Close()
			_ = db.Close()
		}
	})
}

func BenchmarkUpdateOne(b *testing.B) {
	benchSizes(b, func(b *testing.B, cs []Change) {
		db := built(b, cs)
		b.Run("warm", func(b *testing.B) { updateOne(b, cs, func() *DB { return db }, func(*DB) {}) })
		_ = db.Close()
		b.Run("opened", func(b *testing.B) {
			updateOne(b, cs, func() *DB { return must(Open(db.dir)) }, func(db *DB) { _ = db.Close() })
		})
	})
}

func updateOne(b *testing.B, cs []Change, open func() *DB, done func(*DB)) {
	s := must(open().Begin(context.Background()))
	from := s.Commit()
	_ = s.Close()
	i := 0
	for b.Loop() {
		c := cs[(i*7919)%len(cs)]
		r := must(records.Parse(c.Path, c.Data))
		r.Body += fmt.Sprintf("more %d\n", i)
		c.Data = must(records.Format(r))
		to := fmt.Sprintf("%s.%d", from[:2], i)
		db := open()
		if err := db.Update(context.Background(), from, Head{Commit: to}, records.ReviewHuman, sequence([]Change{c})); err != nil {
			b.Fatal(err)
		}
		done(db)
		from = to
		i++
	}
}

func BenchmarkReads(b *testing.B) {
	benchSizes(b, func(b *testing.B, cs []Change) {
		db := built(b, cs)
		s := must(db.Begin(context.Background()))
		defer s.Close()
		rows := func(q Query) func(b *testing.B) {
			return func(b *testing.B) {
				for b.Loop() {
					n := 0
					for _, err := range s.Rows(q) {
						if err != nil {
							b.Fatal(err)
						}
						n++
					}
					if n != q.Limit && q.Limit > 0 {
						b.Fatal(n)
					}
				}
			}
		}
		b.Run("record", func(b *testing.B) {
			i := 0
			for b.Loop() {
				id := must(records.PathID(cs[(i*7919)%len(cs)].Path))
				s.cache = cache{}
				if _, ok := s.Record(id); !ok {
					b.Fatal(s.Err())
				}
				i++
			}
		})
		b.Run("rows50-newest", rows(Query{Limit: 50, Order: Newest}))
		b.Run("rows50-open-tasks", rows(Query{Limit: 50, Kinds: []records.Kind{records.Task}, Classes: []records.Class{records.Asserted}, Order: ByPriority}))
		b.Run("rows50-id", rows(Query{Limit: 50}))
		b.Run("rows-all", rows(Query{}))
		b.Run("counts", func(b *testing.B) {
			for b.Loop() {
				must(s.Counts())
			}
		})
		title := must(records.Parse(cs[3].Path, cs[3].Data)).Title
		b.Run("search-title", func(b *testing.B) {
			for b.Loop() {
				if len(must(s.Search(title, Query{Limit: 20}))) == 0 {
					b.Fatal("nothing found")
				}
			}
		})
		b.Run("search-one-word", func(b *testing.B) {
			for b.Loop() {
				must(s.Search(title[:max(3, len(title)/7)], Query{Limit: 20}))
			}
		})
	})
}
