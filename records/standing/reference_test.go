package standing

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-ctx/git-ctx/records"
)

// The reference reads the definition in docs/design/standing.md as it is
// written: it tries every labelling of the candidates of a small store, keeps
// those that the definition allows, and takes the least informed one. It shares
// with the evaluator which records are candidates and which of their verdicts
// are sound, which tables test, and nothing of how labels are found.
type reference struct {
	v    records.View
	c    records.EvalContext
	e    *Evaluator // for classes alone
	cand []records.ID
}

func newReference(v records.View, c records.EvalContext) *reference {
	ref := &reference{v: v, c: c, e: NewEvaluator(v, c)}
	for r := range v.All() {
		if ref.e.node(r.ID).candidate {
			ref.cand = append(ref.cand, r.ID)
		}
	}
	return ref
}

// may reports whether x may stand by one of its verdicts, where basis says what
// counts as standing and attack what speaks.
func (ref *reference) may(x records.ID, basis, attack func(records.ID) bool) bool {
	n := ref.e.node(x)
	if len(n.static) > 0 {
		return false
	}
	return slices.ContainsFunc(n.members, func(m *member) bool {
		return ref.hasBasis(n.r, m.verdict, basis) && !ref.spokenAgainst(n.r, m, attack)
	})
}

func (ref *reference) lifted(m *records.Verdict, id records.ID) bool {
	o, ok := ref.v.Record(id)
	if !ok {
		return false
	}
	for _, d := range m.Despite {
		if d.ID == id && d.Of == o.Digest() && d.State == o.State() {
			return true
		}
	}
	return false
}

func (ref *reference) hasBasis(r *records.Record, m *records.Verdict, stands func(records.ID) bool) bool {
	var evidence []records.ID
	for _, id := range r.Links[records.RestsOn] {
		o, ok := ref.v.Record(id)
		if ok && o.Kind == records.Evidence {
			evidence = append(evidence, id)
			continue
		}
		at := id
		for seen := map[records.ID]bool{}; !seen[at]; { // a superseded basis counts as its successor
			seen[at] = true
			if s, ok := ref.v.Record(at); ok && s.State() == records.Superseded && len(s.Successors()) == 1 {
				at = s.Successors()[0]
			}
		}
		if !stands(at) && !ref.lifted(m, id) {
			return false
		}
	}
	for _, id := range m.Cites {
		if o, ok := ref.v.Record(id); !ok || o.Kind == records.Evidence && !slices.Contains(o.Links[records.Refutes], r.ID) {
			evidence = append(evidence, id)
		}
	}
	return len(evidence) == 0 || slices.ContainsFunc(evidence, func(id records.ID) bool { return stands(id) || ref.lifted(m, id) })
}

func (ref *reference) spokenAgainst(r *records.Record, m *member, speaks func(records.ID) bool) bool {
	for o := range ref.v.All() {
		if o.ID == r.ID || ref.e.node(o.ID).rank < m.rank || ref.lifted(m.verdict, o.ID) {
			continue
		}
		mutual := slices.Contains(r.Links[records.Contradicts], o.ID) || slices.Contains(o.Links[records.Contradicts], r.ID)
		mutual = mutual && claims(r.Kind) && claims(o.Kind)
		mutual = mutual || r.Kind == records.Decision && o.Kind == records.Decision && o.State() == records.Accepted &&
			r.Question != "" && r.Question == o.Question
		against := mutual && !liftedBy(o, r) || o.Kind == records.Evidence && slices.Contains(o.Links[records.Refutes], r.ID)
		again := o.Title == r.Title && (o.State() == records.Refuted || o.State() == records.Rejected) &&
			ref.e.node(o.ID).class.Class == records.RuledOut && !slices.Contains(r.Links[records.Reopens], o.ID)
		if again && slices.Contains(r.Kind.SameTextKinds(), o.Kind) && r.Kind.Claims() || against && speaks(o.ID) {
			return true
		}
	}
	return false
}

// foundedSet is the least set that stands where attack says what speaks.
func (ref *reference) founded(attack func(records.ID) bool) map[records.ID]bool {
	in := map[records.ID]bool{}
	for {
		n := len(in)
		for _, id := range ref.cand {
			if ref.may(id, func(b records.ID) bool { return in[b] }, attack) {
				in[id] = true
			}
		}
		if len(in) == n {
			return in
		}
	}
}

// allowed reports whether a labelling is one that the definition allows: what
// stands is what is founded where everything not falling speaks, and what does
// not fall is what is founded where only what stands speaks.
func (ref *reference) allowed(labels map[records.ID]label) bool {
	sure := ref.founded(func(id records.ID) bool { return labels[id] >= undecided })
	may := ref.founded(func(id records.ID) bool { return labels[id] == stands })
	for _, id := range ref.cand {
		if sure[id] != (labels[id] == stands) || may[id] != (labels[id] != falls) {
			return false
		}
	}
	return true
}

// least returns the allowed labelling that decides the fewest records; every
// other one decides these the same way.
func (ref *reference) least(t *rapid.T) map[records.ID]label {
	var found []map[records.ID]label
	labels := map[records.ID]label{}
	var try func(i int)
	try = func(i int) {
		if i == len(ref.cand) {
			if ref.allowed(labels) {
				c := map[records.ID]label{}
				for id, l := range labels {
					c[id] = l
				}
				found = append(found, c)
			}
			return
		}
		for _, l := range []label{falls, undecided, stands} {
			labels[ref.cand[i]] = l
			try(i + 1)
		}
	}
	try(0)
	if len(found) == 0 {
		t.Fatal("no labelling is allowed")
	}
	decided := func(l map[records.ID]label) (n int) {
		for _, v := range l {
			if v != undecided {
				n++
			}
		}
		return n
	}
	least := slices.MinFunc(found, func(a, b map[records.ID]label) int { return decided(a) - decided(b) })
	for _, l := range found {
		for id, v := range least {
			if v != undecided && l[id] != v {
				t.Fatalf("two allowed labellings disagree on %s", id)
			}
		}
	}
	return least
}

// smallStore draws a store of at most six claims with every kind of link among them.
func smallStore(t *rapid.T) []*records.Record {
	kinds := []records.Kind{records.Decision, records.Conclusion, records.Hypothesis, records.Evidence}
	n := rapid.IntRange(2, 6).Draw(t, "n")
	rs := make([]*records.Record, n)
	for i := range rs {
		k := rapid.SampledFrom(kinds).Draw(t, "kind")
		id := records.ID(k.Schema().Prefix + "-000000000" + string(rune('0'+i)))
		s := rapid.SampledFrom(k.Schema().States).Draw(t, "state")
		if rapid.IntRange(0, 2).Draw(t, "asserting") > 0 {
			s = assertingState(k)
		}
		r := &records.Record{ID: id, Kind: k, Title: rapid.SampledFrom([]string{"one", "two", "three", string(id)}).Draw(t, "title"), Source: "bench",
			Links: map[records.Relation][]records.ID{}}
		if k == records.Decision && rapid.Bool().Draw(t, "asks") {
			r.Question = rapid.SampledFrom([]string{"q", "r"}).Draw(t, "question")
		}
		r.Verdict = &records.Verdict{State: s, Actor: rapid.SampledFrom([]records.Actor{records.Human, records.Human, "agent/x"}).Draw(t, "actor"), N: "8f3k2m"}
		rs[i] = r
	}
	link := func(r *records.Record, rel records.Relation, o *records.Record) {
		if r != o && !slices.Contains(r.Links[rel], o.ID) {
			r.Links[rel] = append(r.Links[rel], o.ID)
		}
	}
	for range rapid.IntRange(0, 8).Draw(t, "links") {
		r, o := rapid.SampledFrom(rs).Draw(t, "from"), rapid.SampledFrom(rs).Draw(t, "to")
		switch rapid.IntRange(0, 5).Draw(t, "link") {
		case 0, 1:
			link(r, records.RestsOn, o) // wrong kinds and circles included: a hand makes them
		case 2:
			link(r, records.Contradicts, o)
		case 3:
			if r.Kind == records.Evidence {
				link(r, records.Refutes, o)
			}
		case 4:
			if r != o && o.Kind == records.Evidence && !slices.Contains(r.Verdict.Cites, o.ID) {
				r.Verdict.Cites = append(r.Verdict.Cites, o.ID)
			}
		case 5:
			if r != o && r.State() == records.Superseded {
				r.Verdict.SupersededBy = o.ID
			}
		}
	}
	for _, r := range rs {
		r.Verdict.Of = r.Digest()
	}
	if rapid.IntRange(0, 3).Draw(t, "despite") == 0 {
		r, o := rapid.SampledFrom(rs).Draw(t, "knows"), rapid.SampledFrom(rs).Draw(t, "known")
		r.Verdict.Despite = append(r.Verdict.Despite, records.Despite{ID: o.ID, State: o.State(), Of: o.Digest()})
	}
	return rs
}

func assertingState(k records.Kind) records.State {
	switch k {
	case records.Hypothesis:
		return records.Supported
	case records.Evidence:
		return records.Recorded
	}
	return records.Accepted
}

func TestEvaluatorIsTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rs := smallStore(t)
		c := records.EvalContext{Review: rapid.SampledFrom([]records.Review{records.ReviewAny, records.ReviewHuman}).Draw(t, "review")}
		v := records.NewSet(rs, nil)
		want := newReference(v, c).least(t)
		got := NewEvaluator(v, c)
		for _, r := range rapid.Permutation(rs).Draw(t, "order") {
			st := got.Standing(r.ID)
			if l, ok := want[r.ID]; ok && (l == stands) != (st.Class == records.Asserted) {
				t.Fatalf("%s is %s %v, the definition labels it %d", r.ID, st.Class, st.Causes, l)
			}
			if l, ok := want[r.ID]; ok && got.node(r.ID).label != l {
				t.Fatalf("%s has label %d, the definition gives %d", r.ID, got.node(r.ID).label, l)
			}
			if alone := Of(v, r.ID, c); !sameStanding(alone, st) {
				t.Fatalf("%s asked alone is %+v, among others %+v", r.ID, alone, st)
			}
			if (st.Class == records.InDoubt) != (len(st.Causes) > 0) {
				t.Fatalf("%s is %s with causes %v", r.ID, st.Class, st.Causes)
			}
		}
	})
}

func sameStanding(a, b records.Standing) bool {
	sameCauses := slices.EqualFunc(a.Causes, b.Causes, func(x, y records.Cause) bool {
		return compareCauses(x, y) == 0 && slices.Equal(x.Root, y.Root)
	})
	sameMarks := slices.EqualFunc(a.Marks, b.Marks, func(x, y records.Mark) bool {
		return x.Name == y.Name && x.Commit == y.Commit && x.Count == y.Count && slices.Equal(x.Records, y.Records)
	})
	return a.Class == b.Class && a.State == b.State && a.Why == b.Why && a.Verdict == b.Verdict && sameCauses && sameMarks
}
