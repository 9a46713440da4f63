package mcpserver

import (
	"context"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
)

// The views of next.
const (
	viewPlan = "plan"
	viewGaps = "gaps"
)

type nextArgs struct {
	View    string `json:"view"`
	Of      string `json:"of"`
	Purpose string `json:"purpose"`
	Waiting bool   `json:"waiting"`
	paging
}

type nextAnswer struct {
	query.NextAnswer
	page
}

func nextTool() tool[nextArgs] {
	return tool[nextArgs]{
		name: "next", title: "What to do next",
		about: "Open tasks that can be worked on now, best first. view: plan (packet, next tasks, gaps and findings within one budget), gaps (what a task or goal lacks, or all work).",
		args: append([]arg{
			{name: "view", form: text, enum: []string{viewPlan, viewGaps}},
			{name: "of", form: text, about: "task or goal, for plan and gaps"},
			{name: "purpose", form: text, about: "for plan"},
			{name: "waiting", form: flag, about: "also why the others wait"},
		}, listArgs()...),
		answer: []arg{{name: "tasks", form: objects}, {name: "plan", form: text}, {name: "gaps", form: objects}},
		run:    (*Server).next,
	}
}

func (s *Server) next(ctx context.Context, a nextArgs) (r *reply, err error) {
	limit, err := a.items()
	if err != nil {
		return nil, err
	}
	from, err := a.offset()
	if err != nil {
		return nil, err
	}
	err = s.read(ctx, query.Clocks{}, func(rd *query.Reading) (err error) {
		switch a.View {
		case viewPlan:
			r, err = s.plan(ctx, rd, a)
		case viewGaps:
			r, err = gaps(ctx, rd, a)
		default:
			r, err = nextTasks(ctx, rd, a, from+limit)
		}
		return err
	})
	return r, err
}

func nextTasks(ctx context.Context, rd *query.Reading, a nextArgs, most int) (*reply, error) {
	n, err := query.Next(ctx, rd, query.NextOptions{Limit: most, Waiting: a.Waiting})
	if err != nil {
		return nil, err
	}
	out := &nextAnswer{NextAnswer: n.Answer(rd)}
	out.Tasks, out.page, err = windowOf(a.paging, out.Tasks, out.More)
	out.More = out.Truncated
	return &reply{facts: out}, err
}

type planAnswer struct {
	Format int          `json:"format"`
	Commit gitstore.OID `json:"commit"`
	Branch string       `json:"branch,omitempty"`
	Tokens int          `json:"tokens"`
	Plan   string       `json:"plan"`
}

// plan answers as packet does: with the text that the budget counts.
func (s *Server) plan(ctx context.Context, rd *query.Reading, a nextArgs) (*reply, error) {
	o := query.PacketOptions{Purpose: a.Purpose, Version: s.opts.Version}
	if a.Of != "" {
		r, err := rd.Ledger.Find(rd.View, a.Of)
		if err != nil {
			return nil, err
		}
		if o.Task = string(r.ID); r.Kind == records.Goal {
			o.Task, o.Goal = "", string(r.ID)
		}
	}
	p, err := query.PlanOf(ctx, rd, o)
	if err != nil {
		return nil, err
	}
	return &reply{planAnswer{query.AnswerFormat, rd.Commit, rd.Branch, p.Tokens, p.Markdown()}, p.Markdown()}, nil
}

type gapsAnswer struct {
	query.GapsAnswer
	page
}

func gaps(ctx context.Context, rd *query.Reading, a nextArgs) (*reply, error) {
	found, work, err := query.Gaps(ctx, rd, a.Of)
	if err != nil {
		return nil, err
	}
	out := &gapsAnswer{GapsAnswer: query.GapsAnswerOf(rd, found, work, 0)}
	out.Gaps, out.page, err = windowOf(a.paging, out.Gaps, false)
	return &reply{facts: out}, err
}
