package main

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/standing"
)

// stores are the projects that the tests ask of.
func stores(t testing.TB) []*store {
	t.Helper()
	var ss []*store
	for seed := range uint64(2) {
		s, err := living(seed+1, 300, 24)
		if err != nil {
			t.Fatal(err)
		}
		ss = append(ss, s)
	}
	return ss
}

// TestPacketLeadsEveryBaseline is the small form of what docs/packet-evaluation.md tells.
func TestPacketLeadsEveryBaseline(t *testing.T) {
	ss := stores(t)
	all := ways()
	packet, err := all[0].measure(ss)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range packet {
		m := r.all
		if m.gold == 0 || m.clashes == 0 || m.asserted == 0 {
			t.Fatalf("control: %d facts, %d contradictions, %d told as fact", m.gold, m.clashes, m.asserted)
		}
		if m.stale != 0 {
			t.Errorf("at %d tokens, %d of %d told as fact do not hold", budgets[i], m.stale, m.asserted)
		}
		if m.shown != m.clashes {
			t.Errorf("at %d tokens, %d of %d contradictions are shown as disputed", budgets[i], m.shown, m.clashes)
		}
	}
	for _, way := range all[1:] {
		if way.reference {
			continue
		}
		rs, err := way.measure(ss)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range rs {
			if r.all.recall() >= packet[i].all.recall() {
				t.Errorf("at %d tokens, %s finds %.3f, the packet %.3f", budgets[i], way.name, r.all.recall(), packet[i].all.recall())
			}
			if way.name == "BM25 over everything" && r.all.stale == 0 {
				t.Errorf("control: at %d tokens nothing that %s tells is outdated", budgets[i], way.name)
			}
		}
	}
}

// TestLivesAreWhatTheirPeopleKnow holds what the generator says is so against
// the rules of the store, which it does not ask.
func TestLivesAreWhatTheirPeopleKnow(t *testing.T) {
	classes := map[string]records.Class{proposal: records.AwaitingReview, ruledOut: records.RuledOut}
	seen := map[string]int{}
	for seed := range uint64(3) {
		s, err := living(seed+1, 1000, 42)
		if err != nil {
			t.Fatal(err)
		}
		for r := range s.view.All() {
			st := standing.Of(s.view, r.ID, s.judge)
			seen[string(st.State)+" "+string(st.Why)]++
			if s.stale(r.ID) && st.Class == records.Asserted {
				t.Errorf("%s %q does not hold and is asserted", r.ID, r.Title)
			}
		}
		for _, q := range s.questions {
			for part, fs := range q.Gold {
				want, ok := classes[part]
				if !ok {
					want = records.Asserted
				}
				for _, f := range fs {
					r, ok := s.view.Record(f.id)
					if st := standing.Of(s.view, f.id, s.judge); st.Class != want {
						t.Errorf("%s %s %q is %s (%s, %+v), want %s", part, f.id, r.Title, st.Class, st.Why, st.Causes, want)
					}
					if !ok || !strings.Contains(strings.ToLower(allText(r)), strings.ToLower(f.needle)) {
						t.Errorf("%s %s does not say %q", part, f.id, f.needle)
					}
				}
			}
			for _, clash := range append(slices.Clone(q.Disputed), q.Far...) {
				if !slices.ContainsFunc(clash, func(id records.ID) bool {
					return standing.Of(s.view, id, s.judge).Class == records.InDoubt
				}) {
					t.Errorf("nothing of %v is disputed", clash)
				}
			}
		}
	}
	for _, want := range []string{"superseded ", "refuted ", "rejected ", "retracted ", "accepted doubt", " conflict", "accepted expired", "supported "} {
		if seen[want] == 0 {
			t.Errorf("control: no record is %q: %v", want, seen)
		}
	}
}

// TestOtherWordsAreOther holds that names which records do not use stand in none.
func TestOtherWordsAreOther(t *testing.T) {
	for _, s := range stores(t) {
		var have []string
		for r := range s.view.All() {
			if r.Kind != records.Task { // the questions' own tasks use them
				have = append(have, plainWords(allText(r))...)
			}
		}
		in := map[string]bool{}
		for _, w := range have {
			in[w] = true
		}
		for _, c := range components {
			for _, w := range plainWords(c.names[2]) {
				if in[w] {
					t.Errorf("%q of %q stands in a record", w, c.names[2])
				}
			}
		}
	}
}

func TestEqualSeedsGiveEqualLives(t *testing.T) {
	text := func(seed uint64) string {
		s, err := living(seed, 300, 10)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := writeStore(&b, s); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	first, again := text(1), text(1)
	if first != again {
		t.Error("one seed gives two lives")
	}
	if first == text(2) {
		t.Error("control: two seeds give one life")
	}
}

func TestOutsideDataReadsBack(t *testing.T) {
	s, err := living(1, 300, 20)
	if err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	if err := writeStore(&first, s); err != nil {
		t.Fatal(err)
	}
	back, err := readStore(bytes.NewReader(first.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := writeStore(&second, back); err != nil {
		t.Fatal(err)
	}
	if first.String() != second.String() {
		t.Error("a store that was written reads as another")
	}
	for _, bad := range []string{"", "{", `{"recrod": ""}`, `{"record": "id: x"}`, `{"at": "2026-01-01T00:00:00Z"}`} {
		if _, err := readStore(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is read as a store", bad)
		}
	}
}

func TestMeasureCountsWhatIsSaid(t *testing.T) {
	s := &store{stale: func(id records.ID) bool { return id == "dec-2" }}
	q := question{Gold: map[string][]fact{"decision": {{id: "dec-1", needle: "LRU"}, {id: "dec-3", needle: "ARC"}}}, Disputed: [][]records.ID{{"dec-4", "dec-5"}, {"dec-6"}}}
	m := newMeasure()
	m.count(s, q, answer{told: []told{
		{id: "dec-1", text: "Use lru", asserted: true}, {id: "dec-2", asserted: true}, {id: "dec-3", text: "Settle it", asserted: true},
		{id: "dec-5", disputed: true}, {id: "dec-6", asserted: true},
	}})
	if m.recall() != 0.5 || m.staleRate() != 0.25 || m.shown != 1 || m.clashes != 2 {
		t.Errorf("recall %v, stale %v, %d of %d contradictions", m.recall(), m.staleRate(), m.shown, m.clashes)
	}
	if got := slices.Sorted(maps.Keys(m.partFound)); len(got) != 1 || got[0] != "decision" {
		t.Errorf("parts found: %v", got)
	}
}
