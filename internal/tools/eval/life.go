package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/merge"
)

// birth is when every project begins.
var birth = time.Date(2025, 1, 6, 9, 0, 0, 0, time.UTC)

// A project lives for rounds of two weeks, each on as many context branches beside main.
const (
	rounds    = 16
	roundTime = 14 * 24 * time.Hour
	branches  = 4
)

// A tree is the records of one context branch. Records are never changed in
// place, so trees share them.
type tree map[records.ID]*records.Record

// A branch grows from main's tree as it was when it forked.
type branch struct {
	base, tip tree
}

// A life is a project's records as they came to be, and what its people know
// to be true of them. That knowledge is kept event by event as they act; no
// rule of the program under test is asked for it.
type life struct {
	said   map[string]bool // suspected causes, on any branch
	rng    *rand.Rand
	now    time.Time
	main   tree
	at     *branch // the branch that is being written
	topics []*topic
	goals  map[string]records.ID // by component directory
	guards map[string]records.ID
	// outdated are the records that ceased to hold.
	outdated map[records.ID]passed
	// open branches are merged in a later round.
	open   []*branch
	serial int // of the record made last
}

// newLife lives a project of about size records. Equal arguments give equal lives.
func newLife(seed uint64, size int) (*life, error) {
	l := &life{
		rng: rand.New(rand.NewPCG(seed, 17)), now: birth, main: tree{}, said: map[string]bool{},
		goals: map[string]records.ID{}, guards: map[string]records.ID{}, outdated: map[records.ID]passed{},
	}
	l.found(size)
	for round := range rounds {
		l.now = birth.Add(time.Duration(round+1) * roundTime)
		if err := l.round(round, size*(round+1)/rounds); err != nil {
			return nil, err
		}
	}
	l.now = birth.Add((rounds + 1) * roundTime)
	return l, l.mergeAll()
}

// found makes the project's topics and the goals and guardrails of its components.
func (l *life) found(size int) {
	n := max(12, size/14)
	comps := components[:min(len(components), 4+n/12)]
	l.at = &branch{base: tree{}, tip: l.main}
	for _, c := range comps {
		l.goals[c.dir] = l.add(records.Goal, records.Active, "Keep the "+c.names[0]+" dependable", nil).ID
		l.guards[c.dir] = l.add(records.Runbook, records.Active, "Before a change of the "+c.names[l.rng.IntN(2)]+": run its soak test", func(r *records.Record) {
			r.Type = "guardrail"
			r.Paths = []string{"internal/" + c.dir + "/**"}
			r.Steps = []records.Step{{ID: "soak", Do: "make soak-" + c.dir, Verify: "no error in the output"}}
		}).ID
	}
	pairs := l.rng.Perm(len(comps) * len(aspects))
	for _, p := range pairs[:min(n, len(pairs))] {
		a := aspects[p%len(aspects)]
		l.topics = append(l.topics, &topic{
			c: comps[p/len(aspects)], a: a, s: symptoms[l.rng.IntN(len(symptoms))],
			values: pick(l.rng, a.values, len(a.values)),
		})
	}
}

// round lets topics live on a few branches until main and they hold about
// size records, then merges most of the branches in random order.
func (l *life) round(round, size int) error {
	bs := []*branch{}
	for range branches {
		bs = append(bs, &branch{base: maps.Clone(l.main), tip: maps.Clone(l.main)})
	}
	free := slices.DeleteFunc(slices.Clone(l.topics), func(t *topic) bool { return t.away != nil })
	l.rng.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
	for i, t := range free {
		if l.serial >= size {
			break
		}
		x := bs[l.rng.IntN(len(bs))]
		y := bs[(slices.Index(bs, x)+1)%len(bs)]
		l.at = x
		l.episode(t, x, y)
		t.away = []*branch{x, y}
		for range 2 + l.rng.IntN(2) {
			l.chatter(free[l.rng.IntN(i+1)])
		}
	}
	l.rng.Shuffle(len(bs), func(i, j int) { bs[i], bs[j] = bs[j], bs[i] })
	l.open = append(l.open, bs...)
	stay := l.rng.IntN(2) // a branch may live longer than its round
	if round == rounds-1 {
		stay = 0
	}
	for len(l.open) > stay {
		if err := l.mergeOne(); err != nil {
			return err
		}
	}
	return nil
}

func (l *life) mergeAll() error {
	for len(l.open) > 0 {
		if err := l.mergeOne(); err != nil {
			return err
		}
	}
	return nil
}

// mergeOne merges the first open branch into main, record by record.
func (l *life) mergeOne() error {
	b := l.open[0]
	l.open = l.open[1:]
	for _, id := range slices.Sorted(maps.Keys(b.tip)) {
		if b.tip[id] == b.base[id] {
			continue
		}
		out, _, err := merge.Records([]*records.Record{b.base[id]}, l.main[id], b.tip[id])
		if err != nil {
			return fmt.Errorf("merge %s: %w", id, err)
		}
		l.main[id] = out
	}
	for _, t := range l.topics {
		t.away = slices.DeleteFunc(t.away, func(o *branch) bool { return o == b })
		if len(t.away) == 0 {
			t.away = nil
		}
	}
	return nil
}

// crockford are the digits of ids.
const crockford = "0123456789abcdefghjkmnpqrstvwxyz"

func (l *life) digits(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = crockford[l.rng.IntN(len(crockford))]
	}
	return string(b)
}

// add writes a new record, judged by a person in that state, to the branch at hand.
func (l *life) add(k records.Kind, s records.State, title string, edit func(*records.Record)) *records.Record {
	l.serial++
	l.pass()
	r := &records.Record{
		ID: records.ID(k.Schema().Prefix + "-" + l.digits(10)), Kind: k, Title: strings.ToUpper(title[:1]) + title[1:],
		Created: records.Created{By: "Ada Example", Actor: records.Human, At: l.now},
	}
	if edit != nil {
		edit(r)
	}
	v := &records.Verdict{State: s, By: r.Created.By, Actor: r.Created.Actor, At: l.now, N: l.digits(6)}
	if r.Verdict != nil {
		v.Asks, v.Cites, v.Reason = r.Verdict.Asks, r.Verdict.Cites, r.Verdict.Reason
	}
	r.Verdict = v
	v.Of = r.Digest()
	l.at.tip[r.ID] = r
	return r
}

// judge gives a record of the branch at hand a new verdict.
func (l *life) judge(b *branch, id records.ID, s records.State, reason string, edit func(*records.Verdict)) {
	l.pass()
	r := b.tip[id].Clone()
	r.Verdict = &records.Verdict{State: s, By: "Ada Example", Actor: records.Human, At: l.now, N: l.digits(6), Reason: reason, Of: r.Digest()}
	if edit != nil {
		edit(r.Verdict)
	}
	b.tip[id] = r
}

// pass lets some minutes go by.
func (l *life) pass() { l.now = l.now.Add(time.Duration(1+l.rng.IntN(30)) * time.Minute) }

// chance is true p times in a hundred.
func (l *life) chance(p int) bool { return l.rng.IntN(100) < p }

// body makes a text of a first sentence and a few remarks.
func (l *life) body(first string) string {
	s := first
	for _, r := range pick(l.rng, remarks, 1+l.rng.IntN(4)) {
		s += " " + r
	}
	return s
}

// pick returns n of the elements in random order.
func pick[T any](rng *rand.Rand, from []T, n int) []T {
	out := make([]T, 0, n)
	for _, i := range rng.Perm(len(from))[:n] {
		out = append(out, from[i])
	}
	return out
}

func chosen[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }
