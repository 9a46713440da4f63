package merge_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/merge"
)

func TestLawOneSidedChangeIsTaken(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMaker(t)
		b := m.disputed(m.record())
		x := m.disputed(b)
		got, rep := mergeOf(t, one(b), b, x)
		mustEqual(t, got, x, "M(b,b,x) = x")
		if len(rep.Conflicts) > 0 || len(rep.Dropped) > 0 {
			t.Fatalf("a one-sided change was reported: %+v", rep)
		}
		got, _ = mergeOf(t, one(b), x, x)
		mustEqual(t, got, x, "M(b,x,x) = x")
		got, _ = mergeOf(t, nil, x, x)
		mustEqual(t, got, x, "M(,x,x) = x")
	})
}

func TestLawResultIsValidAndCommutative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMaker(t)
		root := m.record()
		var bases []*records.Record
		for range rapid.IntRange(0, 3).Draw(t, "bases") {
			bases = append(bases, m.disputed(root))
		}
		from := root
		if len(bases) > 0 {
			from = bases[0]
		}
		got, _ := mergeOf(t, bases, m.disputed(from), m.disputed(root))
		if !records.Canonical([]byte(bytesOf(t, got))) {
			t.Fatalf("not canonical")
		}
	})
}

func TestLawBundlesAndSetsAssociate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMaker(t)
		b := m.record()
		m.writes = []string{"3", "4", "5"} // what is written later is another bundle
		side := func() *records.Record {
			x := b.Clone()
			for _, f := range []string{"verdict", "tags", "links", "anchors", "paths"} {
				if rapid.Bool().Draw(t, "edit "+f) {
					m.change(x, f)
				}
			}
			return m.canonical(x)
		}
		x, y, z := side(), side(), side()
		if rapid.Bool().Draw(t, "merged before") {
			x, _ = mergeOf(t, one(b), x, side())
		}
		xy, _ := mergeOf(t, one(b), x, y)
		yz, _ := mergeOf(t, one(b), y, z)
		left, _ := mergeOf(t, one(b), xy, z)
		right, _ := mergeOf(t, one(b), x, yz)
		mustEqual(t, left, right, "M(b,M(b,x,y),z) = M(b,x,M(b,y,z))")
	})
}

// marked gives every field of r a value that no other side can have made.
func marked(m *maker, r *records.Record, mark string, fields []string) *records.Record {
	r = r.Clone()
	for _, f := range fields {
		switch f {
		case "title":
			r.Title = "title " + mark
		case "body":
			ls := strings.Split(r.Body, "\n")
			at := rapid.IntRange(0, len(ls)).Draw(m.t, "at")
			r.Body = strings.Join(slices.Insert(ls, at, "body "+mark), "\n")
		case "verdict":
			v := m.verdict(f)
			v.Reason = "reason " + mark
			r.Verdict = &v
		case "tags":
			r.Tags = append(r.Tags, "tag "+mark)
		case "unknown":
			r.Extra = []records.Field{{Name: "x-team", Value: text("team " + mark)}}
		}
	}
	return m.canonical(r)
}

func TestLawNoLossNoInvention(t *testing.T) {
	all := []string{"title", "body", "verdict", "tags", "unknown"}
	rapid.Check(t, func(t *rapid.T) {
		m := newMaker(t)
		b := marked(m, m.record(), "base", all)
		oursEdits, theirsEdits := m.subset("ours", all...), m.subset("theirs", all...)
		ours, theirs := marked(m, b, "ours", oursEdits), marked(m, b, "theirs", theirsEdits)
		bases := one(b)
		if rapid.Bool().Draw(t, "no base") {
			bases = nil
		}
		got, rep := mergeOf(t, bases, ours, theirs)
		out := bytesOf(t, got)
		for _, d := range rep.Dropped {
			out += d.Value
		}
		for _, side := range []struct {
			mark  string
			edits []string
		}{{"ours", oursEdits}, {"theirs", theirsEdits}} {
			for _, f := range side.edits {
				word := map[string]string{"title": "title ", "body": "body ", "verdict": "reason ", "tags": "tag ", "unknown": "team "}[f] + side.mark
				if !strings.Contains(out, word) {
					t.Fatalf("%q is lost:\n%s", word, out)
				}
			}
		}
		noInvention(t, got, b, ours, theirs)
	})
}

// noInvention checks that every part of the result stands in one of the inputs.
func noInvention(t *rapid.T, got *records.Record, from ...*records.Record) {
	known := map[string]bool{}
	for _, r := range from {
		for _, p := range partsOf(r) {
			known[p] = true
		}
	}
	for _, p := range partsOf(got) {
		if !known[p] {
			t.Fatalf("%q was made up", p)
		}
	}
}

// partsOf lists the lines of a record's texts, the members of its lists, and its other values.
func partsOf(r *records.Record) []string {
	var out []string
	for _, f := range r.Fields() {
		switch {
		case f.Name == "conflicts":
		case f.Name == "body" || f.Name == "text":
			for l := range strings.SplitSeq(f.Value.Text, "\n") {
				out = append(out, f.Name+" "+l)
			}
		case f.Name == "links":
			for i := 0; i < len(f.Value.Items); i += 2 {
				for _, id := range f.Value.Items[i+1].Items {
					out = append(out, f.Value.Items[i].Text+" "+id.Text)
				}
			}
		case f.Name == "also" || len(f.Value.Items) > 0 && f.Value.Type == records.ListValue:
			for _, n := range f.Value.Items {
				out = append(out, strings.Replace(f.Name, "also", "verdict", 1)+" "+records.FormatValue(n))
			}
		default:
			out = append(out, f.Name+" "+records.FormatValue(f.Value))
		}
	}
	return out
}

func TestLawResolutionPropagates(t *testing.T) {
	conflicts := 0
	rapid.Check(t, func(t *rapid.T) {
		m := newMaker(t)
		b := m.record()
		c, _ := mergeOf(t, one(b), m.edit(b), m.edit(b))
		if !c.Disputed() {
			return
		}
		conflicts++
		field := c.Conflicts[0].Field
		sides, err := merge.Sides(c, field)
		if err != nil {
			t.Fatalf("%v", err)
		}
		n := rapid.IntRange(1, len(sides)).Draw(t, "side")
		r, err := merge.Pick(c, field, n)
		if err != nil {
			if field == "title" && sides[n-1] == nil {
				return
			}
			t.Fatalf("pick: %v", err)
		}
		got, _ := mergeOf(t, one(c), r, c)
		mustEqual(t, got, r, "a resolution reaches those who still have the conflict")
		got, rep := mergeOf(t, one(c), r, m.edit(c))
		if slices.ContainsFunc(got.Conflicts, func(c records.Conflict) bool { return c.Field == field }) {
			t.Fatalf("the conflict on %s came back: %+v", field, rep)
		}
	})
	if conflicts == 0 {
		t.Fatal("no conflict was generated")
	}
}

func TestLawDifferentResolutionsConflictWithoutBase(t *testing.T) {
	conflicts := 0
	rapid.Check(t, func(t *rapid.T) {
		m := newMaker(t)
		b := m.record()
		c, _ := mergeOf(t, one(b), m.edit(b), m.edit(b))
		if !c.Disputed() {
			return
		}
		field := c.Conflicts[0].Field
		x, errX := merge.Pick(c, field, 1)
		y, errY := merge.Pick(c, field, 2)
		if errX != nil || errY != nil || field == "verdict" && x.State() == y.State() && x.Verdict.Of == y.Verdict.Of {
			return
		}
		conflicts++
		got, rep := mergeOf(t, one(c), x, y)
		if !slices.Equal(rep.Conflicts, []string{field}) {
			t.Fatalf("conflicts %v, want %s", rep.Conflicts, field)
		}
		i := slices.IndexFunc(got.Conflicts, func(c records.Conflict) bool { return c.Field == field })
		if got.Conflicts[i].Bases != nil {
			t.Fatalf("the new conflict has a base:\n%s", bytesOf(t, got))
		}
	})
	if conflicts == 0 {
		t.Fatal("no conflict was generated")
	}
}

func TestLawTombstoneAbsorbs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMaker(t)
		b := m.record()
		forgotten := m.canonical(forget(b, "one"))
		x := m.disputed(b)
		got, _ := mergeOf(t, one(b), forgotten, x)
		mustEqual(t, got, forgotten, "a tombstone stays as it is")
		got, _ = mergeOf(t, one(forgotten), forgotten, x)
		mustEqual(t, got, forgotten, "nor is it undone")
		other := m.canonical(forget(m.disputed(b), "two"))
		got, _ = mergeOf(t, one(b), forgotten, other)
		if got.Tombstone == nil || got.Disputed() {
			t.Fatalf("two tombstones made\n%s", bytesOf(t, got))
		}
	})
}

func forget(r *records.Record, salt string) *records.Record {
	v := r.Verdict
	if v == nil {
		b := bundle(r.Kind.Schema().Birth(), digestA, "ffffff")
		v = &b
	}
	return &records.Record{
		ID: r.ID, Kind: r.Kind, Verdict: v, Created: r.Created,
		Tombstone: &records.Tombstone{Fingerprint: "f" + salt, Salt: salt, Actor: records.Human, At: noon},
	}
}
