package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/codelink"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

type whyOptions struct {
	read readFlags
	all  bool
}

func newWhyCmd(env *Env) *cobra.Command {
	o := &whyOptions{}
	cmd := &cobra.Command{
		Use: "why PATH[:A-B]", Short: "show the records that say why a file or its lines are as they are",
		Long: `Show the records that bear on a file, or on lines A to B of it, and how each was found: by
an anchor that cites the lines, by a commit of the code that names the record, by a glob
that meets the file. Decisions stand first, what was ruled out last, as a warning.

Commits are those of git blame for lines (blame.ignoreRevsFile holds, moved lines are
followed) and of git log --follow for a file. They name records in Ctx-Task, Ctx-Decision
or Ctx-Record trailers, on any line of the message, or by whole ids. A record that was
superseded is shown by what took its place. Exit 1 when nothing is found.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("git ctx why PATH:40-58", "'why' needs one path, got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runWhy(cmd.Context(), env, o, args[0]) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "also what was retracted, retired or superseded")
	o.read.bind(f)
	return cmd
}

func runWhy(ctx context.Context, env *Env, o *whyOptions, spec string) error {
	if err := env.formats(); err != nil {
		return err
	}
	q := query.WhyOptions{All: o.all}
	name := spec
	if _, err := os.Lstat(env.path(spec)); err != nil { // else the file's name ends like lines do
		if name, q.From, q.To, err = codelink.SplitLines(spec); err != nil {
			return usagef("git ctx why PATH:40-58", "path '%s': %w", spec, err)
		}
	}
	rd, err := env.read(ctx, o.read)
	if err != nil {
		return err
	}
	if q.File, err = rd.Ledger.TopPath(name); err != nil {
		return err
	}
	w, err := query.Why(ctx, rd.Reading, q)
	if err != nil {
		return err
	}
	env.noteWhy(q, w)
	switch {
	case env.json():
		err = env.writeJSON(query.WhyAnswerOf(rd.Reading, q, w))
	case len(w.Reasons) > 0:
		err = env.page(ctx, rd.View, func(p *page) {
			for _, r := range w.Reasons {
				p.reason(rd, r)
			}
		})
	}
	if err == nil && len(w.Reasons) == 0 {
		err = errNo
	}
	return err
}

// noteWhy says what was looked at, where that is not all that was asked for.
func (e *Env) noteWhy(q query.WhyOptions, w *query.WhyResult) {
	if !w.Origin.InGit {
		e.note("'%s' is in no commit at HEAD: only paths and anchors are looked at", q.File)
	}
	if len(w.Origin.Uncommitted) > 0 {
		e.note("not committed yet: lines %s", strings.Join(w.Origin.Uncommitted, ", "))
	}
	if w.Origin.More {
		e.note("older commits are left aside: name lines, as in %s:1-20", q.File)
	}
	for _, name := range w.Unknown {
		e.note("a commit names '%s', which is not a record here", name)
	}
	switch {
	case w.LeftOut > 0:
		e.note("left out: %s that no longer %s: --all shows them", text.Plural(w.LeftOut, "record"), either(w.LeftOut == 1, "stands", "stand"))
	case len(w.Reasons) == 0:
		e.note("no record says why: git ctx decision add 'TITLE' --path %s", q.File)
	}
}

// reason writes a record that bears on code, its verdict's reason and how it was found.
func (p *page) reason(rd *reading, r query.Reason) {
	if r.Standing.Class == records.RuledOut {
		p.Printf("%s ", ui.Painted{Text: "warning:", Colour: ui.Red})
	}
	remark := ""
	if rs := rd.Remarks(r.Record, r.Standing); len(rs) > 0 {
		remark = "  (" + strings.Join(rs, "; ") + ")"
	}
	p.Printf("%s  %s  %s%s\n", p.ID(r.Record.ID), ui.Painted{Text: query.StateWord(r.Standing.State), Colour: classColour(r.Standing.Class)},
		query.TitleOf(r.Record), ui.Painted{Text: remark, Colour: ui.Dim})
	if v := r.Record.Verdict; v != nil && v.Reason != "" {
		first, _, _ := strings.Cut(v.Reason, "\n")
		p.Printf("    reason: %s\n", first)
	}
	for _, b := range r.Because {
		p.Printf("    %s\n", ui.Painted{Text: p.because(b), Colour: ui.Dim})
	}
}

// because says how a record was found.
func (p *page) because(b query.Match) string {
	var s string
	switch b.How {
	case query.ByAnchor:
		s = "anchor"
		if b.Lines != "" {
			s += " lines " + b.Lines
		}
		if b.State != codelink.Current {
			s += fmt.Sprintf(" (%s)", b.State)
		}
	case query.ByPath:
		s = "path " + b.Glob
	default:
		s = fmt.Sprintf("commit %s %s", shortOID(b.Commit), b.Subject)
		if b.Lines != "" {
			s += ", lines " + b.Lines
		}
		s += ", " + either(b.Via == "", "in its text", "via "+b.Via)
	}
	if b.Path != "" {
		s += ", as " + b.Path
	}
	if b.Instead != "" {
		s += fmt.Sprintf(", in place of %s", p.Short(b.Instead))
	}
	return s
}
