package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/records"
)

// A dialogue is one of LoCoMo's long conversations (locomo10.json): sessions of turns, and
// questions with the turns that answer them.
type dialogue struct {
	ID           string                     `json:"sample_id"`
	Conversation map[string]json.RawMessage `json:"conversation"`
	Questions    []struct {
		Question string   `json:"question"`
		Answer   any      `json:"answer"`
		Evidence []string `json:"evidence"`
		Category int      `json:"category"`
	} `json:"qa"`
}

// A turn is what one of the two said.
type turn struct {
	Speaker string `json:"speaker"`
	ID      string `json:"dia_id"`
	Text    string `json:"text"`
	Caption string `json:"blip_caption"`
}

// unanswerable is the category of questions that no turn answers.
const unanswerable = 5

// categories are LoCoMo's kinds of question.
func categories() map[int]string {
	return map[int]string{1: "several turns", 2: "time", 3: "open domain", 4: "one turn"}
}

// readLocomo reads the file as a store: a turn is an accepted conclusion.
func readLocomo(r io.Reader) (*store, error) {
	var ds []dialogue
	if err := json.NewDecoder(r).Decode(&ds); err != nil {
		return nil, err
	}
	var rs []*records.Record
	s := &store{judge: records.EvalContext{Review: records.ReviewHuman}, stale: func(records.ID) bool { return false }}
	for _, d := range ds {
		of := map[string]records.ID{}
		for _, name := range slices.Sorted(maps.Keys(d.Conversation)) {
			number, ok := strings.CutPrefix(name, "session_")
			if _, err := strconv.Atoi(number); !ok || err != nil {
				continue
			}
			at, turns, err := d.session(name)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", d.ID, name, err)
			}
			for i, t := range turns {
				rec := t.record(d.ID, at.Add(time.Duration(i)*time.Second))
				rs, of[t.ID] = append(rs, rec), rec.ID
			}
			if at.After(s.now) {
				s.now = at
			}
		}
		s.questions = append(s.questions, d.asked(of)...)
	}
	if len(rs) == 0 || len(s.questions) == 0 {
		return nil, errors.New("it has no turns, or no questions that they answer")
	}
	s.now = s.now.AddDate(0, 0, 1)
	s.judge.ValidAt, s.view = s.now, records.NewSet(rs, nil)
	return s, nil
}

// session returns when a session was, and what was said.
func (d *dialogue) session(name string) (at time.Time, turns []turn, err error) {
	var date string
	if err := json.Unmarshal(d.Conversation[name+"_date_time"], &date); err != nil {
		return at, nil, fmt.Errorf("its date: %w", err)
	}
	if at, err = time.Parse("3:04 pm on 2 January, 2006", date); err != nil {
		return at, nil, err
	}
	return at, turns, json.Unmarshal(d.Conversation[name], &turns)
}

func (t turn) record(in string, at time.Time) *records.Record {
	body := ""
	if t.Caption != "" {
		body = "[shows " + t.Caption + "]"
	}
	return accepted(records.Conclusion, in+"/"+t.ID, t.Speaker+": "+t.Text, body, at)
}

// asked returns the questions that turns answer; some name turns that do not exist.
func (d *dialogue) asked(of map[string]records.ID) []question {
	var qs []question
	for _, a := range d.Questions {
		q := question{Purpose: a.Question, Answer: fmt.Sprint(a.Answer), Class: categories()[a.Category], Gold: map[string][]fact{}}
		for _, e := range strings.FieldsFunc(strings.Join(a.Evidence, " "), func(r rune) bool { return r == ' ' || r == ';' || r == ',' }) {
			if id, ok := of[e]; ok {
				q.Gold[anyhow] = append(q.Gold[anyhow], fact{id: id})
			}
		}
		if a.Category != unanswerable && len(q.Gold) > 0 {
			qs = append(qs, q)
		}
	}
	return qs
}
