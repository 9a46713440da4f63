package sync_test

import (
	"flag"
	"fmt"
	mathbig "math/big"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/sync"
	"github.com/git-ctx/git-ctx/records"
)

var (
	soakFor  = flag.Duration("soak", 0, "how long TestReplicaSimulation goes on, each time with more verbs")
	soakSeed = flag.Uint64("soakseed", 1, "its first seed")
)

// TestReplicaSimulation lets 2 to 6 clones of one or two bare hubs write and sync
// in any order. In the end all hold one tree, in which stands exactly what
// no later write replaced, and nothing moves any more. `make soak` runs it longer.
func TestReplicaSimulation(t *testing.T) {
	t.Parallel()
	verbs, start := 12, time.Now()
	if *soakFor > 0 {
		verbs = 60
	}
	var total tally
	for seed := *soakSeed; ; seed++ {
		ok := t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) { total.add(simulate(t, seed, verbs)) })
		if !ok || time.Since(start) >= *soakFor {
			break
		}
	}
	t.Logf("%d runs, %d verbs, %d syncs, %d merge commits (%.2f a verb, %.2f in the worst run), %d disputes settled, %d left",
		total.runs, total.verbs, total.syncs, total.joins, float64(total.joins)/float64(max(total.verbs, 1)), total.worst, total.settled, total.disputed)
}

// A tally counts what happened in simulations.
type tally struct {
	runs, verbs, syncs, joins, settled, disputed int
	worst                                        float64 // merge commits a verb
}

func (y *tally) add(o tally) {
	y.runs, y.verbs, y.syncs, y.joins = y.runs+1, y.verbs+o.verbs, y.syncs+o.syncs, y.joins+o.joins
	y.settled, y.disputed, y.worst = y.settled+o.settled, y.disputed+o.disputed, max(y.worst, o.worst)
}

// A fieldWrite is one value that a verb gave a field: of the verdict its nonce.
type fieldWrite struct {
	commit       gitstore.OID
	id           records.ID
	field, value string
	open         bool // a verdict that may give way to another's
}

// A simulation is a fleet with a second hub, and what was written in it.
type simulation struct {
	*fleet
	rnd     *rand.Rand
	remotes []string
	writes  []fieldWrite
	removed map[string]bool // tags
	tally
}

func simulate(t *testing.T, seed uint64, verbs int) tally {
	rnd := rand.New(rand.NewPCG(seed, 4))
	s := &simulation{fleet: newFleet(t, 2+rnd.IntN(5)), rnd: rnd, remotes: []string{"origin"}, removed: make(map[string]bool)}
	if rnd.IntN(2) == 0 {
		second := filepath.Join(filepath.Dir(s.repo.Main), "second.git")
		s.repo.Git("clone", "--quiet", "--bare", s.hub, second)
		for i, dir := range s.dirs {
			s.git(i, "remote", "add", "second", second)
			s.leds[i] = s.open(dir)
		}
		s.remotes = append(s.remotes, "second")
	}
	for s.verbs < verbs {
		s.verb(rnd.IntN(len(s.leds)))
		if rnd.IntN(2) == 0 {
			s.syncOne(rnd.IntN(len(s.leds)))
		}
	}
	s.settle()
	s.check()
	return s.tally
}

// syncOne syncs a clone with one of the hubs, and reports whether that moved anything.
func (s *simulation) syncOne(i int) bool {
	s.t.Helper()
	s.syncs++
	res, err := sync.Sync(s.t.Context(), s.leds[i], sync.Options{Remote: s.remotes[s.rnd.IntN(len(s.remotes))]})
	if err != nil {
		s.t.Fatalf("sync of clone %d: %v", i, err)
	}
	return len(res.Branches)+len(res.Pushed) > 0
}

// settle syncs every clone with every hub until nothing moves any more.
func (s *simulation) settle() {
	s.t.Helper()
	var trail strings.Builder
	for range 8 {
		moved := false
		for i := range s.leds {
			for _, remote := range s.remotes {
				res, err := sync.Sync(s.t.Context(), s.leds[i], sync.Options{Remote: remote})
				if err != nil {
					s.t.Fatalf("sync of clone %d: %v", i, err)
				}
				moved = moved || len(res.Branches)+len(res.Pushed) > 0
				fmt.Fprintf(&trail, "clone %d with %s: %d branches moved, pushed %v, at %s\n", i, remote, len(res.Branches), res.Pushed, s.git(i, "rev-parse", mainRef))
			}
		}
		if !moved {
			return
		}
	}
	s.t.Errorf("the clones do not settle:\n%s\n%s", trail.String(), s.git(0, "log", "--graph", "-30", "--format=%h %s", mainRef))
}

// verb makes one random write in clone i, where that is legal.
func (s *simulation) verb(i int) {
	s.t.Helper()
	ids := idsOf(view(s.t, s.leds[i]))
	n := len(s.writes)
	if len(ids) == 0 || s.rnd.IntN(5) == 0 {
		s.write(i, "add", func(tx *ledger.Tx) (*records.Record, error) {
			r, _, err := tx.Do(grammar.Op{Verb: "add", Kind: "hypothesis", Title: fmt.Sprintf("title %d", n)})
			return r, err
		})
		return
	}
	id := string(ids[s.rnd.IntN(min(len(ids), 4))]) // few, so that writers meet
	r, _ := view(s.t, s.leds[i]).Record(records.ID(id))
	op := grammar.Op{ID: id, Reason: "measured"}
	what := []string{"support", "refute", "evaluate", "title", "tag", "untag"}[s.rnd.IntN(6)]
	switch {
	case r.Disputed() && s.rnd.IntN(3) > 0:
		s.resolve(i, r, n)
		return
	case what == "title":
		op.Verb, op.Title = "edit", fmt.Sprintf("title %d", n)
	case what == "tag":
		op.Verb, op.Tags = "edit", []string{fmt.Sprintf("tag%d", n)}
	case what == "untag" && len(r.Tags) > 0:
		op.Verb, op.Untag = "edit", []string{r.Tags[s.rnd.IntN(len(r.Tags))]}
	case what == "untag":
		return
	default:
		op.Verb = what
	}
	s.write(i, what, func(tx *ledger.Tx) (*records.Record, error) {
		r, _, err := tx.Do(op)
		return r, err
	})
	if what == "untag" {
		s.removed[op.Untag[0]] = true
	}
}

// resolve settles one field of a disputed record, the verdict last.
func (s *simulation) resolve(i int, r *records.Record, n int) {
	s.t.Helper()
	st := ledger.Settlement{Field: "verdict", Pick: 1}
	if slices.ContainsFunc(r.Conflicts, func(c records.Conflict) bool { return c.Field == "title" }) {
		st = ledger.Settlement{Field: "title", Value: records.NewText(fmt.Sprintf("title %d", n))}
	}
	what := map[string]string{"verdict": "support", "title": "title"}[st.Field]
	if s.write(i, what, func(tx *ledger.Tx) (*records.Record, error) {
		return tx.Resolve(string(r.ID), []ledger.Settlement{st}, "decided")
	}) {
		s.settled++
	}
}

// write runs one verb and notes what it gave; false when it was not legal.
func (s *simulation) write(i int, what string, fn func(*ledger.Tx) (*records.Record, error)) bool {
	s.t.Helper()
	var r *records.Record
	res, err := s.leds[i].Edit(s.t.Context(), func(tx *ledger.Tx) (err error) {
		r, err = fn(tx)
		return err
	})
	if err != nil {
		return false
	}
	defer res.Close()
	if res.Commit == "" {
		return false
	}
	s.verbs++
	w := fieldWrite{commit: res.Commit, id: r.ID}
	note := func(field, value string, open bool) {
		w.field, w.value, w.open = field, value, open
		s.writes = append(s.writes, w)
	}
	switch what {
	case "add":
		note("title", r.Title, false)
		note("verdict", r.Verdict.N, true)
	case "title":
		note("title", r.Title, false)
	case "tag":
		note("tag", fmt.Sprintf("tag%d", len(s.writes)), false)
	case "support", "refute", "evaluate":
		note("verdict", r.Verdict.N, r.Open())
	}
	return true
}

// check compares what stands in the end with what no later write replaced.
func (s *simulation) check() {
	s.t.Helper()
	tip := s.git(0, "rev-parse", mainRef)
	for i := range s.leds {
		if i > 0 && s.git(i, "rev-parse", mainRef+"^{tree}") != s.git(0, "rev-parse", mainRef+"^{tree}") {
			s.t.Errorf("clone %d and clone 0 hold two trees", i)
		}
		// With several hubs settling merges may differ: they hold nothing.
		if at := s.git(i, "rev-parse", mainRef); at != tip && len(s.remotes) == 1 {
			s.t.Errorf("clone %d stands at %s, clone 0 at %s", i, at, tip)
		}
	}
	past := s.past(tip)
	v := view(s.t, s.leds[0])
	want := make(map[string]bool) // record, field and value, as below
	known := make(map[string]fieldWrite)
	for _, w := range s.writes {
		if past[w.commit] == nil {
			s.t.Errorf("commit %s of %s is lost", w.commit, w.id)
			continue
		}
		key := strings.Join([]string{string(w.id), w.field, w.value}, " ")
		known[key] = w
		replaced := w.field == "tag" && s.removed[w.value]
		for _, later := range s.writes {
			replaced = replaced || w.field != "tag" && later != w && later.id == w.id && later.field == w.field &&
				past[later.commit] != nil && past[later.commit].held(w.commit)
		}
		want[key] = !replaced
	}
	got := make(map[string]bool)
	for _, id := range idsOf(v) {
		r, _ := v.Record(id)
		for _, word := range valuesOf(r) {
			got[string(id)+" "+word] = true
		}
		if r.Disputed() {
			s.disputed++
		}
	}
	for key, w := range known {
		if want[key] && !got[key] && !w.open {
			s.t.Errorf("lost: %s", key)
		}
	}
	for key := range got {
		if !want[key] {
			s.t.Errorf("stale: %s", key)
		}
	}
	s.joins = len(strings.Fields(s.git(0, "rev-list", "--merges", mainRef)))
	if s.worst = float64(s.joins) / float64(s.verbs); s.worst > 1.5 {
		s.t.Errorf("%d merge commits for %d verbs", s.joins, s.verbs)
	}
	for i := range s.dirs {
		s.git(i, "fsck", "--strict")
	}
}

// valuesOf lists what a record holds: its field and value, or those in conflict.
func valuesOf(r *records.Record) []string {
	var out []string
	if r.Title != "" {
		out = append(out, "title "+r.Title)
	}
	if r.Verdict != nil {
		out = append(out, "verdict "+r.Verdict.N)
	}
	for _, v := range r.Also {
		out = append(out, "verdict "+v.N)
	}
	for _, t := range r.Tags {
		out = append(out, "tag "+t)
	}
	for _, c := range r.Conflicts {
		for _, n := range c.Sides {
			value := n.Text
			if nonce := n.TextOf("n"); nonce != "" {
				value = nonce
			}
			out = append(out, c.Field+" "+value)
		}
	}
	return out
}

// An ancestry is the commits that one commit holds.
type ancestry struct {
	numbers map[gitstore.OID]int
	bits    *mathbig.Int
}

func (a *ancestry) held(c gitstore.OID) bool {
	n, ok := a.numbers[c]
	return ok && a.bits.Bit(n) == 1
}

// past reads the history of a commit: what each commit in it holds.
func (s *simulation) past(tip string) map[gitstore.OID]*ancestry {
	s.t.Helper()
	out := make(map[gitstore.OID]*ancestry)
	numbers := make(map[gitstore.OID]int)
	for line := range strings.Lines(s.git(0, "rev-list", "--topo-order", "--reverse", "--parents", tip)) {
		oids := strings.Fields(line)
		a := &ancestry{numbers: numbers, bits: new(mathbig.Int)}
		for _, p := range oids[1:] {
			parent := gitstore.OID(p)
			a.bits.Or(a.bits, out[parent].bits)
			a.bits.SetBit(a.bits, numbers[parent], 1)
		}
		numbers[gitstore.OID(oids[0])] = len(numbers)
		out[gitstore.OID(oids[0])] = a
	}
	return out
}

// Where a remote differs in settling merges alone there is nothing to merge, and
// nothing to push: else replicas that meet over two hubs would merge for ever.
func TestSettlingMergesAreNotMerged(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2)
	f.add(0, "of the one")
	f.sync(0)
	f.sync(1)
	base, tree := f.git(0, "rev-parse", mainRef), f.git(0, "rev-parse", mainRef+"^{tree}")
	left, right := f.git(0, "commit-tree", "-m", "left", "-p", base, tree), f.git(0, "commit-tree", "-m", "right", "-p", base, tree)
	join := func(message string, parents ...string) string {
		return f.git(0, "commit-tree", "-m", message, "-p", parents[0], "-p", parents[1], tree)
	}
	const settle = "merge: settle\n\nCtx-Verb: merge"
	ours, theirs := join(settle, left, right), join(settle, right, left)
	diverge := func(ours, theirs string) {
		f.git(0, "push", "--quiet", "--force", "origin", theirs+":"+mainRef)
		f.git(0, "update-ref", "refs/ctx/remotes/origin/main", theirs)
		f.git(0, "update-ref", mainRef, ours)
	}
	diverge(ours, theirs)
	for range 2 {
		res := f.sync(0)
		if len(res.Branches)+len(res.Pushed) > 0 || f.git(0, "rev-parse", mainRef) != ours {
			t.Fatalf("got %+v", res)
		}
	}
	if res, err := sync.Push(t.Context(), f.leds[0], sync.Options{}); err != nil || len(res.Lacking()) > 0 {
		t.Errorf("push: %+v, %v", res, err)
	}
	// The next write takes both along.
	f.add(0, "and one more")
	if res := f.sync(0); len(res.Lacking()) > 0 || len(res.Branches) != 1 || res.Branches[0].Commit != res.Pushed[0].New {
		t.Errorf("after a write: %+v", res)
	}
	// Control: a merge that somebody made is a commit like any other.
	diverge(ours, join("merged by hand", right, left))
	if res := f.sync(0); len(res.Branches) != 1 || len(res.Pushed) != 1 {
		t.Errorf("control: %+v", res)
	}
}
