package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/packet"
	"github.com/git-ctx/git-ctx/records"
)

// A told record is one that an answer shows.
type told struct {
	id   records.ID
	text string // all that is shown of it
	// asserted is set where nothing at the record says that it does not hold.
	asserted bool
	disputed bool
}

// An answer is what one way of choosing shows for a question.
type answer struct {
	told   []told
	tokens int
	took   time.Duration
}

// A store is a project to ask of.
type store struct {
	view  *records.Set
	judge records.EvalContext
	now   time.Time
	// stale reports whether a record must not be told as fact.
	stale     func(records.ID) bool
	questions []question
}

// A chooser answers a question within each of the budgets of tokens.
type chooser func(s *store, q question, budgets []int) ([]answer, error)

// ours is the packet.
func ours(s *store, q question, budgets []int) ([]answer, error) { return packets(s, q, budgets, nil) }

// packets are those of the candidates, nil being all records.
func packets(s *store, q question, budgets []int, candidates []records.ID) ([]answer, error) {
	var as []answer
	for _, b := range budgets {
		a, err := packetAnswer(s, q, b, candidates)
		if err != nil {
			return nil, err
		}
		as = append(as, a)
	}
	return as, nil
}

func packetAnswer(s *store, q question, budget int, candidates []records.ID) (answer, error) {
	start := time.Now()
	req := s.request(q, budget)
	req.Candidates = candidates
	p, err := packet.Build(s.view, req)
	if err != nil {
		return answer{}, fmt.Errorf("packet for %q: %w", q.Purpose, err)
	}
	a := answer{tokens: p.Tokens, took: time.Since(start)}
	for _, sec := range p.Sections {
		for _, it := range sec.Items {
			a.told = append(a.told, told{
				id: it.ID, text: it.Title + "\n" + it.Text + "\n" + it.Reason,
				asserted: slices.Contains([]string{"decisions", "conclusions", "supported", "evidence", "runbooks", "next"}, sec.Name),
				disputed: sec.Name == "in-doubt",
			})
		}
	}
	return a, nil
}

func (s *store) request(q question, budget int) packet.Request {
	return packet.Request{
		Purpose: q.Purpose, Focus: packet.Focus{Task: q.Task, Paths: q.Paths},
		Budget: budget, MaxChars: 1 << 20, Eval: s.judge, StoreTime: s.now,
		Commit: "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d", Context: "main", Default: "main",
	}
}

// frame is how many tokens the packet's focus and footer take, which say of what,
// for what and as of when an answer is. Every way of choosing pays them.
func (s *store) frame(q question) (int, error) {
	_, err := packet.Build(s.view, s.request(q, 1))
	var short *packet.BudgetError
	if !errors.As(err, &short) {
		return 0, fmt.Errorf("frame for %q: want a budget too small, got %w", q.Purpose, err)
	}
	return short.NeedTokens, nil
}

// A measure is the sum of what was seen over many questions.
type measure struct {
	questions, tokens     int
	took                  time.Duration
	gold, found           int
	asserted, stale       int
	clashes, shown        int
	far, farShown         int
	answers, answersShown int // words
	// recalls and ranks are those of each question: the part of its answer that is
	// told, and one over the place of the first record of it.
	recalls, ranks        []float64
	partGold, partFound   map[string]int
	classGold, classFound map[string]int
}

func newMeasure() *measure {
	return &measure{partGold: map[string]int{}, partFound: map[string]int{}, classGold: map[string]int{}, classFound: map[string]int{}}
}

// count adds an answer to the measure.
func (m *measure) count(s *store, q question, a answer) {
	m.questions++
	m.tokens += a.tokens
	m.took += a.took
	shown := make(map[records.ID]told, len(a.told))
	disputed := make(map[records.ID]bool)
	for _, t := range a.told {
		shown[t.id] = t
		disputed[t.id] = t.disputed
		if t.asserted {
			m.asserted++
			if s.stale(t.id) {
				m.stale++
			}
		}
	}
	gold, found, first := m.gold, m.found, len(a.told)
	for part, fs := range q.Gold {
		for _, f := range fs {
			m.gold++
			m.partGold[part]++
			m.classGold[q.Class]++
			i := slices.IndexFunc(a.told, func(t told) bool { return f.is(t.id) })
			if i < 0 {
				continue
			}
			first = min(first, i)
			t := shown[a.told[i].id]
			if (part == anyhow || t.asserted == holds(part)) && strings.Contains(strings.ToLower(t.text), strings.ToLower(f.needle)) {
				m.found++
				m.partFound[part]++
				m.classFound[q.Class]++
			}
		}
	}
	m.recalls = append(m.recalls, rate(m.found-found, m.gold-gold))
	m.ranks = append(m.ranks, 0)
	if first < len(a.told) {
		m.ranks[len(m.ranks)-1] = 1 / float64(first+1)
	}
	n, of := q.answerWords(allTold(a))
	m.answersShown, m.answers = m.answersShown+n, m.answers+of
	seen := func(clashes [][]records.ID) (n int) {
		for _, clash := range clashes {
			if slices.ContainsFunc(clash, func(id records.ID) bool { return disputed[id] }) {
				n++
			}
		}
		return n
	}
	m.clashes += len(q.Disputed)
	m.shown += seen(q.Disputed)
	m.far += len(q.Far)
	m.farShown += seen(q.Far)
}

// holds reports whether a part of an answer is to be told as fact. What is ruled
// out or only proposed is not told rightly where nothing says that it is.
func holds(part string) bool { return part != ruledOut && part != proposal }

func rate(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

func (m *measure) recall() float64    { return rate(m.found, m.gold) }
func (m *measure) staleRate() float64 { return rate(m.stale, m.asserted) }
