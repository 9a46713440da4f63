package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/git-ctx/git-ctx/records"
)

// A line is one line of outside data: what it is follows from the one field that it has.
type line struct {
	// Record is a record's file, in its canonical form.
	Record string `json:"record,omitempty"`
	// Question is asked of all the file's records, wherever it stands.
	Question *asked `json:"question,omitempty"`
	// Outdated are records that must not be told as fact.
	Outdated []records.ID `json:"outdated,omitempty"`
	// At is the instant that the questions are asked at, and Review the policy.
	At     time.Time      `json:"at,omitzero"`
	Review records.Review `json:"review,omitempty"`
}

// An asked is a question as a file holds it.
type asked struct {
	Purpose  string            `json:"purpose,omitempty"`
	Task     records.ID        `json:"task,omitempty"`
	Paths    []string          `json:"paths,omitempty"`
	Gold     map[string][]want `json:"gold"`
	Disputed [][]records.ID    `json:"disputed,omitempty"`
	Far      [][]records.ID    `json:"far,omitempty"`
	Answer   string            `json:"answer,omitempty"`
	Class    string            `json:"class,omitempty"`
}

// A want is a fact as a file holds it; without a needle, the record's title will do. Or are
// records that tell the same.
type want struct {
	ID     records.ID   `json:"id"`
	Needle string       `json:"needle,omitempty"`
	Or     []records.ID `json:"or,omitempty"`
}

// readStore reads a store from lines of JSON.
func readStore(r io.Reader) (*store, error) {
	s := &store{judge: records.EvalContext{Review: records.ReviewHuman}}
	var rs []*records.Record
	outdated := map[records.ID]bool{}
	in := bufio.NewScanner(r)
	in.Buffer(nil, 4*records.MaxSize)
	for n := 1; in.Scan(); n++ {
		if len(bytes.TrimSpace(in.Bytes())) == 0 {
			continue
		}
		var l line
		dec := json.NewDecoder(bytes.NewReader(in.Bytes()))
		dec.DisallowUnknownFields()
		err := dec.Decode(&l)
		switch {
		case err != nil:
		case l.Record != "":
			var rec *records.Record
			if rec, err = records.Parse("", []byte(l.Record)); err == nil {
				rs = append(rs, rec)
			}
		case l.Question != nil:
			s.questions = append(s.questions, l.Question.question())
		case !l.At.IsZero():
			s.now, s.judge.ValidAt = l.At, l.At
			s.judge.Review = cmp.Or(l.Review, s.judge.Review)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		for _, id := range l.Outdated {
			outdated[id] = true
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if len(rs) == 0 || len(s.questions) == 0 || s.now.IsZero() {
		return nil, errors.New("it needs records, questions, and a line with the instant to ask at")
	}
	s.view = records.NewSet(rs, nil)
	s.stale = func(id records.ID) bool { return outdated[id] }
	return s, nil
}

// writeStore writes the store as readStore reads it.
func writeStore(w io.Writer, s *store) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	lines := []line{{At: s.now, Review: s.judge.Review}}
	var outdated []records.ID
	for r := range s.view.All() {
		text, err := records.Format(r)
		if err != nil {
			return err
		}
		lines = append(lines, line{Record: string(text)})
		if s.stale(r.ID) {
			outdated = append(outdated, r.ID)
		}
	}
	lines = append(lines, line{Outdated: outdated})
	for _, q := range s.questions {
		lines = append(lines, line{Question: q.asked()})
	}
	for _, l := range lines {
		if err := out.Encode(l); err != nil {
			return err
		}
	}
	return nil
}

func (a *asked) question() question {
	q := question{Purpose: a.Purpose, Task: a.Task, Paths: a.Paths, Gold: map[string][]fact{}, Disputed: a.Disputed, Far: a.Far, Answer: a.Answer, Class: a.Class}
	for part, ws := range a.Gold {
		for _, w := range ws {
			q.Gold[part] = append(q.Gold[part], fact{id: w.ID, needle: w.Needle, or: w.Or})
		}
	}
	return q
}

func (q question) asked() *asked {
	a := &asked{Purpose: q.Purpose, Task: q.Task, Paths: q.Paths, Gold: map[string][]want{}, Disputed: q.Disputed, Far: q.Far, Answer: q.Answer, Class: q.Class}
	for part, fs := range q.Gold {
		for _, f := range fs {
			a.Gold[part] = append(a.Gold[part], want{f.id, f.needle, f.or})
		}
	}
	return a
}

// strange counts the words of a question, and those that no record of its answer has.
func (s *store) strange(q question) (strange, all int) {
	var have []string
	for _, fs := range q.Gold {
		for _, f := range fs {
			if r, ok := s.view.Record(f.id); ok {
				have = append(have, plainWords(allText(r))...)
			}
		}
	}
	for _, w := range plainWords(q.Purpose) {
		all++
		if !slices.Contains(have, w) {
			strange++
		}
	}
	return strange, all
}
