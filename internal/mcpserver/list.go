package mcpserver

import (
	"context"

	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
)

type listingArgs struct {
	selection
	clocks
	paging
}

// selection narrows the records of a list or a search.
type selection struct {
	Kind   string   `json:"kind"`
	States []string `json:"states"`
	Tags   []string `json:"tags"`
	Path   string   `json:"path"`
	All    bool     `json:"all"`
}

func (a selection) options() (query.ListOptions, error) {
	o := query.ListOptions{Kind: records.Kind(a.Kind), States: a.States, Tags: a.Tags, All: a.All}
	for _, st := range a.States {
		if err := query.CheckState(o.Kind, st); err != nil {
			return o, err
		}
	}
	return o, nil
}

// within reads the path of a selection, which stays inside the work tree.
func (a selection) within(rd *query.Reading, o *query.ListOptions) (err error) {
	if a.Path != "" {
		o.Path, err = rd.Ledger.TopPath(a.Path)
	}
	return err
}

// selectArgs narrow the records of a list.
func selectArgs() []arg {
	return []arg{
		{name: "kind", form: text, enum: kinds()},
		{name: "states", form: texts, about: "states or standings, as awaiting-review, disputed, ruled-out"},
		{name: "tags", form: texts},
		{name: "path", form: text, about: "file or folder they concern"},
		{name: "all", form: flag, about: "settled ones too"},
	}
}

// kinds are the kinds of record by name.
func kinds() []string {
	var names []string
	for _, s := range records.Schemas() {
		names = append(names, string(s.Kind))
	}
	return names
}

type listAnswer struct {
	query.ListAnswer
	page
}

func listTool() tool[listingArgs] {
	return tool[listingArgs]{
		name: "list", title: "List records",
		about:  "Records that stand, are open, await review or are disputed, most urgent first.",
		args:   append(append(selectArgs(), listArgs()...), clockArgs()...),
		answer: []arg{{name: "records", form: objects, need: true}},
		run:    (*Server).list,
	}
}

func (s *Server) list(ctx context.Context, a listingArgs) (*reply, error) {
	limit, err := a.items()
	if err != nil {
		return nil, err
	}
	o, err := a.options()
	if err != nil {
		return nil, err
	}
	o.Limit = limit
	if o.After, err = a.after(); err != nil {
		return nil, err
	}
	out := &listAnswer{}
	err = s.read(ctx, a.query(), func(rd *query.Reading) error {
		if err := a.within(rd, &o); err != nil {
			return err
		}
		ls, more, err := query.List(rd, o)
		if err != nil {
			return err
		}
		out.ListAnswer = query.ListAnswerOf(rd, ls)
		n, err := fits(out.Records)
		if n < len(out.Records) || more {
			out.Records = out.Records[:n]
			out.page = page{true, "after:" + string(out.Records[n-1].ID)}
		}
		return err
	})
	return &reply{facts: out}, err
}
