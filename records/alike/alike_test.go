package alike

import (
	"slices"
	"testing"

	"github.com/git-ctx/git-ctx/records"
)

func claim(n byte, title string) *records.Record {
	return &records.Record{ID: records.NewID(records.Decision, []byte{0, 0, 0, 0, 0, 0, n}), Kind: records.Decision, Title: title}
}

func corpus(titles ...string) (*Corpus, []*records.Record) {
	var rs []*records.Record
	for i, title := range titles {
		rs = append(rs, claim(byte(i), title))
	}
	return NewCorpus(rs), rs
}

func TestNearest(t *testing.T) {
	c, rs := corpus("Sessions are stored in Redis", "Logs are kept for ninety days", "The queue has eight workers", "Retries pause for five seconds",
		"Images are resized on upload", "The worker threads are pinned")
	for title, want := range map[string]int{
		"A session lives in Postgres now":           0,
		"Keeping logs costs too much: thirty days":  1,
		"Thirty-two workers serve the queue":        2,
		"The pause before a retry grows each time":  3,
		"An upload is stored; images resize lazily": 4,
	} {
		ms := c.Nearest(claim(100, title))
		if len(ms) == 0 || ms[0].Record != rs[want] {
			t.Errorf("%q: %v, want %q first", title, ms, rs[want].Title)
		}
	}
	if ms := c.Nearest(claim(100, "Fonts come from Berlin")); len(ms) > 0 && len(Gate(ms)) > 0 {
		t.Errorf("nothing is about it, and %v passes", Gate(ms))
	}
	if ms := c.Nearest(rs[0]); slices.ContainsFunc(ms, func(m Match) bool { return m.Record == rs[0] }) {
		t.Error("a record is near to itself")
	}
}

func TestGate(t *testing.T) {
	m := func(scores ...float64) (ms []Match) {
		for i, s := range scores {
			ms = append(ms, Match{claim(byte(i), "x"), s})
		}
		return ms
	}
	for _, c := range []struct {
		ms   []Match
		want int
	}{{nil, 0}, {m(0.7), 1}, {m(0.6), 0}, {m(1, 0.5), 1}, {m(1, 0.9, 0.8, 0.7), 3}, {m(0.6, 0.59), 0}, {m(0.6, 0.3), 1}} {
		if got := Gate(c.ms); len(got) != c.want {
			t.Errorf("%v: %d pass, want %d", c.ms, len(got), c.want)
		}
	}
}
