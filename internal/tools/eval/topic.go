package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// A fact is a record that a reader should be told of, and words of it without
// which the telling is worth nothing.
type fact struct {
	id     records.ID
	needle string
	// or are other records that tell the same.
	or []records.ID
}

// is reports whether a record tells the fact.
func (f fact) is(id records.ID) bool { return f.id == id || slices.Contains(f.or, id) }

// A passed value is what a record said of its topic when it ceased to hold.
type passed struct {
	t     *topic
	value string
}

// A topic is one aspect of one component: what was asked, tried, decided, and
// what of that is so now.
type topic struct {
	c      component
	a, s   term
	values []string
	away   []*branch // the branches on which it was last written, until merged
	stage  int
	frozen bool // in a contradiction that nobody settles

	task       records.ID
	decision   fact // in force, or none
	conclusion fact
	basis      fact // the supported cause
	evidence   []fact
	warn       []fact     // refuted and rejected
	pending    fact       // asked for by an agent
	lapsed     records.ID // the decision whose time ran out
	// clash are the records of the contradiction that stands.
	clash []records.ID
}

// name is what a writer of records calls a thing.
func (l *life) name(t term) string {
	if l.chance(30) {
		return t.names[1]
	}
	return t.names[0]
}

func (t *topic) question() string {
	return "Which " + t.a.names[0] + " does the " + t.c.names[0] + " use?"
}

// next returns a value that the topic has not tried, or an old one in the end.
func (t *topic) next() string {
	v := t.values[t.stage%len(t.values)]
	t.stage++
	return v
}

// passed notes that a fact does not hold any more.
func (l *life) passed(t *topic, f fact) {
	if f.id != "" {
		l.outdated[f.id] = passed{t, f.needle}
	}
}

// episode lets one thing happen to the topic on branch x; what clashes happens on y too.
func (l *life) episode(t *topic, x, y *branch) {
	switch n := l.rng.IntN(100); {
	case t.task == "":
		l.begin(t)
	case t.frozen:
		l.chatter(t)
	case t.decision.id == "" || n < 34:
		l.update(t, "newer measurements")
	case n < 46:
		l.reject(t)
	case n < 56:
		l.reopen(t)
	case n < 64:
		l.refuteBasis(t)
	case n < 80 && t.pending.id == "":
		l.propose(t)
	case n < 72:
		l.disagree(t, x, y)
	case n < 80:
		l.update(t, "more was learned")
	case n < 87:
		l.expire(t)
	case n < 91:
		l.retract(t)
	default:
		l.rival(t, x, y)
	}
}

// begin is the usual way from a complaint to a decision.
func (l *life) begin(t *topic) {
	symptom := l.name(t.s)
	task := l.add(records.Task, records.InProgress, fmt.Sprintf("Find out why the %s has %s", l.name(t.c.term), symptom), func(r *records.Record) {
		r.Links = map[records.Relation][]records.ID{records.Serves: {l.goals[t.c.dir]}}
	})
	t.task = task.ID
	causes := pick(l.rng, culprits, 3)
	for _, c := range causes[:1+l.rng.IntN(2)] {
		h := l.suspect(t, c)
		e := l.measure(t, "without "+c, records.Refutes, h.id)
		l.judge(l.at, h.id, records.Refuted, "no change without it: "+e.needle, cites(e.id))
		t.warn = append(t.warn, h)
		l.passed(t, h)
	}
	t.basis = l.suspect(t, causes[2])
	e := l.measure(t, "with and without "+causes[2], records.Supports, t.basis.id)
	l.judge(l.at, t.basis.id, records.Supported, "", cites(e.id))
	l.decide(t, t.next(), e)
	if l.chance(60) {
		l.conclude(t)
		l.judge(l.at, t.task, records.Done, "", nil)
	}
}

func cites(ids ...records.ID) func(*records.Verdict) {
	return func(v *records.Verdict) { v.Cites = ids }
}

// suspect writes a hypothesis about a cause.
func (l *life) suspect(t *topic, cause string) fact {
	title := fmt.Sprintf(chosen(l.rng, []string{"%[1]s causes the %[2]s of the %[3]s", "The %[3]s has %[2]s because of %[1]s", "%[2]s in the %[3]s come from %[1]s"}),
		cause, l.name(t.s), l.name(t.c.term))
	// A text that is said twice stands or falls twice, and the topics are to be apart.
	for l.said[records.Normalize(title)] {
		title += ", once more"
	}
	l.said[records.Normalize(title)] = true
	r := l.add(records.Hypothesis, records.Proposed, title, func(r *records.Record) {
		r.Body = l.body("It would fit what users describe.")
		sure := records.Fraction(20 + l.rng.IntN(70))
		r.Confidence = &sure
		r.Links = map[records.Relation][]records.ID{records.About: {t.task}}
		l.place(t, r)
	})
	return fact{id: r.ID, needle: cause}
}

// measure writes evidence; its needle is the number.
func (l *life) measure(t *topic, what string, rel records.Relation, of records.ID) fact {
	number := fmt.Sprintf("%d ms", 20+l.rng.IntN(9000))
	r := l.add(records.Evidence, records.Recorded, fmt.Sprintf("The %s takes %s %s", l.name(t.c.term), number, what), func(r *records.Record) {
		r.Type, r.Source = "benchmark", "bench/"+t.c.dir+".txt"
		sure := records.Fraction(40 + l.rng.IntN(60))
		r.Strength = &sure
		if of != "" {
			r.Links = map[records.Relation][]records.ID{rel: {of}}
		}
		if l.chance(50) {
			r.Body = l.body("Median of ten runs.")
		}
	})
	return fact{id: r.ID, needle: number}
}

// place names the component's files and tags in some records, as people do.
func (l *life) place(t *topic, r *records.Record) {
	if l.chance(50) {
		r.Paths = []string{"internal/" + t.c.dir + "/**"}
	}
	if l.chance(30) {
		r.Tags = []string{t.c.dir}
	}
}

// decide writes a decision for a value and puts it in force, in place of the
// one before, if any.
func (l *life) decide(t *topic, value string, because fact) {
	old := t.decision
	t.decision = l.draft(t, l.at, value, because)
	for _, id := range []records.ID{old.id, t.lapsed} {
		if id != "" {
			l.judge(l.at, id, records.Superseded, "replaced", func(v *records.Verdict) { v.SupersededBy = t.decision.id })
		}
	}
	t.lapsed = ""
	l.passed(t, old)
	t.evidence = []fact{because}
	t.clash = nil
}

// draft writes an accepted decision. In one of five the title does not say what was decided.
func (l *life) draft(t *topic, b *branch, value string, because fact) fact {
	l.at = b
	c, a := l.name(t.c.term), l.name(t.a)
	title := fmt.Sprintf(chosen(l.rng, []string{"Use %[1]s for the %[2]s of the %[3]s", "The %[3]s's %[2]s: %[1]s", "The %[3]s gets %[1]s as its %[2]s"}), value, a, c)
	first := fmt.Sprintf("Compared with %s on the same load.", chosen(l.rng, t.values))
	if l.chance(20) {
		title, first = fmt.Sprintf("Settle the %s of the %s", a, c), "We take "+value+"."
	}
	r := l.add(records.Decision, records.Accepted, title, func(r *records.Record) {
		r.Body, r.Question = l.body(first), t.question()
		rests := []records.ID{because.id}
		if t.basis.id != "" && l.chance(70) {
			rests = append(rests, t.basis.id)
		}
		r.Links = map[records.Relation][]records.ID{records.RestsOn: rests}
		r.Verdict = &records.Verdict{Cites: []records.ID{because.id}, Reason: "best of what was measured"}
		l.place(t, r)
	})
	return fact{id: r.ID, needle: value}
}

// conclude writes what was learned, in place of what was learned before.
func (l *life) conclude(t *topic) {
	old := t.conclusion
	title := fmt.Sprintf("%s does well as the %s of the %s", t.decision.needle, l.name(t.a), l.name(t.c.term))
	r := l.add(records.Conclusion, records.Accepted, title, func(r *records.Record) {
		r.Body = l.body("Seen over two weeks in production.")
		r.Links = map[records.Relation][]records.ID{records.Closes: {t.task}}
	})
	t.conclusion = fact{id: r.ID, needle: t.decision.needle}
	if old.id != "" {
		l.judge(l.at, old.id, records.Superseded, "newer", func(v *records.Verdict) { v.SupersededBy = r.ID })
		l.passed(t, old)
	}
}

// chatter is what a project writes that settles nothing.
func (l *life) chatter(t *topic) {
	named := func(s string) string {
		return strings.NewReplacer("%a", l.name(t.a), "%c", l.name(t.c.term)).Replace(s)
	}
	agent := func(r *records.Record) { r.Created.By, r.Created.Actor = "coder", "agent/coder" }
	switch l.rng.IntN(6) {
	case 0, 1:
		s := chosen(l.rng, []records.State{records.Todo, records.Done, records.Done, records.Dropped})
		l.add(records.Task, s, named(chosen(l.rng, chores)), func(r *records.Record) {
			r.Links = map[records.Relation][]records.ID{records.Serves: {l.goals[t.c.dir]}}
		})
	case 2, 3:
		l.add(records.Evidence, records.Recorded, named(chosen(l.rng, asides)), func(r *records.Record) { r.Type, r.Source = "observation", "chat" })
	case 4:
		l.add(records.Hypothesis, records.Proposed, named("%c might do without a %a because of "+chosen(l.rng, culprits)), agent)
	case 5:
		l.add(records.Conclusion, records.Draft, named("Finished a chore of the %c near its %a"), agent)
	}
}
