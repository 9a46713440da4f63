package graph

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-ctx/git-ctx/records"
)

// rec makes a record with links, cites and a successor, written as
// "rests-on hyp-a, cites ev-b, superseded-by dec-c" with ids cut short.
func rec(id, edges string) *records.Record {
	full := func(s string) records.ID {
		prefix, rest, _ := strings.Cut(s, "-")
		return records.ID(prefix + "-" + strings.Repeat("0", 10-len(rest)) + rest)
	}
	r := &records.Record{ID: full(id), Kind: full(id).Kind(), Title: id, Verdict: &records.Verdict{}, Links: map[records.Relation][]records.ID{}}
	for e := range strings.SplitSeq(edges, ", ") {
		rel, to, ok := strings.Cut(e, " ")
		switch {
		case !ok:
		case rel == "cites":
			r.Verdict.Cites = append(r.Verdict.Cites, full(to))
		case rel == "superseded-by":
			r.Verdict.SupersededBy = full(to)
		default:
			r.Links[records.Relation(rel)] = append(r.Links[records.Relation(rel)], full(to))
		}
	}
	return r
}

func cut(id records.ID) string {
	prefix, rest, _ := strings.Cut(string(id), "-")
	return prefix + "-" + strings.TrimLeft(rest, "0")
}

// drawn writes a graph's trees, one line a visit.
func drawn(g *Graph) string {
	var b strings.Builder
	for _, v := range g.Tree() {
		b.WriteString(strings.Repeat("  ", v.Depth))
		if e := v.Edge; e != nil {
			arrow := "<-"
			if e.To == v.ID {
				arrow = "->"
			}
			fmt.Fprintf(&b, "%s %s ", e.Relation, arrow)
		}
		b.WriteString(cut(v.ID))
		if v.Again {
			b.WriteString(" ^")
		}
		b.WriteByte('\n')
	}
	if g.More {
		b.WriteString("more\n")
	}
	return b.String()
}

var story = records.NewSet([]*records.Record{
	rec("goal-a", ""), rec("task-b", "serves goal-a"), rec("task-c", "serves goal-a, depends-on task-b"),
	rec("hyp-d", "about task-b, superseded-by hyp-m"), rec("hyp-m", "about task-b, derived-from hyp-d"), rec("ev-e", "supports hyp-m"),
	rec("ev-f", "refutes hyp-d"), rec("dec-g", "rests-on hyp-m, cites ev-e"), rec("con-h", "closes task-b, rests-on dec-g, relates-to dec-k"), rec("dec-k", ""),
}, nil)

func id(short string) records.ID { return rec(short, "").ID }

func TestAround(t *testing.T) {
	for _, c := range []struct {
		roots     string
		bounds    Bounds
		relations []records.Relation
		want      string
	}{
		{"goal-a", Bounds{Steps: 1}, nil, "goal-a\n  serves <- task-b\n    depends-on <- task-c ^\n  serves <- task-c\nmore\n"},
		{"dec-k", Bounds{Steps: 1}, nil, "dec-k\n  relates-to <- con-h\nmore\n"},
		{"dec-k", Bounds{}, []records.Relation{records.RelatesTo}, "dec-k\n  relates-to <- con-h\n"},
		{"dec-k dec-g", Bounds{Nodes: 2}, nil, "dec-k\ndec-g\nmore\n"},
		{"hyp-d", Bounds{}, []records.Relation{records.SupersededBy, records.DerivedFrom, records.Refutes},
			"hyp-d\n  refutes <- ev-f\n  superseded-by -> hyp-m\n  derived-from <- hyp-m ^\n"},
		{"dec-zz dec-k dec-k", Bounds{}, []records.Relation{records.Cites}, "dec-k\n"},
	} {
		var roots []records.ID
		for _, s := range strings.Fields(c.roots) {
			roots = append(roots, id(s))
		}
		got := drawn(Around(story, roots, c.bounds, c.relations...))
		if got != c.want {
			t.Errorf("around %s %v:\n%swant\n%s", c.roots, c.bounds, got, c.want)
		}
	}
}

func TestAmong(t *testing.T) {
	got := drawn(Among(story, []records.ID{id("goal-a"), id("task-c"), id("dec-k"), id("dec-zz")}))
	if want := "goal-a\n  serves <- task-c\ndec-k\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestLineage(t *testing.T) {
	l := LineageOf(story, id("hyp-m"), Bounds{})
	from, rests := "hyp-m\n  supports <- ev-e\n  superseded-by <- hyp-d\n    refutes <- ev-f\n  derived-from -> hyp-d ^\n",
		"hyp-m\n  rests-on <- dec-g\n    rests-on <- con-h\n"
	sorted := func(s string) []string { ls := strings.Split(s, "\n"); slices.Sort(ls); return ls }
	if got := drawn(l.From); !slices.Equal(sorted(got), sorted(from)) {
		t.Errorf("from:\n%swant\n%s", got, from)
	}
	if got := drawn(l.Rests); got != rests {
		t.Errorf("rests on it:\n%swant\n%s", got, rests)
	}
	if got := drawn(LineageOf(story, id("ev-f"), Bounds{Steps: 1}).Rests); got != "ev-f\n  refutes -> hyp-d\nmore\n" {
		t.Errorf("one step on:\n%s", got)
	}
}

// Whatever the links, circles and self links included, a tree holds each record
// and each edge of its graph once, and the graph keeps its bounds.
func TestGraphHoldsEachOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "records")
		var rs []*records.Record
		for i := range n {
			var edges []string
			for range rapid.IntRange(0, 4).Draw(t, "edges") {
				rel := rapid.SampledFrom([]string{"competes-with", "derived-from", "relates-to", "cites", "superseded-by"}).Draw(t, "relation")
				edges = append(edges, fmt.Sprintf("%s hyp-%d", rel, rapid.IntRange(1, n+1).Draw(t, "to")))
			}
			rs = append(rs, rec(fmt.Sprintf("hyp-%d", i+1), strings.Join(edges, ", ")))
		}
		v := records.NewSet(rs, nil)
		b := Bounds{Steps: rapid.IntRange(0, 3).Draw(t, "steps"), Nodes: rapid.IntRange(0, 5).Draw(t, "nodes")}
		roots := []records.ID{rs[0].ID, rs[n-1].ID}
		g := Around(v, roots, b)
		l := LineageOf(v, roots[0], b)
		for _, g := range []*Graph{g, l.From, l.Rests} {
			if b.Nodes > 0 && len(g.Nodes) > b.Nodes {
				t.Fatalf("%d nodes of %d", len(g.Nodes), b.Nodes)
			}
			var nodes []records.ID
			var edges []Edge
			for _, visit := range g.Tree() {
				if !visit.Again {
					nodes = append(nodes, visit.ID)
				}
				if visit.Edge != nil {
					edges = append(edges, *visit.Edge)
				}
			}
			slices.SortFunc(edges, compareEdges)
			sorted := slices.Clone(g.Nodes)
			slices.Sort(sorted)
			slices.Sort(nodes)
			if !slices.Equal(nodes, sorted) || !slices.Equal(edges, g.Edges) {
				t.Fatalf("the tree has %v, %v, the graph %v, %v", nodes, edges, sorted, g.Edges)
			}
		}
		if !reflect.DeepEqual(g, Around(v, roots, b)) {
			t.Fatal("a second walk differs")
		}
	})
}
