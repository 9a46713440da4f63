package query

import (
	"cmp"
	"context"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// DiffAnswer is the JSON answer of diff.
type DiffAnswer struct {
	Format  int            `json:"format"`
	From    []gitstore.OID `json:"from"` // several: the checkpoints; none: the empty store
	To      gitstore.OID   `json:"to"`
	Changes []Changed      `json:"changes"`
}

// Changed is one changed record in JSON answers; see [ledger.FieldChange] for the values.
type Changed struct {
	Op       string        `json:"op"` // + ~ !
	ID       records.ID    `json:"id,omitempty"`
	Path     string        `json:"path"`
	OldState records.State `json:"old_state,omitempty"`
	NewState records.State `json:"new_state,omitempty"`
	Title    string        `json:"title,omitempty"`
	Problem  string        `json:"problem,omitempty"`
	Fields   []FieldChange `json:"fields"`
}

// FieldChange is one field that differs.
type FieldChange struct {
	Field string `json:"field"`
	Old   string `json:"old"`
	New   string `json:"new"`
}

// ChangedOf is differences as answers show them.
func ChangedOf(ds []ledger.Difference) []Changed {
	out := make([]Changed, 0, len(ds))
	for _, d := range ds {
		c := Changed{Op: d.Op, ID: d.ID, Path: d.Path, Problem: d.Problem, Fields: []FieldChange{}}
		if d.Old != nil {
			c.Title = TitleOf(d.Old)
			c.OldState = records.State(StateWord(d.Old.State()))
		}
		if d.New != nil {
			c.Title = TitleOf(d.New)
			c.NewState = records.State(StateWord(d.New.State()))
		}
		for _, f := range d.Fields {
			c.Fields = append(c.Fields, FieldChange(f))
		}
		out = append(out, c)
	}
	return out
}

// Name is the record's id, or the path of what is not a record.
func (c *Changed) Name() string {
	if c.ID != "" {
		return string(c.ID)
	}
	return c.Path
}

// Step says what a commit did to the record that log follows.
func (c *Changed) Step(verb, subject string) string {
	if verb == "" {
		verb = subject // a commit made by hand
	}
	switch {
	case c.Problem != "":
		return verb + ": " + c.Problem
	case c.OldState == c.NewState:
		return verb + " (" + string(c.NewState) + ")"
	case c.OldState == "":
		return verb + ": " + string(c.NewState)
	}
	return verb + ": " + string(c.OldState) + " → " + string(c.NewState)
}

// Entry is a store commit in the JSON answer of log.
type Entry struct {
	Commit     gitstore.OID   `json:"commit"`
	Parents    []gitstore.OID `json:"parents"`
	At         string         `json:"at"`
	By         string         `json:"by"`
	Actor      records.Actor  `json:"actor"`
	Verb       string         `json:"verb,omitempty"`
	Subject    string         `json:"subject"`
	Body       string         `json:"body,omitempty"`
	Checkpoint bool           `json:"checkpoint"`
	Merge      bool           `json:"merge"`
	Records    []records.ID   `json:"records"`
	Code       string         `json:"code,omitempty"`
	Tool       string         `json:"tool,omitempty"`
	Model      string         `json:"model,omitempty"`
	Session    string         `json:"session,omitempty"`
	Problem    string         `json:"problem,omitempty"` // what is wrong with the message
	Change     *Changed       `json:"change,omitempty"`  // what it did to the record, in log ID
	Changes    []Changed      `json:"changes,omitempty"` // what it did to records, in log --patch and --stat
}

// EntryOf is a commit as answers show it, with what it did to a record where one is followed.
func EntryOf(t *ledger.Transition, followed bool) Entry {
	m := t.Message
	out := Entry{Commit: t.OID, Parents: append([]gitstore.OID{}, t.Parents...), At: records.FormatInstant(t.Committer.When), By: t.Author.Name,
		Actor: m.Actor, Verb: m.Verb, Subject: m.Subject, Body: m.Body, Checkpoint: t.IsCheckpoint(), Merge: t.IsMerge(),
		Records: append([]records.ID{}, m.Records...), Code: m.Code, Tool: m.Tool, Model: m.Model, Session: m.Session}
	if t.MessageErr != nil {
		out.Problem = t.MessageErr.Error()
	}
	if followed {
		out.Change = &ChangedOf([]ledger.Difference{t.Difference})[0]
	}
	return out
}

// LogAnswer is the JSON answer of log.
type LogAnswer struct {
	Format  int          `json:"format"`
	Branch  string       `json:"branch"`
	Tip     gitstore.OID `json:"tip"`
	Record  records.ID   `json:"record,omitempty"`
	Commits []Entry      `json:"commits"`
}

// Log reads up to limit of the commits that a query selects, newest first, on a
// branch by that name; all when limit is 0. With a record each says what it did to it.
func Log(ctx context.Context, l *ledger.Ledger, q ledger.HistoryQuery, branch string, limit int) (LogAnswer, error) {
	out := LogAnswer{Format: AnswerFormat, Branch: branch, Record: q.Record, Commits: []Entry{}}
	if len(q.From) > 0 {
		out.Tip = q.From[0]
	}
	if q.Record != "" {
		for t, err := range l.RecordHistory(ctx, q) {
			if err != nil {
				return out, err
			}
			if out.Commits = append(out.Commits, EntryOf(t, true)); len(out.Commits) == limit {
				break
			}
		}
		return out, nil
	}
	for e, err := range l.History(ctx, q) {
		if err != nil {
			return out, err
		}
		if out.Commits = append(out.Commits, EntryOf(&ledger.Transition{LogEntry: e}, false)); len(out.Commits) == limit {
			break
		}
	}
	return out, nil
}

// Diff compares two revisions; without any, the current tip with the checkpoints
// that bound its working context, and without the second, with the current tip.
func Diff(ctx context.Context, l *ledger.Ledger, from, to string) (DiffAnswer, error) {
	out := DiffAnswer{Format: AnswerFormat, From: []gitstore.OID{}}
	if from == "" && to == "" {
		w, err := l.Working(ctx, -1)
		if err != nil {
			return out, err
		}
		out.From, out.To, out.Changes = append(out.From, w.Since...), w.Tip, ChangedOf(w.Changes)
		return out, nil
	}
	a, err := l.Resolve(ctx, cmp.Or(from, "HEAD"))
	if err != nil {
		return out, err
	}
	if out.To, err = l.Resolve(ctx, cmp.Or(to, "HEAD")); err != nil {
		return out, err
	}
	ds, err := l.Diff(ctx, a, out.To)
	out.From, out.Changes = append(out.From, a), ChangedOf(ds)
	return out, err
}
