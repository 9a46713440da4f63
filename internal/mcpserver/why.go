package mcpserver

import (
	"context"

	"github.com/git-ctx/git-ctx/internal/codelink"
	"github.com/git-ctx/git-ctx/internal/query"
)

type whyArgs struct {
	Path  string `json:"path"`
	Lines string `json:"lines"`
	All   bool   `json:"all"`
	paging
}

type whyAnswer struct {
	query.WhyAnswer
	page
}

func whyTool() tool[whyArgs] {
	return tool[whyArgs]{
		name: "why", title: "Why code is as it is",
		about:  "Records that explain a file or its lines: by anchors, by the commits they stand from, by path globs. Ask before you change code you did not write.",
		args:   append([]arg{{name: "path", form: text, need: true}, {name: "lines", form: text, about: "as 40-58"}, {name: "all", form: flag}}, listArgs()...),
		answer: []arg{{name: "records", form: objects, need: true}},
		run:    (*Server).why,
	}
}

func (s *Server) why(ctx context.Context, a whyArgs) (*reply, error) {
	q := query.WhyOptions{All: a.All}
	var err error
	if a.Lines != "" {
		if _, q.From, q.To, err = codelink.SplitLines("x:" + a.Lines); err != nil || q.From == 0 {
			return nil, &argumentError{name: "lines", why: "they are to be one number or two, as 40-58"}
		}
	} else if a.Path, q.From, q.To, err = codelink.SplitLines(a.Path); err != nil {
		return nil, &argumentError{name: "path", why: err.Error()} // with lines, as on the command line
	}
	out := &whyAnswer{}
	err = s.read(ctx, query.Clocks{}, func(rd *query.Reading) (err error) {
		if q.File, err = rd.Ledger.TopPath(a.Path); err != nil {
			return err
		}
		w, err := query.Why(ctx, rd, q)
		if err == nil {
			out.WhyAnswer = query.WhyAnswerOf(rd, q, w)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	out.Records, out.page, err = windowOf(a.paging, out.Records, false)
	return &reply{facts: out}, err
}
