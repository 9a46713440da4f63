package merge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/merge"
)

// A commit is one version of the record and all that it follows, itself among it.
type commit struct {
	id     int
	past   map[int]bool
	record *records.Record
}

// A history is a graph of commits and the tips of some replicas.
type history struct {
	t       *rapid.T
	commits []*commit
	tips    []*commit
	// writes are the commits that wrote a verdict, added a tag, removed a tag.
	verdicts, added, removed map[string]int
	// yielded are the verdicts that a merge reported under [merge.RuleOpenState].
	yielded   map[string]bool
	recursive bool
}

func newHistory(t *rapid.T, recursive bool, root *records.Record, replicas int) *history {
	h := &history{
		t: t, verdicts: map[string]int{}, added: map[string]int{}, removed: map[string]int{},
		yielded: map[string]bool{}, recursive: recursive,
	}
	first := h.commit(root)
	for range replicas {
		h.tips = append(h.tips, first)
	}
	return h
}

func (h *history) commit(r *records.Record, parents ...*commit) *commit {
	c := &commit{id: len(h.commits), past: map[int]bool{len(h.commits): true}, record: r}
	for _, p := range parents {
		for id := range p.past {
			c.past[id] = true
		}
	}
	h.commits = append(h.commits, c)
	return c
}

// bases returns the best common ancestors, as git merge-base --all.
func (h *history) bases(a, b *commit) []*commit {
	var out []*commit
	for _, c := range h.commits {
		if !a.past[c.id] || !b.past[c.id] {
			continue
		}
		best := !slices.ContainsFunc(h.commits, func(d *commit) bool {
			return d != c && a.past[d.id] && b.past[d.id] && d.past[c.id]
		})
		if best {
			out = append(out, c)
		}
	}
	return out
}

func (h *history) merge(a, b *commit) *records.Record {
	var bases []*records.Record
	for _, c := range h.bases(a, b) {
		bases = append(bases, c.record)
	}
	if h.recursive && len(bases) > 1 {
		bases = one(h.virtualBase(h.bases(a, b)))
	}
	r, rep := mergeOf(h.t, bases, a.record, b.record)
	for _, d := range rep.Dropped {
		if d.Rule != merge.RuleOpenState || strings.Contains(d.Value, "state: supported") || strings.Contains(d.Value, "state: refuted") {
			h.t.Fatalf("a judgement was dropped: %+v", d)
		}
		h.yielded[nonceIn(d.Value)] = true
	}
	return r
}

// nonceIn returns the nonce of a verdict's text.
func nonceIn(verdict string) string {
	_, n, _ := strings.Cut(verdict, "\nn: ")
	n, _, _ = strings.Cut(n, "\n")
	return strings.Trim(n, "\"")
}

// virtualBase merges the bases over their own bases, as git does.
func (h *history) virtualBase(bases []*commit) *records.Record {
	v := &commit{id: -1, past: bases[0].past, record: bases[0].record}
	for _, b := range bases[1:] {
		past := map[int]bool{}
		for _, p := range []map[int]bool{v.past, b.past} {
			for id := range p {
				past[id] = true
			}
		}
		v = &commit{id: -1, past: past, record: h.merge(v, b)}
	}
	return v.record
}

// sync brings replica i up to date with j.
func (h *history) sync(i, j int) { h.syncWith(i, h.tips[j]) }

func (h *history) syncWith(i int, b *commit) {
	a := h.tips[i]
	switch {
	case a.past[b.id]:
	case b.past[a.id]:
		h.tips[i] = b
	default:
		h.tips[i] = h.commit(h.merge(a, b), a, b)
	}
}

// write makes one random edit on replica i.
func (h *history) write(i int) {
	tip := h.tips[i]
	r, id := tip.record.Clone(), len(h.commits)
	switch rapid.SampledFrom([]string{"verdict", "add", "remove", "reaffirm"}).Draw(h.t, "edit") {
	case "verdict", "reaffirm":
		states := []records.State{"supported", "refuted"}
		// What gives way in a merge of the bases may stand in both sides, and so stand again.
		if !h.recursive && r.Verdict != nil && r.Open() {
			states = append(states, "under-evaluation", "under-evaluation", "under-evaluation")
		}
		v := bundle(rapid.SampledFrom(states).Draw(h.t, "state"), digestA, fmt.Sprintf("%06d", id))
		if i := slices.IndexFunc(r.Conflicts, func(c records.Conflict) bool { return c.Field == "verdict" }); i >= 0 {
			r.Conflicts = slices.Delete(r.Conflicts, i, i+1)
		}
		r.Verdict, r.Also = &v, nil
		h.verdicts[v.N] = id
	case "add":
		tag := fmt.Sprintf("tag%d", id)
		r.Tags = append(r.Tags, tag)
		h.added[tag] = id
	case "remove":
		if len(r.Tags) == 0 {
			return
		}
		n := rapid.IntRange(0, len(r.Tags)-1).Draw(h.t, "tag")
		h.removed[r.Tags[n]] = id
		r.Tags = slices.Delete(r.Tags, n, n+1)
	}
	h.tips[i] = h.commit(r, tip)
}

// TestReplicas lets replicas write and sync in any order, criss-cross merges
// among it. In the end all hold the same bytes, in which stands exactly what no
// later write replaced: nothing lost, and nothing stale.
func TestReplicas(t *testing.T) {
	for _, recursive := range []bool{false, true} {
		t.Run(fmt.Sprintf("recursive=%v", recursive), func(t *testing.T) {
			crossed := 0
			rapid.Check(t, func(t *rapid.T) {
				n := rapid.IntRange(2, 4).Draw(t, "replicas")
				h := newHistory(t, recursive, record(records.Hypothesis), n)
				crossed += h.run(h.write)
				h.settle()
				h.check(h.tips[n-1].record)
			})
			if crossed == 0 {
				t.Error("no criss-cross merge was generated")
			}
		})
	}
}

// run lets replicas write and sync at random, and returns how often two of them
// had several merge bases.
func (h *history) run(write func(replica int)) (crossed int) {
	n := len(h.tips)
	for range rapid.IntRange(4, 24).Draw(h.t, "steps") {
		i := rapid.IntRange(0, n-1).Draw(h.t, "replica")
		j := (i + rapid.IntRange(1, n-1).Draw(h.t, "other")) % n
		if len(h.bases(h.tips[i], h.tips[j])) > 1 {
			crossed++
		}
		switch rapid.SampledFrom([]string{"write", "write", "sync", "cross"}).Draw(h.t, "step") {
		case "write":
			write(i)
		case "sync":
			h.sync(i, j)
		case "cross": // each merges the other before either has published
			old := h.tips[i]
			h.sync(i, j)
			h.syncWith(j, old)
		}
	}
	return crossed
}

// settle brings the last replica everything: in pairs, both ways, with nothing
// in between, as the merges that two replicas make of the same tips must be the same.
func (h *history) settle() {
	last := len(h.tips) - 1
	for i := range last {
		h.sync(i+1, i)
	}
	for i := range last {
		mustEqual(h.t, h.merge(h.tips[i], h.tips[last]), h.tips[last].record, "the last replica has everything")
	}
}

// TestReplicasOneCloses lets every replica start a task that it sees open, any
// number of them at one time, and one of them close it. Nobody disagrees, so no
// merge on the way may conflict, and once it is closed it stays closed.
func TestReplicasOneCloses(t *testing.T) {
	for _, recursive := range []bool{false, true} {
		t.Run(fmt.Sprintf("recursive=%v", recursive), func(t *testing.T) {
			crossed, joined := 0, 0
			rapid.Check(t, func(t *rapid.T) {
				h := newHistory(t, recursive, record(records.Task), rapid.IntRange(2, 4).Draw(t, "replicas"))
				closed := false
				crossed += h.run(func(i int) {
					r, nonce := h.tips[i].record.Clone(), fmt.Sprintf("%06d", len(h.commits))
					switch what := rapid.SampledFrom([]string{"start", "start", "tag", "close"}).Draw(t, "edit"); {
					case what == "start" && r.State() == records.Todo:
						r = judged(r, bundle(records.InProgress, "", nonce))
					case what == "close" && !closed:
						closed = true
						r = judged(r, bundle(records.Done, "", nonce))
					default:
						r.Tags = append(r.Tags, "tag"+nonce)
					}
					h.tips[i] = h.commit(r, h.tips[i])
				})
				h.settle()
				for _, c := range h.commits {
					if c.record.Disputed() {
						t.Fatalf("nobody disagrees:\n%s", bytesOf(t, c.record))
					}
					if len(c.record.Also) > 0 {
						joined++
					}
				}
				if last := h.tips[len(h.tips)-1].record; closed && (last.State() != records.Done || last.Also != nil) {
					t.Fatalf("the task was closed:\n%s", bytesOf(t, last))
				}
			})
			if crossed == 0 || joined == 0 {
				t.Errorf("%d criss-cross merges, %d agreements", crossed, joined)
			}
		})
	}
}

// check compares what stands in r with what no later write replaced. Only what
// a merge reported may be missing of it.
func (h *history) check(r *records.Record) {
	var got []string
	if r.Verdict != nil {
		got = append(got, r.Verdict.N)
	}
	for _, v := range r.Also {
		got = append(got, v.N)
	}
	for _, c := range r.Conflicts {
		for _, s := range nodesText(c) {
			got = append(got, nonceIn(s))
		}
	}
	var want []string
	for nonce, id := range h.verdicts {
		replaced := false
		for _, later := range h.verdicts {
			replaced = replaced || later != id && h.commits[later].past[id]
		}
		if !replaced && (!h.yielded[nonce] || slices.Contains(got, nonce)) {
			want = append(want, nonce)
		}
	}
	if len(h.verdicts) == 0 {
		want = []string{"aaaaaa"}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		h.t.Fatalf("verdicts %v stand, want %v:\n%s", got, want, bytesOf(h.t, r))
	}
	for tag := range h.added {
		_, removed := h.removed[tag]
		if slices.Contains(r.Tags, tag) == removed {
			h.t.Fatalf("%s: removed %v, there %v", tag, removed, !removed)
		}
	}
}

// TestCrissCrossBringsNoStaleValueBack merges over each base alone as control.
func TestCrissCrossBringsNoStaleValueBack(t *testing.T) {
	tags := func(ts ...string) *records.Record {
		return with(record(records.Hypothesis), func(r *records.Record) { r.Tags = ts })
	}
	left, right := tags("old", "new"), tags("old") // left added new; right is the older state
	ours, theirs := tags("old"), tags("old", "new", "x")
	r, _ := mergeOf(t, []*records.Record{left, right}, ours, theirs)
	if slices.Contains(r.Tags, "new") {
		t.Errorf("tags %v: a removed one is back", r.Tags)
	}
	r, _, err := merge.Records(one(right), ours, theirs)
	if err != nil || !slices.Contains(r.Tags, "new") {
		t.Errorf("control: tags %v, %v", r.Tags, err)
	}
}

// A verdict of one base that a side has replaced stays replaced, also where the
// bases disagree with each other.
func TestCrissCrossBringsNoStaleVerdictBack(t *testing.T) {
	b := record(records.Hypothesis)
	old, rival := bundle("supported", digestA, "111111"), bundle("refuted", digestA, "222222")
	mine, yours := bundle("supported", digestA, "333333"), bundle("supported", digestA, "444444")
	r, rep := mergeOf(t, []*records.Record{judged(b, old), judged(b, rival)}, judged(b, old, mine), judged(b, yours))
	noConflict(t, r, rep)
	mustEqual(t, r, judged(b, mine, yours), "what both added")
	r, _ = mergeOf(t, []*records.Record{judged(b, old), judged(b, mine)}, judged(b, old), judged(b, mine, yours))
	mustEqual(t, r, judged(b, yours), "ours is an old value, and replaced mine")
	r, _ = mergeOf(t, nil, judged(b, old, mine), judged(b, yours))
	if len(r.Also) != 2 { // control
		t.Errorf("without a base all three stand:\n%s", bytesOf(t, r))
	}
}
