package mcpserver

import (
	"context"

	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/internal/query"
)

type searchArgs struct {
	Query       string `json:"query"`
	AllBranches bool   `json:"all_branches"`
	selection
	clocks
	paging
}

type searchAnswer struct {
	query.SearchAnswer
	page
	// Settled counts what was found that no longer holds, where nothing else was.
	Settled int `json:"settled,omitempty"`
}

func searchTool() tool[searchArgs] {
	return tool[searchArgs]{
		name: "search", title: "Search records",
		about: `Records with all the words, best first, each with a snippet. "a phrase" and begin* work.`,
		args: append(append(append([]arg{{name: "query", form: text, need: true}, {name: "all_branches", form: flag}}, selectArgs()...),
			listArgs()...), clockArgs()...),
		answer: []arg{{name: "records", form: objects, need: true}, {name: "settled", form: whole}},
		run:    (*Server).search,
	}
}

func (s *Server) search(ctx context.Context, a searchArgs) (*reply, error) {
	limit, err := a.items()
	if err != nil {
		return nil, err
	}
	from, err := a.offset()
	if err != nil {
		return nil, err
	}
	o, err := a.options()
	switch {
	case err != nil:
		return nil, err
	case !index.HasWords(a.Query):
		return nil, &argumentError{name: "query", why: "there is no word in it to look for"}
	case a.AllBranches && a.AsOf != "":
		return nil, &argumentError{name: "all_branches", why: "it goes without as_of"}
	}
	search := query.Search
	if a.AllBranches {
		search = query.SearchBranches
	}
	out := &searchAnswer{}
	err = s.read(ctx, a.query(), func(rd *query.Reading) error {
		if err := a.within(rd, &o); err != nil {
			return err
		}
		o.Limit = from + limit
		found, more, err := search(ctx, rd, a.Query, o)
		if err != nil {
			return err
		}
		if out.SearchAnswer = query.SearchAnswerOf(rd, a.Query, found, more); len(found) == 0 && !o.All && len(o.States) == 0 {
			o.All, o.Limit = true, mostItems
			settled, _, err := search(ctx, rd, a.Query, o)
			out.Settled = len(settled)
			return err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out.Records, out.page, err = windowOf(a.paging, out.Records, out.More)
	out.More = out.Truncated
	return &reply{facts: out}, err
}
