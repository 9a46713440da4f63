package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

// useHelp makes -h and `git ctx help` write git's kind of help.
func useHelp(env *Env, root *cobra.Command) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { fmt.Fprint(env.Stdout, helpOf(cmd)) })
	root.SetHelpCommand(&cobra.Command{
		Use: "help [COMMAND]", Short: "say how a command is used", GroupID: groupOther,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			return complete(env, completeCommands, cmd, args, word)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return unknownCommand(cmd, rest)
			}
			_, err = fmt.Fprint(env.Stdout, helpOf(cmd))
			return err
		},
	})
}

// helpOf is the help text of a command.
func helpOf(cmd *cobra.Command) string {
	if !cmd.HasParent() {
		return rootHelp(cmd)
	}
	var b strings.Builder
	for i, u := range usageLines(cmd) {
		b.WriteString(strings.Join(text.Wrap([...]string{"usage: ", "   or: "}[min(i, 1)]+u, helpWidth, 11), "\n") + "\n")
	}
	fmt.Fprintf(&b, "\n%s%s\n", cmd.Short, alsoCalled(cmd))
	if long := longHelp(cmd); long != "" {
		fmt.Fprintf(&b, "\n%s\n", reflow(long))
	}
	if cmd.Example != "" {
		fmt.Fprintf(&b, "\n%s\n", strings.TrimRight(cmd.Example, "\n"))
	}
	if rows := flagRows(cmd.LocalNonPersistentFlags()); len(rows) > 0 {
		b.WriteString("\n" + table(rows))
	}
	if cmd.Parent().HasParent() || !cmd.HasSubCommands() {
		b.WriteString("\nalso: -C DIR, --git-dir DIR, --scope SCOPE, --format FORM, --no-pager\n")
	}
	return b.String()
}

// alsoCalled names a command's other names.
func alsoCalled(cmd *cobra.Command) string {
	if len(cmd.Aliases) == 0 {
		return ""
	}
	return " (also called " + strings.Join(cmd.Aliases, ", ") + ")"
}

// usageLines are the ways to call a command, without "usage:".
func usageLines(cmd *cobra.Command) []string {
	if cmd.HasAvailableSubCommands() {
		var us []string
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				us = append(us, usageLines(sub)...)
			}
		}
		return us
	}
	forms := usageForms(cmd.Use)
	for i, u := range forms {
		if i > 0 {
			u = cmd.Name() + " " + u
		}
		u = cmd.Parent().CommandPath() + " " + u
		if len(flagRows(cmd.LocalNonPersistentFlags())) > 0 && !strings.Contains(u, "[OPTION...]") {
			u += " [OPTION...]"
		}
		forms[i] = u
	}
	return forms
}

// usageForms splits a usage at each | outside brackets, and closes up those inside.
func usageForms(use string) []string {
	var forms []string
	depth, form := 0, ""
	for _, w := range strings.Fields(use) {
		depth += strings.Count(w, "[") - strings.Count(w, "]")
		switch {
		case w == "|" && depth == 0:
			forms, form = append(forms, form), ""
		case w == "|" || strings.HasSuffix(form, "|"):
			form += w
		case form == "":
			form = w
		default:
			form += " " + w
		}
	}
	return append(forms, form)
}

// longHelp is what a command's help says below its first line.
func longHelp(cmd *cobra.Command) string {
	if cmd.Long != "" {
		return cmd.Long
	}
	if cmd.Parent() != cmd.Root() {
		return ""
	}
	if k, err := records.ParseKind(cmd.Name()); err == nil {
		return kindHelp(k.Schema())
	}
	if m := records.Verb(cmd.Name()).Transition(); m != nil {
		return moveHelp(m)
	}
	return ""
}

// kindHelp says which states a kind has, what moves it there, and how it links.
func kindHelp(s *records.Schema) string {
	rows := [][2]string{{string(s.Birth()), "as added"}}
	for _, st := range s.States[1:] {
		rows = append(rows, [2]string{string(st), "git ctx " + verbUsage(s.Kind, records.VerbFor(s.Kind, st))})
	}
	rels := make([]string, 0, len(records.Relations(s.Kind)))
	for _, r := range records.Relations(s.Kind) {
		rels = append(rels, string(r))
	}
	long := "states\n" + table(rows) + "\nlinks, by --link REL=ID or git ctx link ID REL=ID\n" + wrap(strings.Join(rels, ", "), "    ")
	return long
}

// moveHelp says to which state a verb moves each kind.
func moveHelp(m *records.Transition) string {
	var rows [][2]string
	for _, k := range m.Kinds() {
		rows = append(rows, [2]string{string(k), "becomes " + string(m.To[k])})
	}
	long := table(rows)
	if m.NeedsReason {
		long += "\nA reason is required; --evidence gives one too.\n"
	}
	return long
}

// verbUsage is a state verb's shortest complete call.
func verbUsage(k records.Kind, v records.Verb) string {
	switch m := v.Transition(); {
	case v == records.VerbSupersede:
		return "supersede ID --by NEW --reason WHY"
	case m != nil && m.NeedsReason:
		return string(v) + " ID --reason WHY"
	}
	return string(v) + " ID"
}

// flagRows describes the flags of a set, help aside.
func flagRows(fs *pflag.FlagSet) [][2]string {
	var rows [][2]string
	fs.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		arg, usage := pflag.UnquoteUsage(f)
		left := "--" + f.Name
		if f.Shorthand != "" {
			left = "-" + f.Shorthand + ", " + left
		}
		if arg != "" {
			left += " " + arg
		}
		rows = append(rows, [2]string{left, usage})
	})
	return rows
}

const (
	helpColumn = 28 // where the second column starts at most
	helpWidth  = 80
)

// table sets rows in two columns, each line indented by four.
func table(rows [][2]string) string {
	w := 0
	for _, r := range rows {
		if n := len(r[0]) + 2; n <= helpColumn {
			w = max(w, n)
		}
	}
	var b strings.Builder
	for _, r := range rows {
		lead := strings.Repeat(" ", 4+w)
		about := strings.TrimPrefix(wrap(r[1], lead), lead)
		if len(r[0])+2 > w {
			fmt.Fprintf(&b, "    %s\n%s%s\n", r[0], lead, about)
			continue
		}
		fmt.Fprintf(&b, "    %-*s%s\n", w, r[0], about)
	}
	return b.String()
}

// wrap breaks words into lines of the help's width that start with lead.
func wrap(words, lead string) string {
	return strings.Join(text.Wrap(lead+strings.Join(strings.Fields(words), " "), helpWidth, len(lead)), "\n")
}

// reflow fills paragraphs up to the help's width. Lines that are set in stay lines.
func reflow(long string) string {
	var out, paragraph []string
	end := func() {
		if len(paragraph) > 0 {
			out = append(out, wrap(strings.Join(paragraph, " "), ""))
		}
		paragraph = nil
	}
	for _, line := range strings.Split(strings.Trim(long, "\n"), "\n") {
		in := len(line) - len(strings.TrimLeft(line, " "))
		if line != "" && in == 0 {
			paragraph = append(paragraph, line)
			continue
		}
		end()
		if gap := strings.LastIndex(line, "  "); gap > in && gap < helpColumn {
			in = gap + 2 // a table's second column
		}
		out = append(out, text.Wrap(line, helpWidth, in)...)
	}
	end()
	return strings.Join(out, "\n")
}

// rootHelp is what a first session needs, short enough to be read whole.
func rootHelp(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString(`usage: git ctx COMMAND [ARGUMENT...] [OPTION...]

Versions the reasoning behind a code base. Before you work:
    git ctx init               once in a repository
    git ctx packet             what holds now, what is open, what was ruled out
    git ctx next               what to do now
As you work:
    git ctx KIND add 'TITLE'   record one; prints its ID (git ctx KIND -h)
    git ctx VERB ID            judge it [--reason WHY] [--evidence TEXT]
    git ctx done @task -m 'WHAT WAS LEARNED'
    git ctx commit -m 'WHY'    checkpoint of what was recorded since the last

KIND, what it is, its VERBs:
`)
	var superseded []string
	for _, s := range records.Schemas() {
		var verbs []string
		if s.Has(records.Superseded) {
			superseded = append(superseded, string(s.Kind))
		}
		for _, st := range s.States[1:] {
			if v := records.VerbFor(s.Kind, st); v != records.VerbSupersede {
				verbs = append(verbs, string(v))
			}
		}
		fmt.Fprintf(&b, "    %-11s%s: %s\n", s.Kind, s.Purpose, strings.Join(verbs, ", "))
	}
	fmt.Fprintf(&b, "Of a %s: supersede OLD --by NEW\n", strings.Join(superseded, ", "))
	b.WriteString("Of every KIND: show ID, link ID REL=ID, reopen ID\n\n")
	for _, g := range root.Groups() {
		if names := otherCommands(root, g.ID); len(names) > 0 {
			title := fmt.Sprintf("%-8s", g.Title)
			b.WriteString(title + strings.TrimLeft(wrap(strings.Join(names, " "), strings.Repeat(" ", len(title))), " ") + "\n")
		}
	}
	b.WriteString(`
An ID may be cut to its first 4 characters after the hyphen. This session's own:
    @task   the task it works on, else the only one begun in this worktree
    @goal   the goal it works for, else that of @task
    @last   the record it wrote last
A revision is a context branch, a store commit or a date; HEAD is the tip of
the current context branch, not of the code.
--format=json for programs. Exit: 0 yes, 1 no, 128 failed, 129 misused.
git ctx COMMAND -h says more.
`)
	return b.String()
}

// otherCommands are a group's commands that are neither kind nor state verb.
func otherCommands(root *cobra.Command, group string) []string {
	var names []string
	for _, c := range root.Commands() {
		_, noKind := records.ParseKind(c.Name())
		if c.GroupID == group && c.IsAvailableCommand() && noKind != nil && records.Verb(c.Name()).Transition() == nil &&
			!slices.Contains([]string{"supersede", "reopen", "link", "show"}, c.Name()) {
			names = append(names, c.Name())
		}
	}
	return names
}
