package main

import (
	"fmt"
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

// A question is what a reader wants to know, with what a packet should tell
// and must not tell.
type question struct {
	Purpose string
	Task    records.ID
	Paths   []string
	// Gold are the records to tell of, by what they are: decision, evidence ...
	Gold map[string][]fact
	// Disputed are the contradictions about what the question names in the words
	// of the records, Far those about what it names otherwise.
	Disputed, Far [][]records.ID
	// Answer is the answer in words, where the data has it.
	Answer string
	// Class is how the question was put.
	Class string
}

// The parts of an answer that are not told as fact, and one that may be told as it stands.
const (
	proposal = "proposal"
	ruledOut = "ruled out"
	anyhow   = "anyhow"
)

// A wording says which words a question uses.
type wording int

const (
	sameWords  wording = iota // those of the records
	halfWords                 // another name for the aspect or the symptom
	otherWords                // other names for everything
)

func (w wording) String() string {
	return [...]string{"same words", "half other words", "other words"}[w]
}

// ask makes n questions about the life's topics. The new tasks that some of
// them name are added to the records: none of the other records links to them.
func (l *life) ask(n int) []question {
	l.at = &branch{base: l.main, tip: l.main}
	known := slices.DeleteFunc(slices.Clone(l.topics), func(t *topic) bool { return t.task == "" })
	l.rng.Shuffle(len(known), func(i, j int) { known[i], known[j] = known[j], known[i] })
	var clashing []*topic
	for _, t := range known {
		if len(t.clash) > 0 {
			clashing = append(clashing, t)
		}
	}
	var qs []question
	for i := range n {
		t := known[i%len(known)]
		if i%5 == 4 && len(clashing) > 0 {
			t = clashing[i/5%len(clashing)]
		}
		qs = append(qs, l.question(t, i))
	}
	return qs
}

// question asks about a topic. Half use the records' words, a third half of
// them, a sixth none; two in five come with words alone, the others with files in play, a task, or both.
func (l *life) question(t *topic, i int) question {
	w := []wording{sameWords, sameWords, sameWords, halfWords, halfWords, otherWords}[i%6]
	c, a, s := t.c.names[0], t.a.names[0], t.s.names[0]
	if w >= halfWords {
		a, s = t.a.names[2], t.s.names[2]
	}
	if w == otherWords {
		c = t.c.names[2]
	}
	q := question{Class: w.String()}
	q.Purpose = fmt.Sprintf(chosen(l.rng, []string{
		"change the %[2]s of the %[1]s", "which %[2]s should the %[1]s have", "%[1]s: look again at %[2]s, users see %[3]s", "find out why the %[1]s has %[3]s and fix its %[2]s",
	}), c, a, s)
	tells := []*topic{t}
	if i%7 == 6 { // of the whole component
		q.Purpose, q.Class = "rework the "+c, q.Class+", whole component"
		tells = nil
		for _, o := range l.topics {
			if o.c.dir == t.c.dir && o.task != "" {
				tells = append(tells, o)
			}
		}
	}
	file := "internal/" + t.c.dir + "/" + t.c.file
	switch focus := l.rng.IntN(10); {
	case focus < 4:
		q.Class += ", words alone"
	case focus < 7:
		q.Class += ", files"
		q.Paths = []string{file}
	default:
		q.Class += ", task"
		q.Task = l.newTask(t, q.Purpose).ID
		if focus == 9 {
			q.Paths = []string{file}
		}
	}
	l.tell(&q, w, t, tells)
	return q
}

// newTask is the work that the reader has just been given.
func (l *life) newTask(t *topic, title string) *records.Record {
	return l.add(records.Task, records.InProgress, title, func(r *records.Record) {
		r.Links = map[records.Relation][]records.ID{records.Serves: {l.goals[t.c.dir]}}
		if l.chance(50) {
			r.Links[records.RelatesTo] = []records.ID{t.task}
		}
	})
}

// tell sets what the question's answer is: everything that is so of one topic,
// or what is decided and asked for in all of a component's.
func (l *life) tell(q *question, w wording, t *topic, of []*topic) {
	q.Gold = map[string][]fact{}
	put := func(what string, fs ...fact) {
		for _, f := range fs {
			if f.id != "" {
				q.Gold[what] = append(q.Gold[what], f)
			}
		}
	}
	for _, o := range of {
		put("decision", o.decision)
		put(proposal, o.pending)
		if len(o.clash) > 0 {
			if w == sameWords {
				q.Disputed = append(q.Disputed, o.clash)
			} else {
				q.Far = append(q.Far, o.clash)
			}
		}
		if len(of) == 1 {
			put("evidence", o.evidence...)
			put("cause", o.basis)
			put("conclusion", o.conclusion)
			put(ruledOut, o.warn...)
		}
	}
	if len(q.Paths) > 0 {
		put("guardrail", fact{id: l.guards[t.c.dir], needle: t.c.dir})
	}
}
