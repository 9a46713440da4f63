package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/git-ctx/git-ctx/records"
)

// A manPage is one manual page in roff. It depends on the commands alone.
type manPage struct{ name, text string }

// manPages are the manual: an overview, and a page for each command.
func manPages(root *cobra.Command) []manPage {
	pages := []manPage{{"git-ctx.1", overviewPage(root)}}
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() {
			pages = append(pages, manPage{"git-ctx-" + cmd.Name() + ".1", commandPage(cmd)})
		}
	}
	return pages
}

// roff writes the macros of a manual page.
type roff struct{ strings.Builder }

func (r *roff) head(name, short string) {
	fmt.Fprintf(r, ".TH %s 1 \"\" \"git ctx %s\" \"git ctx manual\"\n.SH NAME\n%s \\- %s\n", strings.ToUpper(name), Version, escape(name), escape(short))
}

func (r *roff) section(title string) { fmt.Fprintf(r, ".SH %s\n", title) }

// term writes a term in bold with what it stands for.
func (r *roff) term(name, text string) {
	fmt.Fprintf(r, ".TP\n\\fB%s\\fR\n%s\n", escape(name), line(text))
}

// text writes plain text: lines that start with a space stand as they are.
func (r *roff) text(s string) {
	as := false
	for _, l := range strings.Split(strings.Trim(s, "\n"), "\n") {
		if indented := strings.HasPrefix(l, " "); indented != as {
			as = indented
			r.WriteString(map[bool]string{true: ".PP\n.nf\n", false: ".fi\n.PP\n"}[as])
		}
		if strings.TrimSpace(l) == "" {
			r.WriteString(".PP\n")
			continue
		}
		r.WriteString(line(l) + "\n")
	}
	if as {
		r.WriteString(".fi\n")
	}
}

func (r *roff) usage(cmd *cobra.Command) {
	for i, u := range usageLines(cmd) {
		if i > 0 {
			r.WriteString(".br\n")
		}
		r.WriteString(line(u) + "\n")
	}
}

func (r *roff) flags(fs *pflag.FlagSet) {
	for _, row := range flagRows(fs) {
		r.term(row[0], row[1])
	}
}

// escape keeps text from being read as roff within a line.
func escape(s string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
}

// line escapes text that starts a line.
func line(s string) string {
	s = escape(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		return `\&` + s
	}
	return s
}

func overviewPage(root *cobra.Command) string {
	var r roff
	r.head("git-ctx", root.Short)
	r.section("SYNOPSIS")
	r.WriteString("\\fBgit ctx\\fR [\\-C DIR] [\\-\\-git\\-dir DIR] [\\-\\-format FORM] [\\-\\-no\\-pager] COMMAND [ARGUMENT...] [OPTION...]\n")
	r.section("DESCRIPTION")
	r.text(`git ctx keeps the reasoning behind a code base in its git repository: goals, tasks, hypotheses, evidence, decisions, conclusions, runbooks and triggers are records in git objects under refs/ctx, apart from the code's branches.

A reader gets a packet (git ctx packet) that asserts only what still holds: what was refuted or rejected appears there as a warning, and what was superseded not at all. Each verb makes one commit on the current context branch; git ctx commit makes a checkpoint of them.`)
	r.section("RECORDS")
	for _, s := range records.Schemas() {
		states := []string{string(s.Birth())}
		for _, st := range s.States[1:] {
			states = append(states, fmt.Sprintf("%s (%s)", st, records.VerbFor(s.Kind, st)))
		}
		r.term(string(s.Kind), fmt.Sprintf("%s. States, and the verbs that lead there: %s.", s.Purpose, strings.Join(states, ", ")))
	}
	r.section("COMMANDS")
	for _, g := range root.Groups() {
		fmt.Fprintf(&r, ".SS %s\n", escape(strings.TrimSuffix(g.Title, ":")))
		for _, cmd := range root.Commands() {
			if cmd.GroupID == g.ID && cmd.IsAvailableCommand() {
				r.term("git ctx "+cmd.Name(), cmd.Short)
			}
		}
	}
	r.section("OPTIONS")
	r.flags(root.PersistentFlags())
	overviewRest(&r)
	return r.String()
}

func overviewRest(r *roff) {
	r.section("NAMING RECORDS")
	r.text("An id is a kind's prefix, a hyphen and ten characters; any prefix that names one record and has at least four of the ten will do. @task, @goal and @last are the current ones of this worktree and session.")
	r.section("EXIT STATUS")
	for _, row := range [][2]string{{"0", "yes: done, or nothing found"}, {"1", "no: findings, conflicts or differences"},
		{"128", "it failed"}, {"129", "it was called in a wrong way"}} {
		r.term(row[0], row[1])
	}
	r.section("ENVIRONMENT")
	for _, row := range [][2]string{
		{"CTX_AGENT", "name of the agent that runs the command, where its host sets no variable of its own"},
		{"CTX_MODEL", "the model behind that agent, kept in the commit"},
		{"CTX_SESSION", "the session that @task, @goal and @last belong to; else the worktree's"},
		{"NO_COLOR", "no colour when set and not empty"},
	} {
		r.term(row[0], row[1])
	}
	r.section("FILES")
	for _, row := range [][2]string{
		{"refs/ctx/heads/<branch>", "the context branches; git push and git fetch carry them when told to"},
		{"ctx.yaml", "in their tree: the format, who reviews, audit levels, the packet's limits"},
		{"<git-dir>/ctx/", "this worktree's current branch and sessions"},
	} {
		r.term(row[0], row[1])
	}
	r.section("SEE ALSO")
	r.WriteString("\\fBgit\\fR(1), \\fBgit\\-ctx\\-packet\\fR(1), \\fBgitglossary\\fR(7)\n")
}

func commandPage(cmd *cobra.Command) string {
	var r roff
	r.head("git-ctx-"+cmd.Name(), cmd.Short)
	r.section("SYNOPSIS")
	r.usage(cmd)
	r.section("DESCRIPTION")
	r.text(strings.ToUpper(cmd.Short[:1]) + cmd.Short[1:] + alsoCalled(cmd) + ".")
	if long := longHelp(cmd); long != "" {
		r.WriteString(".PP\n")
		r.text(long)
	}
	if rows := flagRows(cmd.LocalNonPersistentFlags()); len(rows) > 0 {
		r.section("OPTIONS")
		r.flags(cmd.LocalNonPersistentFlags())
	}
	for _, sub := range cmd.Commands() {
		if !sub.IsAvailableCommand() {
			continue
		}
		r.section(strings.ToUpper(sub.Name()))
		r.text(strings.ToUpper(sub.Short[:1]) + sub.Short[1:] + ".")
		if sub.Long != "" {
			r.text("\n" + sub.Long)
		}
		r.flags(sub.LocalNonPersistentFlags())
	}
	if cmd.Example != "" {
		r.section("EXAMPLES")
		r.text(indent(cmd.Example, "    "))
	}
	r.section("SEE ALSO")
	r.WriteString("\\fBgit\\-ctx\\fR(1)\n")
	return r.String()
}
