package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/packet"
	"github.com/git-ctx/git-ctx/records"
)

func newCloseoutCmd(env *Env) *cobra.Command {
	o := &query.CloseoutOptions{}
	cmd := &cobra.Command{
		Use: "closeout", Short: "sum up what this session changed, and propose a checkpoint message", Args: noArgs,
		Long: `Sum up what this session changed since the last checkpoint, by kind, and propose a message
for the next one. A session is CTX_SESSION where that is set, else the worktree. --all takes in
what others did.

--format=markdown writes it for a pull request: with --since main --all, all that the context
branch adds to main.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runCloseout(cmd.Context(), env, *o) },
	}
	cmd.Flags().BoolVar(&o.All, "all", false, "what everyone changed")
	cmd.Flags().StringVar(&o.Since, "since", "", "since the branch left `REV`, instead of since the last checkpoint")
	return cmd
}

func runCloseout(ctx context.Context, env *Env, o query.CloseoutOptions) error {
	if err := env.formats("markdown"); err != nil {
		return err
	}
	rd, err := env.read(ctx, readFlags{})
	if err != nil {
		return err
	}
	c, err := query.CloseoutOf(ctx, rd.Reading, o)
	var option *query.OptionError
	switch {
	case errors.As(err, &option):
		return option.Err // it names the revision
	case err != nil:
		return err
	case env.json():
		return env.writeJSON(c)
	}
	if c.Others > 0 {
		env.note("others changed %s: git ctx closeout --all", text.Plural(c.Others, "record"))
	}
	if c.Changed == 0 {
		env.note("nothing new")
		return nil
	}
	if env.format == "markdown" {
		_, err := fmt.Fprint(env.Stdout, closeoutMarkdown(rd, c))
		return err
	}
	return env.page(ctx, rd.View, func(p *page) { p.closeout(c, o) })
}

func (p *page) closeout(c *query.Closeout, o query.CloseoutOptions) {
	who := "This session changed"
	if o.All {
		who = "Changed:"
	}
	since := "no checkpoint yet"
	if len(c.Since) > 0 {
		since = fmt.Sprintf("since %s \"%s\"", shortOID(c.Since[0].Commit), c.Since[0].Subject)
	}
	p.Printf("%s %s, %s\n", who, text.Plural(c.Changed, "record"), since)
	for _, k := range c.Kinds {
		p.Printf("\n%s\n", ui.Painted{Text: kindHeading(k.Kind), Colour: ui.Bold})
		for _, ch := range k.Changes {
			p.change("  ", ch.Changed)
			if ch.Reason != "" {
				p.Printf("      %s\n", ui.Painted{Text: "because: " + oneLine(ch.Reason), Colour: ui.Dim})
			}
		}
	}
	if o.Since != "" {
		return // what is summed up is not a checkpoint's
	}
	p.Printf("\nA checkpoint of it, in words to make your own:\n")
	args := []string{"-m " + quoted(c.Message.Subject)}
	if c.Message.Body != "" {
		args = append(args, "-m "+quoted(c.Message.Body))
	}
	p.Printf("git ctx commit %s\n", strings.Join(args, " \\\n    "))
}

func kindHeading(k records.Kind) string {
	if k == "" {
		return "policy"
	}
	return string(k)
}

// closeoutLine bounds what a line of the Markdown repeats of a record.
const closeoutLine = 300

// closeoutMarkdown is the answer for a pull request. Record text cannot break out
// of its line.
func closeoutMarkdown(rd *reading, c *query.Closeout) string {
	var b strings.Builder
	counts, _, _ := strings.Cut(c.Message.Body, "\n")
	fmt.Fprintf(&b, "## Context: %s\n\n%s\n", packet.Inline(c.Message.Subject, closeoutLine), counts)
	for _, k := range c.Kinds {
		fmt.Fprintf(&b, "\n### %s\n\n", kindHeading(k.Kind))
		for _, ch := range k.Changes {
			name := "`" + ch.Path + "`"
			if ch.ID != "" {
				name = "`" + rd.Abbreviate(ch.ID, query.ShownID) + "`"
			}
			what := packet.Inline(string(ch.NewState), closeoutLine)
			switch {
			case ch.Problem != "":
				what = packet.Inline(ch.Problem, closeoutLine)
			case ch.Class == records.AwaitingReview:
				what += ", awaits review"
			case ch.Class == records.InDoubt:
				what += ", **disputed**"
			}
			fmt.Fprintf(&b, "- %s %s: %s\n", name, what, packet.Inline(ch.Title, closeoutLine))
			if ch.Reason != "" {
				fmt.Fprintf(&b, "  because: %s\n", packet.Inline(ch.Reason, closeoutLine))
			}
		}
	}
	return b.String()
}
