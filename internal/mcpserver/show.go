package mcpserver

import (
	"context"
	"fmt"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
)

// The views of show.
const (
	viewRecord    = "record"
	viewHistory   = "history"
	viewDiff      = "diff"
	viewConflicts = "conflicts"
	viewLineage   = "lineage"
	viewGraph     = "graph"
)

type showArgs struct {
	IDs  []string `json:"ids"`
	View string   `json:"view"`
	From string   `json:"from"`
	To   string   `json:"to"`
	clocks
	paging
}

func showTool() tool[showArgs] {
	return tool[showArgs]{
		name: "show", title: "Show records",
		about: "Records in full with their standing and links. view: history (every judgement; without ids the branch's log), diff (what changed from..to, or since the last checkpoint), conflicts (the sides to resolve), lineage (what one came from, what rests on it), graph (what is linked).",
		args: append(append([]arg{
			{name: "ids", form: texts},
			{name: "view", form: text, enum: []string{viewRecord, viewHistory, viewDiff, viewConflicts, viewLineage, viewGraph}},
			{name: "from", form: text, about: "for diff"},
			{name: "to", form: text},
		}, listArgs()...), clockArgs()...),
		answer: []arg{{name: "records", form: objects}, {name: "commits", form: objects}, {name: "changes", form: objects}, {name: "disputed", form: objects}, {name: "nodes", form: objects}, {name: "edges", form: objects}},
		run:    (*Server).show,
	}
}

func (s *Server) show(ctx context.Context, a showArgs) (*reply, error) {
	if len(a.IDs) > mostItems {
		return nil, &argumentError{name: "ids", why: fmt.Sprintf("%d are more than %d", len(a.IDs), mostItems)}
	}
	var facts any
	err := s.read(ctx, a.query(), func(rd *query.Reading) (err error) {
		switch a.View {
		case viewHistory:
			facts, err = showHistory(ctx, rd, a)
		case viewDiff:
			facts, err = showDiff(ctx, rd, a)
		case viewConflicts:
			facts, err = showConflicts(ctx, rd, a)
		case viewLineage, viewGraph:
			facts, err = showGraph(rd, a)
		default:
			facts, err = showRecords(rd, a)
		}
		return err
	})
	return &reply{facts: facts}, err
}

type showAnswer struct {
	query.ShowAnswer
	page
}

func showRecords(rd *query.Reading, a showArgs) (any, error) {
	if len(a.IDs) == 0 {
		return nil, &argumentError{name: "ids", why: "name a record; @task, @goal and @last are the current ones"}
	}
	ids, p, err := window(a.paging, a.IDs)
	if err != nil {
		return nil, err
	}
	rs, err := findAll(rd, ids)
	if err != nil {
		return nil, err
	}
	out := &showAnswer{query.Show(rd, rs), p}
	n, err := fits(out.Records)
	if n < len(out.Records) {
		from, _ := a.offset() // window has read it
		out.Records, out.page = out.Records[:n], page{true, cursorAt(from + n)}
	}
	return out, err
}

func findAll(rd *query.Reading, names []string) ([]*records.Record, error) {
	var rs []*records.Record
	for _, name := range names {
		r, err := rd.Ledger.Find(rd.View, name)
		if err != nil {
			return nil, err
		}
		rs = append(rs, r)
	}
	return rs, nil
}

type historyAnswer struct {
	query.LogAnswer
	Commit gitstore.OID `json:"commit"`
	page
}

// showHistory is the history of one record, or the log of the branch.
func showHistory(ctx context.Context, rd *query.Reading, a showArgs) (any, error) {
	if len(a.IDs) > 1 {
		return nil, &argumentError{name: "ids", why: "a history is of one record"}
	}
	limit, err := a.items()
	if err != nil {
		return nil, err
	}
	from, err := a.offset()
	if err != nil {
		return nil, err
	}
	out := &historyAnswer{Commit: rd.Commit}
	q := ledger.HistoryQuery{From: []gitstore.OID{rd.Commit}}
	if len(a.IDs) == 1 {
		r, err := rd.Ledger.Find(rd.View, a.IDs[0])
		if err != nil {
			return nil, err
		}
		q.Record = r.ID
	}
	// One more than asked for tells whether there are more.
	if out.LogAnswer, err = query.Log(ctx, rd.Ledger, q, rd.Branch, from+limit+1); err != nil {
		return nil, err
	}
	a.Limit = limit
	out.Commits, out.page, err = windowOf(a.paging, out.Commits, false)
	return out, err
}

type diffAnswer struct {
	query.DiffAnswer
	Commit gitstore.OID `json:"commit"`
	page
}

// showDiff compares two revisions, or the tip with what the last checkpoints hold.
func showDiff(ctx context.Context, rd *query.Reading, a showArgs) (any, error) {
	d, err := query.Diff(ctx, rd.Ledger, a.From, a.To)
	if err != nil {
		return nil, err
	}
	out := &diffAnswer{DiffAnswer: d, Commit: rd.Commit}
	out.Changes, out.page, err = windowOf(a.paging, d.Changes, false)
	return out, err
}

// conflictsAnswer lists disputed records with their sides.
type conflictsAnswer struct {
	Format   int              `json:"format"`
	Commit   gitstore.OID     `json:"commit"`
	Branch   string           `json:"branch"`
	Disputed []disputedAnswer `json:"disputed"`
	page
}

type disputedAnswer struct {
	ID     records.ID    `json:"id"`
	Title  string        `json:"title"`
	Fields []fieldAnswer `json:"fields"`
}

type fieldAnswer struct {
	Field string       `json:"field"`
	Sides []sideAnswer `json:"sides"`
}

// sideAnswer is a side; Pick is its number for update's resolve.
type sideAnswer struct {
	Pick  int           `json:"pick"`
	Value string        `json:"value"`
	By    string        `json:"by,omitempty"`
	Actor records.Actor `json:"actor,omitempty"`
}

func showConflicts(ctx context.Context, rd *query.Reading, a showArgs) (any, error) {
	rs, err := findAll(rd, a.IDs)
	if err != nil {
		return nil, err
	}
	if len(a.IDs) == 0 {
		ls, _, err := query.List(rd, query.ListOptions{States: []string{string(records.InDoubt)}, Limit: 10 * mostItems})
		if err != nil {
			return nil, err
		}
		for _, l := range ls {
			rs = append(rs, l.Record)
		}
	}
	rs, p, err := window(a.paging, rs)
	if err != nil {
		return nil, err
	}
	out := &conflictsAnswer{Format: query.AnswerFormat, Commit: rd.Commit, Branch: rd.Branch, Disputed: []disputedAnswer{}, page: p}
	for _, r := range rs {
		if !r.Disputed() {
			return nil, fmt.Errorf("'%s' is not disputed", r.ID)
		}
		d, err := rd.Ledger.Dispute(ctx, rd.Commit, r)
		if err != nil {
			return nil, err
		}
		out.Disputed = append(out.Disputed, disputed(d))
	}
	return out, nil
}

func disputed(d *ledger.Dispute) disputedAnswer {
	out := disputedAnswer{ID: d.Record.ID, Title: query.TitleOf(d.Record)}
	for _, f := range d.Fields {
		fa := fieldAnswer{Field: f.Field}
		for i, side := range f.Sides {
			v := ledger.ShowValue(side.Value)
			if side.Verdict != nil {
				v = string(side.Verdict.State)
			}
			fa.Sides = append(fa.Sides, sideAnswer{i + 1, v, side.By, side.Actor})
		}
		out.Fields = append(out.Fields, fa)
	}
	return out
}
