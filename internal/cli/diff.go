package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
)

// spanFlags narrow a look at history down.
type spanFlags struct{ since, until, kind, actor string }

func (f *spanFlags) bind(fs *pflag.FlagSet) {
	fs.StringVar(&f.since, "since", "", "only what is not older than `DATE`; a bare date is midnight UTC")
	fs.StringVar(&f.until, "until", "", "only what is not younger than `DATE`")
	fs.StringVar(&f.kind, "kind", "", "only records of `KIND`")
	fs.StringVar(&f.actor, "actor", "", "only what `ACTOR` did: human, agent, or one agent as agent/NAME")
}

// check reads the kind and refuses dates that are none.
func (f *spanFlags) check(now time.Time) (records.Kind, error) {
	for _, d := range []struct{ flag, value string }{{"--since", f.since}, {"--until", f.until}} {
		if d.value == "" {
			continue
		}
		if _, err := ledger.ParseDate(d.value, now); err != nil {
			return "", usagef("", "option '%s': %w", d.flag, err)
		}
	}
	if f.kind == "" {
		return "", nil
	}
	k, err := records.ParseKind(f.kind)
	if err != nil {
		return "", usagef("", "%w", err)
	}
	return k, nil
}

type diffOptions struct {
	span     spanFlags
	script   scriptFlags
	exitCode bool
	stat     bool
}

func newDiffCmd(env *Env) *cobra.Command {
	o := &diffOptions{}
	cmd := &cobra.Command{
		Use: "diff [A [B] | A..B]", Short: "show which records changed, and how",
		Long: `Show which records changed: since the last checkpoint when nothing is named, from A to
the current branch, or from A to B. A and B are context branches with git's suffixes
(main~3), store commits or dates; HEAD is the tip of the current context branch.

Each record is a line: + is new, ~ changed, ! disputed, unreadable or gone; below it
the fields that differ.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 2 {
				return usagef("git ctx diff A B", "'diff' takes two revisions at most, got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runDiff(cmd.Context(), env, o, args) },
	}
	o.span.bind(cmd.Flags())
	o.script.bind(cmd.Flags(), "mark, id or path, old state, new state, title")
	cmd.Flags().BoolVar(&o.stat, "stat", false, "a line for each record, and their number, without the fields")
	cmd.Flags().BoolVar(&o.exitCode, "exit-code", false, "exit with 1 when anything differs")
	return cmd
}

// A compared is what a diff runs between; from is empty for the empty store.
type compared struct {
	from []gitstore.OID
	to   gitstore.OID
	ds   []ledger.Difference
}

func runDiff(ctx context.Context, env *Env, o *diffOptions, args []string) error {
	if err := env.formats(); err != nil {
		return err
	}
	kind, err := o.span.check(env.Now())
	if err != nil {
		return err
	}
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	c, err := compareRevisions(ctx, led, &o.span, args)
	if err != nil {
		return err
	}
	if err := c.narrow(ctx, led, kind, o.span.actor); err != nil {
		return err
	}
	if err := writeDiff(ctx, env, led, o, c); err != nil {
		return err
	}
	if o.exitCode && len(c.ds) > 0 {
		return errNo
	}
	return nil
}

func writeDiff(ctx context.Context, env *Env, led *ledger.Ledger, o *diffOptions, c *compared) error {
	changed := query.ChangedOf(c.ds)
	switch {
	case env.json():
		return env.writeJSON(query.DiffAnswer{Format: jsonFormat, From: append([]gitstore.OID{}, c.from...), To: c.to, Changes: changed})
	case o.script.wanted():
		return o.script.changes(env, changed)
	case len(c.ds) == 0:
		return nil
	}
	ids, err := led.IDs(ctx, c.to)
	if err != nil {
		return err
	}
	return env.page(ctx, ui.SortedIDs(ids), func(p *page) {
		for _, d := range changed {
			p.change("", d)
			if !o.stat {
				p.fieldChanges(d.Fields)
			}
		}
		if o.stat {
			p.Printf("%s\n", changedLine(changed))
		}
	})
}

// changes writes changed records for a script.
func (f scriptFlags) changes(env *Env, changed []query.Changed) error {
	for _, d := range changed {
		if err := f.row(env, d.Op, d.Name(), string(d.OldState), string(d.NewState), d.Title); err != nil {
			return err
		}
	}
	return nil
}

// compareRevisions finds the two ends that the arguments and dates name.
func compareRevisions(ctx context.Context, led *ledger.Ledger, span *spanFlags, args []string) (*compared, error) {
	dated := span.since != "" || span.until != ""
	if len(args) > 0 && dated {
		return nil, usagef("", "options '--since' and '--until' stand for revisions: name either dates or revisions")
	}
	if len(args) == 0 && span.since == "" {
		return compareWorking(ctx, led, span.until)
	}
	a, b := span.since, span.until
	if len(args) > 0 {
		a, b = args[0], "HEAD"
		if from, to, ok := strings.Cut(args[0], ".."); ok {
			if len(args) > 1 || strings.HasPrefix(to, ".") {
				return nil, usagef("git ctx diff A..B", "'%s' is not a range that diff takes", strings.Join(args, " "))
			}
			a, b = orHead(from), orHead(to)
		} else if len(args) == 2 {
			b = args[1]
		}
	}
	c := &compared{}
	from, err := led.Resolve(ctx, a)
	var unknown *ledger.RevisionError
	switch {
	case err == nil:
		c.from = []gitstore.OID{from}
	case dated && errors.As(err, &unknown): // the branch began after that date: all of it is new
	default:
		return nil, err
	}
	if c.to, err = led.Resolve(ctx, orHead(b)); err != nil {
		return nil, err
	}
	var base gitstore.OID
	if len(c.from) > 0 {
		base = c.from[0]
	}
	c.ds, err = led.Diff(ctx, base, c.to)
	return c, err
}

func orHead(rev string) string {
	if rev == "" {
		return "HEAD"
	}
	return rev
}

// compareWorking is the diff of what no checkpoint holds.
func compareWorking(ctx context.Context, led *ledger.Ledger, until string) (*compared, error) {
	if until != "" {
		return nil, usagef("git ctx diff --since DATE --until DATE", "option '--until' needs '--since', or two revisions")
	}
	w, err := led.Working(ctx, -1)
	if err != nil {
		return nil, err
	}
	return &compared{from: w.Since, to: w.Tip, ds: w.Changes}, nil
}

// narrow keeps the differences of a kind, and those of records that an actor's commits touched.
func (c *compared) narrow(ctx context.Context, led *ledger.Ledger, kind records.Kind, actor string) error {
	var touched map[records.ID]bool
	if actor != "" {
		var err error
		if touched, err = led.TouchedBy(ctx, c.from, c.to, func(e *commitmsg.LogEntry) bool { return e.By(actor) }); err != nil {
			return err
		}
	}
	var kept []ledger.Difference
	for _, d := range c.ds {
		if (kind == "" || d.ID.Kind() == kind) && (actor == "" || touched[d.ID]) {
			kept = append(kept, d)
		}
	}
	c.ds = kept
	return nil
}

// changes lists changed records, the first few when limit is not 0.
func (p *page) changes(cs []changedJSON, limit int, all string) {
	for i, c := range cs {
		if limit > 0 && i == limit {
			p.Printf("  … and %d more: %s\n", len(cs)-i, all)
			return
		}
		p.change("  ", c)
	}
}

// change is a changed record's line.
func (p *page) change(prefix string, c changedJSON) {
	what := string(c.NewState)
	switch {
	case c.Problem != "":
		what = c.Problem
	case c.OldState != "" && c.OldState != c.NewState:
		what = fmt.Sprintf("%s → %s", c.OldState, c.NewState)
	}
	mark := map[string]ui.Colour{"+": ui.Green, "~": ui.Yellow, "!": ui.Red}[c.Op]
	name := c.Path
	if c.ID != "" {
		name = p.Short(c.ID)
	}
	line := what
	if c.Title != "" {
		line += ": " + c.Title
	}
	p.Printf("%s%s %s %s\n", prefix, ui.Painted{Text: c.Op, Colour: mark}, ui.Painted{Text: name, Colour: ui.Yellow}, line)
}

// lineValue is how long values may be to stand old and new on one line.
const lineValue = 48

func (p *page) fieldChanges(fs []query.FieldChange) {
	for _, f := range fs {
		old, now := orNothing(f.Old), orNothing(f.New)
		if fitsLine(old) && fitsLine(now) {
			p.Printf("    %s: %s → %s\n", f.Field, old, now)
			continue
		}
		p.Printf("    %s:\n", f.Field)
		gone, come := differingLines(f.Old, f.New)
		for _, l := range gone {
			p.Printf("      %s\n", ui.Painted{Text: "- " + l, Colour: ui.Red})
		}
		for _, l := range come {
			p.Printf("      %s\n", ui.Painted{Text: "+ " + l, Colour: ui.Green})
		}
	}
}

func fitsLine(s string) bool {
	return utf8.RuneCountInString(s) <= lineValue && !strings.Contains(s, "\n")
}

// differingLines leaves the lines that two texts begin and end with alike out.
func differingLines(old, now string) (gone, come []string) {
	gone, come = lines(old), lines(now)
	for len(gone) > 0 && len(come) > 0 && gone[0] == come[0] {
		gone, come = gone[1:], come[1:]
	}
	for len(gone) > 0 && len(come) > 0 && gone[len(gone)-1] == come[len(come)-1] {
		gone, come = gone[:len(gone)-1], come[:len(come)-1]
	}
	return gone, come
}

func lines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

func orNothing(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}
