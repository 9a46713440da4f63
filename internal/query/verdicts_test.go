package query

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/records"
)

// TestVerdictWalk goes over histories that are written in the order in which
// they happened, a day a step, and walked the other way.
func TestVerdictWalk(t *testing.T) {
	const hyp, dec = "hyp-0000000001", "dec-0000000001"
	day := func(n int) time.Time { return time.Date(2026, 11, 1+n, 0, 0, 0, 0, time.UTC) }
	for name, c := range map[string]struct {
		steps     string
		id        records.ID
		since     int
		reversals int
		latency   []int // days
	}{
		"judged once":                     {steps: "supported", id: hyp},
		"turned round":                    {steps: "supported refuted", id: hyp, reversals: 1},
		"twice":                           {steps: "supported refuted supported", id: hyp, reversals: 2},
		"re-affirmed":                     {steps: "supported supported", id: hyp},
		"superseded":                      {steps: "supported superseded", id: hyp},
		"reopened":                        {steps: "supported back", id: hyp, reversals: 1},
		"reopened and judged otherwise":   {steps: "supported back refuted", id: hyp, reversals: 1},
		"accepted without being asked":    {steps: "accepted", id: dec},
		"asked and accepted":              {steps: "ask accepted", id: dec, latency: []int{1}},
		"asked twice":                     {steps: "ask ask accepted", id: dec, latency: []int{2}},
		"asked and rejected":              {steps: "ask rejected", id: dec},
		"asked, rejected, asked again":    {steps: "ask rejected ask ask accepted", id: dec, reversals: 1, latency: []int{2}},
		"asked after it was reopened":     {steps: "ask accepted back ask accepted", id: dec, reversals: 1, latency: []int{1, 1}},
		"before the time that counts":     {steps: "ask accepted rejected", id: dec, since: 9},
		"asked before, accepted after it": {steps: "ask accepted rejected", id: dec, since: 1, reversals: 1, latency: []int{1}},
		"accepted before, rejected after": {steps: "ask accepted rejected", id: dec, since: 2, reversals: 1},
	} {
		w := newVerdictWalk(day(c.since))
		steps := strings.Fields(c.steps)
		for i, s := range slices.Backward(steps) {
			switch s {
			case "ask":
				w.ask(c.id, day(i))
			case "back":
				w.back(c.id, day(i))
			default:
				w.verdict(c.id, records.State(s), day(i))
			}
		}
		w.finish()
		if got := w.reversals[c.id.Kind()]; got != c.reversals {
			t.Errorf("%s: %d reversals, want %d", name, got, c.reversals)
		}
		if len(w.latencies) != len(c.latency) {
			t.Errorf("%s: latencies %v, want %v days", name, w.latencies, c.latency)
			continue
		}
		for i, d := range c.latency {
			if w.latencies[i] != time.Duration(d)*24*time.Hour {
				t.Errorf("%s: latencies %v, want %v days", name, w.latencies, c.latency)
			}
		}
	}
}

func TestRank(t *testing.T) {
	var ds []time.Duration
	for i := 1; i <= 10; i++ {
		ds = append(ds, time.Duration(i)*time.Second)
	}
	for _, c := range []struct {
		ds            []time.Duration
		percent, want int
	}{{nil, 50, 0}, {ds[:1], 50, 1}, {ds[:1], 90, 1}, {ds, 50, 5}, {ds, 90, 9}, {ds[:2], 90, 2}, {ds[:3], 50, 2}} {
		if got := rank(c.ds, c.percent); got != int64(c.want) {
			t.Errorf("rank of %d at %d: got %d, want %d", len(c.ds), c.percent, got, c.want)
		}
	}
}
