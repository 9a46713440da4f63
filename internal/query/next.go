package query

import (
	"context"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/claim"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/planning"
)

// UsualNext is how many tasks next lists unless told.
const UsualNext = 5

// NextOptions say which open tasks are listed.
type NextOptions struct {
	// Limit bounds the tasks that can be worked on now; 0 is no bound.
	Limit int
	// Waiting reads on for all that wait; without it only those are known that
	// were met on the way.
	Waiting bool
	// Focus stands in for what the session works on.
	Focus *planning.Focus
}

// NextTasks are the open tasks, those to work on now apart.
type NextTasks struct {
	Ready, Waiting []Todo
	// More tells that the limit left some out.
	More bool

	whole bool // Waiting was asked for
}

// Next lists the open tasks to work on now, in the order of [todos].
func Next(ctx context.Context, rd *Reading, o NextOptions) (*NextTasks, error) {
	q := todoQuery{Eval: rd.Eval}
	if q.Focus = focusOf(rd.Ledger, rd.View); o.Focus != nil {
		q.Focus = *o.Focus
	}
	if rd.AsOf == "" { // claims have no past
		var err error
		if q.Held, err = claim.OfOthers(ctx, rd.Ledger); err != nil {
			return nil, err
		}
	}
	n := &NextTasks{whole: o.Waiting}
	for t, err := range todos(rd.View, q) {
		if err != nil {
			return nil, err
		}
		switch {
		case t.Waits != "":
			n.Waiting = append(n.Waiting, t)
		case o.Limit == 0 || len(n.Ready) < o.Limit:
			n.Ready = append(n.Ready, t)
		case o.Waiting:
			n.More = true // those that wait are wanted all
		default:
			n.More = true
			return n, nil
		}
	}
	return n, nil
}

// ClaimNext claims the first task that can be worked on now, in the order of
// [Next], and that nobody else holds.
func ClaimNext(ctx context.Context, l *ledger.Ledger, o claim.Options) (*claim.Result, error) {
	return claim.TakeFirst(ctx, l, func(v records.View, j records.EvalContext) ([]records.ID, error) {
		var ids []records.ID
		for _, t := range allTodos(v, todoQuery{Eval: j, Focus: focusOf(l, v)}) {
			if t.Waits == "" {
				ids = append(ids, t.Task.ID)
			}
		}
		return ids, nil
	}, o)
}

// NextAnswer is the JSON answer of next.
type NextAnswer struct {
	Format  int          `json:"format"`
	Commit  gitstore.OID `json:"commit"`
	Branch  string       `json:"branch,omitempty"`
	Tasks   []TodoAnswer `json:"tasks"`
	More    bool         `json:"more"`
	Waiting []TodoAnswer `json:"waiting,omitempty"` // where it was asked for
}

// TodoAnswer is an open task in JSON answers.
type TodoAnswer struct {
	Line
	Current  bool         `json:"current"`
	Goals    []GoalAnswer `json:"goals"`
	Score    ScoreAnswer  `json:"score"`
	Waits    Wait         `json:"waits,omitempty"`
	WaitsFor []records.ID `json:"waits_for,omitempty"`
}

// ScoreAnswer is a task's score: the total and its parts.
type ScoreAnswer struct {
	Total int `json:"total"`
	planning.Score
}

// GoalAnswer is a goal that a task serves.
type GoalAnswer struct {
	ID    records.ID    `json:"id"`
	State records.State `json:"state"`
	Title string        `json:"title"`
}

// Answer is the JSON answer.
func (n *NextTasks) Answer(rd *Reading) NextAnswer {
	out := NextAnswer{Format: AnswerFormat, Commit: rd.Commit, Branch: rd.Branch, Tasks: []TodoAnswer{}, More: n.More}
	for _, t := range n.Ready {
		out.Tasks = append(out.Tasks, todoAnswer(rd, t))
	}
	if n.whole {
		for _, t := range n.Waiting {
			out.Waiting = append(out.Waiting, todoAnswer(rd, t))
		}
	}
	return out
}

func todoAnswer(rd *Reading, t Todo) TodoAnswer {
	out := TodoAnswer{Line: LineOf(t.Task, rd.Standing(t.Task.ID)), Current: t.Current, Goals: []GoalAnswer{},
		Score: ScoreAnswer{t.Score.Total(), t.Score}, Waits: t.Waits}
	for _, g := range t.Goals {
		out.Goals = append(out.Goals, GoalAnswer{g.ID, g.State(), g.Title})
	}
	for _, d := range t.For {
		out.WaitsFor = append(out.WaitsFor, d.ID)
	}
	return out
}
