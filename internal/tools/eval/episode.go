package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/records"
)

// update decides anew: the old decision is superseded.
func (l *life) update(t *topic, why string) {
	if t.pending.id != "" && l.chance(30) { // what was asked for is taken up or turned down by the way
		l.judge(l.at, t.pending.id, records.Rejected, why, nil)
		l.passed(t, t.pending)
		t.warn = append(t.warn, t.pending)
		t.pending = fact{}
	}
	value := t.next()
	e := l.measure(t, "with "+value, records.Supports, t.basis.id)
	l.decide(t, value, e)
	if t.conclusion.id != "" || l.chance(30) {
		l.conclude(t)
	}
}

// reject takes the decision out of force and goes back to an older value: a reversal.
func (l *life) reject(t *topic) {
	old, failed := t.decision, t.decision.needle
	e := l.measure(t, "in production with "+failed, "", "")
	l.judge(l.at, old.id, records.Rejected, "it failed in production: "+e.needle, cites(e.id))
	l.passed(t, old)
	t.warn = append(t.warn, old)
	back := t.values[(t.stage+len(t.values)-2)%len(t.values)]
	t.decision = fact{}
	l.decide(t, back, e)
	t.warn = slices.DeleteFunc(t.warn, func(f fact) bool { return f.needle == back })
	if t.conclusion.id != "" {
		l.conclude(t)
	}
}

// reopen finds that a refuted cause was one after all.
func (l *life) reopen(t *topic) {
	i := slices.IndexFunc(t.warn, func(f fact) bool { return f.id.Kind() == records.Hypothesis })
	if i < 0 {
		l.update(t, "seen again")
		return
	}
	h := t.warn[i]
	t.warn = slices.Delete(t.warn, i, i+1)
	l.judge(l.at, h.id, records.Proposed, "seen on the new machines", nil)
	e := l.measure(t, "on new machines with "+h.needle, records.Supports, h.id)
	l.judge(l.at, h.id, records.Supported, "", func(v *records.Verdict) {
		cites(e.id)(v)
		v.Despite = l.against(h.id)
	})
	delete(l.outdated, h.id)
	t.basis = h
	value := t.next()
	l.decide(t, value, e)
	if t.conclusion.id != "" {
		l.conclude(t)
	}
}

// refuteBasis finds that the cause was none, and decides anew without it.
func (l *life) refuteBasis(t *topic) {
	h := t.basis
	if h.id == "" {
		l.update(t, "a second look")
		return
	}
	e := l.measure(t, "in a trace without "+h.needle, records.Refutes, h.id)
	l.judge(l.at, h.id, records.Refuted, "the trace shows it idle: "+e.needle, cites(e.id))
	t.basis = fact{}
	t.warn = append(t.warn, h)
	l.passed(t, h)
	value := t.next()
	l.decide(t, value, l.measure(t, "with "+value, "", ""))
	if t.conclusion.id != "" {
		l.conclude(t)
	}
}

// propose lets an agent ask for another decision, which nobody reviews. It asks
// no question of its own, so that accepting it would not make a rival.
func (l *life) propose(t *topic) {
	value := t.next()
	title := fmt.Sprintf("Try %s as the %s of the %s on half of the fleet", value, l.name(t.a), l.name(t.c.term))
	r := l.add(records.Decision, records.Proposed, title, func(r *records.Record) {
		r.Body = l.body("The numbers look better in the small.")
		r.Created.By, r.Created.Actor = "coder", "agent/coder"
		r.Verdict = &records.Verdict{Asks: records.Accepted}
		l.place(t, r)
	})
	t.pending = fact{id: r.ID, needle: value}
}

// expire decides for some days only; nothing follows.
func (l *life) expire(t *topic) {
	value := t.next()
	e := l.measure(t, "for now with "+value, "", "")
	l.decide(t, value, e)
	r := l.at.tip[t.decision.id].Clone()
	r.Valid = records.Validity{Until: l.now.Add(10 * 24 * time.Hour).Truncate(24 * time.Hour)}
	r.Verdict.Of = r.Digest()
	l.at.tip[r.ID] = r
	if t.conclusion.id != "" {
		l.judge(l.at, t.conclusion.id, records.Rejected, "the old way is gone", nil)
		l.passed(t, t.conclusion)
		t.warn = append(t.warn, t.conclusion)
		t.conclusion = fact{}
	}
	l.passed(t, t.decision)
	t.lapsed = t.decision.id
	t.decision, t.evidence = fact{}, nil
}

// retract takes back the evidence that the decision rests on, and nobody looks
// at the decision again.
func (l *life) retract(t *topic) {
	e := t.evidence[0]
	l.judge(l.at, e.id, records.Retracted, "the clock of that machine was off", nil)
	l.outdated[e.id] = passed{t, ""}
	if h, ok := l.at.tip[t.basis.id]; ok && slices.Equal(h.Verdict.Cites, []records.ID{e.id}) {
		l.contest(t, t.decision, t.basis)
		t.basis = fact{}
	} else {
		l.contest(t, t.decision)
	}
	t.decision, t.evidence = fact{}, nil
}

// against is the evidence against a record, as whoever gives a verdict on it knows it.
func (l *life) against(id records.ID) []records.Despite {
	var out []records.Despite
	for _, ev := range l.at.tip {
		if slices.Contains(ev.Links[records.Refutes], id) {
			out = append(out, records.Despite{ID: ev.ID, State: ev.State(), Of: ev.Digest()})
		}
	}
	slices.SortFunc(out, func(a, b records.Despite) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return out
}

// contest notes facts that contradict each other and that nobody settles.
func (l *life) contest(t *topic, fs ...fact) {
	t.frozen = true
	for _, f := range fs {
		t.clash = append(t.clash, f.id)
		l.outdated[f.id] = passed{t, ""} // neither side may be told as fact
	}
}

// disagree accepts on one branch what another rejects.
func (l *life) disagree(t *topic, x, y *branch) {
	l.judge(x, t.pending.id, records.Accepted, "worth it", nil)
	l.judge(y, t.pending.id, records.Rejected, "too early", nil)
	l.contest(t, t.pending)
	t.pending = fact{}
}

// rival replaces the decision on two branches by different ones.
func (l *life) rival(t *topic, x, y *branch) {
	old := t.decision
	sides := []fact{old}
	for _, b := range []*branch{x, y} {
		l.at = b
		value := t.next()
		d := l.draft(t, b, value, l.measure(t, "with "+value, "", ""))
		l.judge(b, old.id, records.Superseded, "replaced", func(v *records.Verdict) { v.SupersededBy = d.id })
		sides = append(sides, d)
	}
	l.at = x
	l.contest(t, sides...)
	t.decision, t.evidence = fact{}, nil
}
