package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/guard"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

type guardOptions struct {
	staged, worktree, patch bool
	span                    string
}

func newGuardCmd(env *Env) *cobra.Command {
	o := &guardOptions{}
	cmd := &cobra.Command{
		Use: "guard", Short: "show which records a change of the code touches; exit 1 when one in force", Args: noArgs,
		Long: `Show the records that a change of the code touches, worst first: those whose cited lines or
whose paths it changes, and what stands on them, link after link. What was ruled out and looks
like the change stands last, as a maybe.

The change is the code's index, or what an option names. Exit 1 when anything in force is
touched: an accepted decision or conclusion, a supported hypothesis, evidence, an active
runbook.

--format is text, json, sarif (2.1.0), github (workflow annotations), junit, or markdown, one
comment for a pull request, whose first line tells it from all other comments.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runGuard(cmd.Context(), env, o) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.staged, "staged", false, "the code's index against HEAD; the default")
	f.BoolVar(&o.worktree, "worktree", false, "the files of the worktree against HEAD")
	f.StringVar(&o.span, "range", "", "the commits of `A..B`, or A...B since they parted")
	f.BoolVar(&o.patch, "patch", false, "a patch on standard input, as it applies to HEAD")
	return cmd
}

func runGuard(ctx context.Context, env *Env, o *guardOptions) error {
	if err := env.formats("sarif", "github", "junit", "markdown"); err != nil {
		return err
	}
	named := 0
	for _, one := range []bool{o.staged, o.worktree, o.span != "", o.patch} {
		if one {
			named++
		}
	}
	if named > 1 {
		return usagef("git ctx guard --staged", "options '--staged', '--worktree', '--range' and '--patch' exclude each other")
	}
	rd, err := env.read(ctx, readFlags{})
	if err != nil {
		return err
	}
	q := guard.Options{Worktree: o.worktree, Range: o.span, Titles: true}
	if o.patch {
		q.Patch = env.Stdin
	}
	if rd.Ledger.Repo().Bare() && o.span == "" {
		return usagef("git ctx guard --range A..B", "a bare repository has no index and no worktree: name a range")
	}
	res, err := guard.Run(ctx, rd.Reading, q)
	if err != nil {
		if o.span != "" && rd.Ledger.Repo().Shallow() {
			return &hintedError{fmt.Errorf("%w: this clone is shallow, and ends before the range may do", err), "git fetch --deepen=100"}
		}
		return err
	}
	if err := env.writeGuard(ctx, rd, res); err != nil {
		return err
	}
	if res.InForce() {
		return errNo
	}
	return nil
}

// guardJSON is the JSON answer of guard.
type guardJSON struct {
	Format  int           `json:"format"`
	Commit  string        `json:"commit"`
	Branch  string        `json:"branch"`
	Files   []string      `json:"files"`
	InForce bool          `json:"in_force"`
	Touched []touchedJSON `json:"touched"`
	Maybe   []maybeJSON   `json:"maybe"`
}

type touchedJSON struct {
	query.Line
	InForce bool          `json:"in_force"`
	At      []guard.Place `json:"at,omitempty"`
	On      []records.ID  `json:"stands_on,omitempty"`
}

type maybeJSON struct {
	query.Line
	At    []guard.Place `json:"at,omitempty"`
	Added string        `json:"added_to,omitempty"`
}

func (e *Env) writeGuard(ctx context.Context, rd *reading, res *guard.Result) error {
	name := func(id records.ID) string { return rd.Abbreviate(id, query.ShownID) }
	rep := report{guard.Rules(), guardPage, res.Findings(name), res.Places}
	switch e.format {
	case "json":
		out := guardJSON{Format: jsonFormat, Commit: string(rd.Commit), Branch: rd.Branch, Files: append([]string{}, res.Files...), InForce: res.InForce(),
			Touched: []touchedJSON{}, Maybe: []maybeJSON{}}
		for _, t := range res.Touched {
			out.Touched = append(out.Touched, touchedJSON{query.LineOf(t.Record, t.Standing), t.InForce(), t.At, t.On})
		}
		for _, m := range res.Maybe {
			out.Maybe = append(out.Maybe, maybeJSON{query.LineOf(m.Record, m.Standing), m.At, m.Title})
		}
		return e.writeJSON(out)
	case "sarif":
		return e.writeSARIF(rd, rep)
	case "github":
		return e.writeAnnotations(rep)
	case "junit":
		return e.writeJUnit(rep, records.Error)
	case "markdown":
		_, err := fmt.Fprint(e.Stdout, text.Visible(guardComment(res, name)))
		return err
	}
	if len(res.Touched)+len(res.Maybe) == 0 {
		e.note("nothing that is recorded is touched: %s looked at", text.Plural(len(res.Files), "file"))
		return nil
	}
	return e.page(ctx, rd.View, func(p *page) { p.guard(res, name) })
}

func (p *page) guard(res *guard.Result, name func(records.ID) string) {
	line := func(l query.Listed, reason string) {
		p.Printf("%s  %s  %s\n    %s\n", p.ID(l.Record.ID), ui.Painted{Text: query.StateWord(l.Standing.State), Colour: classColour(l.Standing.Class)},
			query.TitleOf(l.Record), ui.Painted{Text: reason, Colour: ui.Dim})
	}
	for _, t := range res.Touched {
		line(t.Listed, t.Reason(name))
	}
	if len(res.Maybe) > 0 {
		p.Printf("maybe ruled out before (%d)\n", len(res.Maybe))
	}
	for _, m := range res.Maybe {
		line(m.Listed, m.Reason())
	}
}

// guardPage explains the rules of guard.
const guardPage = homePage + "/blob/main/docs/design/guard.md"

// guardMark begins the comment, so that a bot finds the one to update.
const guardMark = "<!-- git-ctx guard -->"

// guardComment is the answer as one comment. The same change and store give the same bytes.
func guardComment(res *guard.Result, name func(records.ID) string) string {
	var b strings.Builder
	b.WriteString(guardMark + "\n")
	if len(res.Touched)+len(res.Maybe) == 0 {
		b.WriteString("No recorded decision, evidence or runbook is touched by this change.\n")
		return b.String()
	}
	section := func(title string, keep func(guard.Touched) bool) {
		head := "\n**" + title + "**\n\n"
		for _, t := range res.Touched {
			if keep(t) {
				fmt.Fprintf(&b, "%s- `%s` %s %s: **%s**, %s\n", head, t.Record.ID, t.Standing.State, t.Record.Kind, markdownText(query.TitleOf(t.Record)), markdownText(t.Reason(name)))
				head = ""
			}
		}
	}
	section("Still true? This change touches what these stand on", guard.Touched.InForce)
	section("Also touched, not in force", func(t guard.Touched) bool { return !t.InForce() })
	if len(res.Maybe) > 0 {
		b.WriteString("\n**Maybe ruled out before**\n\n")
	}
	for _, m := range res.Maybe {
		fmt.Fprintf(&b, "- `%s` %s %s: **%s**, %s\n", m.Record.ID, m.Standing.State, m.Record.Kind, markdownText(query.TitleOf(m.Record)), markdownText(m.Reason()))
	}
	return b.String()
}

// markdownText writes text so that nothing in it is markup, a mention or a reference.
func markdownText(s string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(s), " ") {
		switch {
		case strings.ContainsRune("@#<>&", r):
			fmt.Fprintf(&b, "&#%d;", r)
		case strings.ContainsRune("\\`*_{}[]()|~!", r):
			b.WriteString(`\` + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
