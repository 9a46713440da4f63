package packet

import (
	"bytes"
	"encoding/json"
	"iter"
	"math/rand"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/standing"
)

// whole returns the request with all that an index would give for all records.
func whole(req Request, v records.View) Request {
	req.Candidates, req.Totals, req.Suppressed = []records.ID{}, map[string]int{}, map[string]int{}
	for r := range v.All() {
		req.Candidates = append(req.Candidates, r.ID)
		st := standing.Of(v, r.ID, req.Eval)
		if name := SectionName(r, st); name != "" {
			req.Totals[name]++
		}
		if suppressed(r, st) {
			req.Suppressed[string(st.Why)]++
		}
	}
	rand.Shuffle(len(req.Candidates), func(i, j int) {
		req.Candidates[i], req.Candidates[j] = req.Candidates[j], req.Candidates[i]
	})
	return req
}

func TestAllCandidatesGiveTheSameBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rs := genStore(t)
		for i, r := range rs { // verdicts lead to records too
			if i > 0 && rapid.IntRange(0, 3).Draw(t, "cites") == 0 {
				r.Verdict.Cites = []records.ID{rs[rapid.IntRange(0, i-1).Draw(t, "cited")].ID}
			}
		}
		req := genRequest(t, rs)
		req.Budget = rapid.IntRange(300, 2500).Draw(t, "budget")
		p := tryBuild(t, rs, req)
		if p == nil {
			return
		}
		q := tryBuild(t, rs, whole(req, records.NewSet(rs, nil)))
		a, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		if p.Markdown() != q.Markdown() || !bytes.Equal(a, b) {
			t.Fatalf("two texts:\n%s\n%s", p.Markdown(), q.Markdown())
		}
	})
}

// A pointView fails the test when it is asked for more than single records and
// their neighbours.
type pointView struct {
	records.View
	t testing.TB
}

func (v pointView) All() iter.Seq[*records.Record] {
	v.t.Error("the whole view was asked for")
	return v.View.All()
}

func (v pointView) InState(k records.Kind, s records.State) []records.ID {
	v.t.Errorf("all records of kind %s were asked for", k)
	return v.View.InState(k, s)
}

// However many records link to the focus, only candidates are asked for their links.
func (v pointView) Backlinks(id records.ID, rel records.Relation) []records.ID {
	if rel == records.AnyLink {
		v.t.Errorf("all that links to %s was asked for", id)
	}
	return v.View.Backlinks(id, rel)
}

// What candidates are told of their distance is what the view's backlinks tell,
// on the same condition: only from candidates and the focus does it go on.
func TestCandidatesKnowTheirDistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rs := genStore(t)
		set := records.NewSet(rs, nil)
		req := genRequest(t, rs)
		f, err := resolveFocus(set, req)
		if err != nil {
			return
		}
		req.Candidates = []records.ID{}
		for _, r := range rs {
			if rapid.Bool().Draw(t, "candidate") {
				req.Candidates = append(req.Candidates, r.ID)
			}
		}
		in := idSet(req.Candidates)
		want := map[records.ID]int{}
		for _, r := range f.records() {
			want[r.ID] = 0
		}
		for d := 1; d <= maxDistance; d++ {
			for _, r := range rs { // an edge at a time, from either end
				eachLink(r, func(to records.ID) {
					for _, e := range [][2]records.ID{{r.ID, to}, {to, r.ID}} {
						at, near := want[e[0]]
						_, known := want[e[1]]
						if _, stands := set.Record(e[0]); near && at == d-1 && !known && stands && (d == 1 || in[e[0]]) {
							want[e[1]] = d
						}
					}
				})
			}
		}
		p := collect(set, req, f)
		got := p.distances(f, req)
		for _, c := range p.candidates {
			g, gok := got[c.r.ID]
			w, wok := want[c.r.ID]
			if g != w || gok != wok {
				t.Fatalf("%s is %d links away (%v), want %d (%v)", c.r.ID, g, gok, w, wok)
			}
		}
	})
}

func TestCandidatesBringAlongWhatTheyRestOn(t *testing.T) {
	loose := rec("dec-7k2p9xabcd", records.Accepted, "Another cache rule")
	rs := append(story(), loose)
	set := records.NewSet(rs, nil)
	req := request("cache")
	req.Focus.Task = taskID
	if p := buildView(t, req, set); where(t, p, loose.ID) != "decisions" {
		t.Fatalf("control: the loose decision is not shown\n%s", p.Markdown())
	}
	totals := whole(req, set).Totals
	req.Candidates, req.Totals = []records.ID{decID, decID, "dec-0000000000"}, totals
	p := buildView(t, req, pointView{set, t})
	for id, want := range map[records.ID]string{decID: "decisions", hypID: "supported", evID: "evidence", taskID: "focus", goalID: "focus", trgID: "focus", loose.ID: "", conID: ""} {
		if at := where(t, p, id); at != want {
			t.Errorf("%s stands in %q, want %q", id, at, want)
		}
	}
	for name, want := range map[string]int{"decisions": 1, "conclusions": 1, "supported": 0, "evidence": 0, "runbooks": 1, "next": 1, "focus": 0, "in-doubt": 1} {
		if p.Omitted[name] != want {
			t.Errorf("omitted %v of %v, want %d %s", p.Omitted, totals, want, name)
		}
	}
	if want := "- dec-4k2p (rests on hyp-7k3m)"; !bytes.Contains([]byte(p.Markdown()), []byte(want)) {
		t.Errorf("no %q in\n%s", want, p.Markdown())
	}
}

func TestNextAsksForTasksThatAreNoCandidates(t *testing.T) {
	first := rec("task-4m8w3k5r7t", records.Todo, "First")
	rs := []*records.Record{first, rec(subID, records.Todo, "Then", link(records.DependsOn, first.ID))}
	req := request("")
	req.Candidates = []records.ID{subID}
	if p := build(t, req, rs...); where(t, p, subID) != "" {
		t.Errorf("a task that waits is shown\n%s", p.Markdown())
	}
	first.Verdict.State = records.Done
	if p := build(t, req, rs...); where(t, p, subID) != "next" {
		t.Errorf("control: the task is not shown\n%s", p.Markdown())
	}
}
