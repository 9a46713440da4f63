package mcpserver

import (
	"context"
	"errors"

	"github.com/git-ctx/git-ctx/internal/setup"

	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
)

// The views of status.
const (
	viewCloseout = "closeout"
	viewCheck    = "check"
)

type statusArgs struct {
	View string `json:"view"`
	Task string `json:"task"`
	All  bool   `json:"all"`
}

// shownChanges is how many changes of the working context status lists.
const shownChanges = 20

func statusTool() tool[statusArgs] {
	return tool[statusArgs]{
		name: "status", title: "Where you are",
		about: "Branch, current goal and task, what no checkpoint holds, who you are recorded as. view: closeout (what this session changed, with a message for checkpoint), check (is the work ready to be committed, and what is missing).",
		args: []arg{{name: "view", form: text, enum: []string{viewCloseout, viewCheck}}, {name: "task", form: text, about: "for check; default @task"},
			{name: "all", form: flag, about: "closeout of everyone"}},
		answer: []arg{{name: "initialised", form: flag}, {name: "actor", form: text}, {name: "ready", form: flag}, {name: "missing", form: objects}},
		run:    (*Server).status,
	}
}

func (s *Server) status(ctx context.Context, a statusArgs) (*reply, error) {
	var facts any
	err := s.with(ctx, s.author(ctx), func(led *ledger.Ledger) error {
		rd, err := query.Read(ctx, led, query.Clocks{})
		switch {
		case errors.Is(err, ledger.ErrNotInitialised) && a.View == "":
			none := query.NoStatus{Format: query.AnswerFormat}
			none.RemoteHint, err = setup.RemoteHint(ctx, led)
			facts = none
		case err != nil:
		case a.View == viewCloseout:
			facts, err = query.CloseoutOf(ctx, rd, query.CloseoutOptions{All: a.All})
		case a.View == viewCheck:
			facts, err = query.Check(ctx, rd, a.Task)
		default:
			facts, err = plainStatus(ctx, rd)
		}
		return err
	})
	return &reply{facts: facts}, err
}

func plainStatus(ctx context.Context, rd *query.Reading) (any, error) {
	st, err := query.Status(ctx, rd, shownChanges)
	if err == nil {
		st.ActorWhy = "it speaks over MCP"
	}
	return st, err
}
