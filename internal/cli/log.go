package cli

import (
	"context"
	"errors"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
)

type logOptions struct {
	span   spanFlags
	script scriptFlags
	all    bool
	limit  int

	oneline, patch, stat, graph bool
}

func newLogCmd(env *Env) *cobra.Command {
	o := &logOptions{}
	cmd := &cobra.Command{
		Use: "log [REV | A..B] [ID]", Short: "show checkpoints and merges, or a record's full history",
		Long: `Show the history of the current context branch, or of the revisions named: checkpoints
and merges, and with --all every verb; all of them too where there is no checkpoint yet.
With a record, show every commit that changed
it: from which state to which, who, why, and the code commit at that time. Revisions
are as in git ctx diff: HEAD is the tip of the current context branch, not of the code.`,
		RunE: func(cmd *cobra.Command, args []string) error { return runLog(cmd.Context(), env, o, args) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "every verb, not checkpoints and merges alone")
	f.IntVarP(&o.limit, "max-count", "n", 0, "at most `N` commits")
	f.BoolVar(&o.oneline, "oneline", false, "a line for each commit")
	f.BoolVarP(&o.patch, "patch", "p", false, "with each commit the records that it changed, field by field")
	f.BoolVar(&o.stat, "stat", false, "with each commit the records that it changed, a line each")
	f.BoolVar(&o.graph, "graph", false, "draw how branches and merges go, a line for each commit; implies --all")
	o.span.bind(f)
	o.script.bind(f, "commit, date, actor, verb, subject; with ID also old state, new state")
	return cmd
}

func runLog(ctx context.Context, env *Env, o *logOptions, args []string) error {
	if err := env.formats(); err != nil {
		return err
	}
	if o.limit < 0 {
		return usagef("git ctx log -n 50", "option '-n' '%d': give a number of commits, or 0 for all", o.limit)
	}
	kind, err := o.span.check(env.Now())
	if err != nil {
		return err
	}
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	branch, tip, err := led.Tip(ctx)
	if err != nil {
		return err
	}
	if o.graph && (o.span != spanFlags{} || o.script.wanted() || env.json() || o.patch || o.stat) {
		return usagef("git ctx log --graph", "option '--graph' takes revisions and -n alone")
	}
	lg := &logging{env: env, led: led, o: o, kind: kind, branch: branch, tip: tip}
	if err := lg.ask(ctx, args); err != nil {
		return err
	}
	if o.span.since != "" {
		lg.q.Since, _ = ledger.ParseDate(o.span.since, env.Now()) // both were checked
	}
	if o.span.until != "" {
		lg.q.Until, _ = ledger.ParseDate(o.span.until, env.Now())
	}
	switch {
	case o.graph && lg.record != nil:
		return usagef("git ctx log "+string(lg.record.ID), "option '--graph' draws whole histories, not a record's")
	case o.graph:
		return lg.drawn(ctx)
	}
	if err := lg.orAll(ctx); err != nil {
		return err
	}
	return lg.write(ctx)
}

// orAll has every verb shown where there is neither checkpoint nor merge.
func (lg *logging) orAll(ctx context.Context) error {
	if lg.record != nil || lg.o.all {
		return nil
	}
	for e, err := range lg.led.History(ctx, lg.q) {
		if err != nil || lg.wanted(e) {
			return err
		}
	}
	lg.verbs = true
	return nil
}

// drawn shows the history as a graph.
func (lg *logging) drawn(ctx context.Context) error {
	tips := lg.q.From
	if len(tips) == 0 {
		tips = []gitstore.OID{lg.tip}
	}
	lines, err := lg.led.Repo().LogGraph(ctx, gitstore.LogOptions{Tips: tips, Exclude: lg.q.Exclude, Limit: lg.o.limit})
	if err != nil {
		return err
	}
	err = lg.env.page(ctx, nil, func(p *page) {
		for _, l := range lines {
			if l.Commit == "" {
				p.Printf("%s\n", l.Edges)
				continue
			}
			e, err := lg.led.Entry(ctx, l.Commit)
			if err != nil {
				lg.failed = err
				return
			}
			p.Printf("%s", l.Edges)
			p.logLine(query.EntryOf(&ledger.Transition{LogEntry: e}, false))
		}
	})
	return errors.Join(lg.failed, err)
}

// logging is one log command under way.
type logging struct {
	env    *Env
	led    *ledger.Ledger
	o      *logOptions
	kind   records.Kind
	branch string
	tip    gitstore.OID
	q      ledger.HistoryQuery
	record *records.Record // of log ID
	verbs  bool            // every verb, as there is neither checkpoint nor merge; what joins a scope with the project is none
	shown  int
	failed error
}

// ask reads the arguments: revisions, ranges, and one record.
func (lg *logging) ask(ctx context.Context, args []string) error {
	var names []string
	for _, a := range args {
		if strings.HasPrefix(a, "@") && !strings.ContainsAny(a, "~^{.") || records.ID(a).Kind() != "" {
			names = append(names, a)
			continue
		}
		err := lg.revision(ctx, a)
		var unknown *ledger.RevisionError
		if errors.As(err, &unknown) {
			if _, idErr := records.MatchPrefix(nil, a); idErr == nil {
				names = append(names, a) // an id without its kind
				continue
			}
		}
		if err != nil {
			return err
		}
	}
	if len(names) > 1 {
		return usagef("git ctx log "+names[0], "log shows one record's history, got '%s' too", names[1])
	}
	if len(names) == 0 {
		return nil
	}
	return lg.find(ctx, names[0])
}

func (lg *logging) revision(ctx context.Context, rev string) error {
	from, to, isRange := strings.Cut(rev, "..")
	if strings.HasPrefix(to, ".") {
		return usagef("git ctx log A..B", "'%s': log takes no symmetric range", rev)
	}
	if isRange {
		oid, err := lg.led.Resolve(ctx, orHead(from))
		if err != nil {
			return err
		}
		lg.q.Exclude = append(lg.q.Exclude, oid)
		lg.o.all = true // who names a range wants what is in it
		rev = orHead(to)
	}
	oid, err := lg.led.Resolve(ctx, rev)
	if err == nil {
		lg.q.From = append(lg.q.From, oid)
	}
	return err
}

// find looks the record up where the history starts.
func (lg *logging) find(ctx context.Context, name string) error {
	v, err := lg.led.View(ctx)
	if len(lg.q.From) > 0 {
		v, err = lg.led.ViewAt(ctx, string(lg.q.From[0]))
	}
	if err != nil {
		return err
	}
	if lg.record, err = lg.led.Find(v, name); err == nil {
		lg.q.Record = lg.record.ID
	}
	return err
}

// entries yields what the log shows, newest first; an error ends it and stays in failed.
func (lg *logging) entries(ctx context.Context) iter.Seq[query.Entry] {
	return func(yield func(query.Entry) bool) {
		for t, err := range lg.history(ctx) {
			if err != nil {
				lg.failed = err
				return
			}
			if !lg.wanted(t.LogEntry) {
				continue
			}
			out := query.EntryOf(t, lg.record != nil)
			if lg.o.patch || lg.o.stat {
				if out.Changes, lg.failed = lg.changes(ctx, t.LogEntry); lg.failed != nil {
					return
				}
			}
			if lg.shown++; !yield(out) || lg.shown == lg.o.limit {
				return
			}
		}
	}
}

// changes is what a commit did to records, against its first parent.
func (lg *logging) changes(ctx context.Context, e *commitmsg.LogEntry) ([]query.Changed, error) {
	var parent gitstore.OID
	if len(e.Parents) > 0 {
		parent = e.Parents[0]
	}
	ds, err := lg.led.Diff(ctx, parent, e.OID)
	return query.ChangedOf(ds), err
}

func (lg *logging) history(ctx context.Context) iter.Seq2[*ledger.Transition, error] {
	if lg.record != nil {
		return lg.led.RecordHistory(ctx, lg.q)
	}
	return func(yield func(*ledger.Transition, error) bool) {
		for e, err := range lg.led.History(ctx, lg.q) {
			if !yield(&ledger.Transition{LogEntry: e}, err) || err != nil {
				return
			}
		}
	}
}

func (lg *logging) wanted(e *commitmsg.LogEntry) bool {
	if lg.o.span.actor != "" && !e.By(lg.o.span.actor) || lg.kind != "" && !e.About(lg.kind) {
		return false
	}
	return lg.record != nil || lg.o.all || e.IsCheckpoint() || (e.IsMerge() || lg.verbs) && !e.IsJoin()
}

func (lg *logging) write(ctx context.Context) error {
	var err error
	switch {
	case lg.env.json():
		out := query.LogAnswer{Format: jsonFormat, Branch: lg.branch, Tip: lg.tip, Record: lg.q.Record, Commits: []query.Entry{}}
		for e := range lg.entries(ctx) {
			out.Commits = append(out.Commits, e)
		}
		if lg.failed == nil {
			return lg.env.writeJSON(out)
		}
	case lg.o.script.wanted():
		for e := range lg.entries(ctx) {
			if err = lg.row(e); err != nil {
				break
			}
		}
	default:
		var ids []records.ID
		if lg.o.patch || lg.o.stat {
			if ids, err = lg.led.IDs(ctx, lg.tip); err != nil {
				return err
			}
		}
		err = lg.env.page(ctx, ui.SortedIDs(ids), func(p *page) { lg.text(ctx, p) })
	}
	return errors.Join(lg.failed, err)
}

func (lg *logging) row(e query.Entry) error {
	fields := []string{string(e.Commit), e.At, string(e.Actor), e.Verb, e.Subject}
	if e.Change != nil {
		fields = append(fields, string(e.Change.OldState), string(e.Change.NewState))
	}
	return lg.o.script.row(lg.env, fields...)
}

func (lg *logging) text(ctx context.Context, p *page) {
	if r := lg.record; r != nil {
		p.Printf("%s %s  %s\n%s\n\n", r.Kind, ui.Painted{Text: string(r.ID), Colour: ui.Yellow}, query.StateWord(r.State()), ui.Painted{Text: query.TitleOf(r), Colour: ui.Bold})
	}
	for e := range lg.entries(ctx) {
		lg.entry(p, e)
		if p.Err() != nil {
			return
		}
	}
}

// entry writes a commit in the form that the options ask for.
func (lg *logging) entry(p *page, e query.Entry) {
	if lg.o.oneline {
		p.logLine(e)
	} else {
		p.logEntry(e)
	}
	for _, c := range e.Changes {
		p.change("  ", c)
		if lg.o.patch {
			p.fieldChanges(c.Fields)
		}
	}
	if lg.o.stat && len(e.Changes) > 0 {
		p.Printf("  %s\n", changedLine(e.Changes))
	}
}

// logLine writes a commit in a line, as git log --oneline does.
func (p *page) logLine(e query.Entry) {
	subject, hue := entrySubject(e)
	p.Printf("%s %s\n", ui.Painted{Text: shortOID(e.Commit), Colour: ui.Yellow}, ui.Painted{Text: subject, Colour: hue})
}

// entrySubject says what a commit did, and in which colour.
func entrySubject(e query.Entry) (string, ui.Colour) {
	subject, hue := e.Subject, ui.Plain
	switch {
	case e.Checkpoint:
		subject, hue = "checkpoint: "+subject, ui.Bold
	case e.Merge && !strings.HasPrefix(subject, "merge"):
		subject, hue = "merge: "+subject, ui.Cyan
	case e.Merge:
		hue = ui.Cyan
	}
	if e.Change != nil {
		subject = e.Change.Step(e.Verb, e.Subject)
	}
	return subject, hue
}

// logEntry writes a commit: a line that says when, who and what, and below it why.
func (p *page) logEntry(e query.Entry) {
	subject, hue := entrySubject(e)
	p.Printf("%s  %s  %s  %s\n", ui.Painted{Text: shortOID(e.Commit), Colour: ui.Yellow}, e.At, e.Actor, ui.Painted{Text: subject, Colour: hue})
	p.Block(e.Body)
	if e.Problem != "" {
		p.Printf("    %s\n", ui.Painted{Text: "invalid message: " + e.Problem, Colour: ui.Red})
	}
	if e.Change == nil {
		return
	}
	for _, f := range e.Change.Fields {
		if !strings.HasPrefix(f.Field, "verdict.state") && f.Field != "verdict.reason" { // the line and the body say these
			p.fieldChanges([]query.FieldChange{f})
		}
	}
	if e.Code != "" {
		p.Printf("    %s\n", ui.Painted{Text: "code " + shortOID(e.Code), Colour: ui.Dim})
	}
}
