package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/internal/text"
)

type checkOptions struct {
	task   string
	script scriptFlags
}

func newCheckCmd(env *Env) *cobra.Command {
	o := &checkOptions{}
	cmd := &cobra.Command{
		Use: "check", Short: "say whether the work is ready to commit, or what is missing; exit 1 then", Args: noArgs,
		Long: `Say whether what was recorded for the work is ready for a commit of the code. The work is
the task's with all that bears on it, else what changed since the last checkpoint. Missing is:

    unreadable   a file of the store
    disputed     a merge conflict to settle
    audit        a finding that is an error
    evidence     a hypothesis, or a task that was begun, without evidence
    verdict      a hypothesis that has evidence and is not judged
    conclusion   a done task without one
    draft        a decision or conclusion that nobody was asked to accept
    checkpoint   what changed since the last one

What waits for a person's review is told and does not count as missing.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runCheck(cmd.Context(), env, o) },
	}
	cmd.Flags().StringVar(&o.task, "task", "", "`ID` of the task (default @task)")
	o.script.bind(cmd.Flags(), "what is missing, message, command")
	return cmd
}

func runCheck(ctx context.Context, env *Env, o *checkOptions) error {
	if err := env.formats(); err != nil {
		return err
	}
	rd, err := env.read(ctx, readFlags{})
	if err != nil {
		return err
	}
	a, err := query.Check(ctx, rd.Reading, o.task)
	var other *query.NotWorkError
	if errors.As(err, &other) {
		return &hintedError{err, "git ctx show " + string(other.ID)}
	}
	if err != nil {
		return err
	}
	switch {
	case env.json():
		err = env.writeJSON(a)
	case o.script.wanted():
		err = checkRows(env, o.script, a)
	default:
		err = env.page(ctx, rd.View, func(p *page) { p.check(a) })
	}
	if err == nil && !a.Ready {
		err = errNo
	}
	return err
}

func checkRows(env *Env, f scriptFlags, a *query.CheckAnswer) error {
	for _, i := range a.Missing {
		if err := f.row(env, i.Check, i.Message, i.Command); err != nil {
			return err
		}
	}
	return nil
}

func (p *page) check(a *query.CheckAnswer) {
	of := "what changed since the last checkpoint"
	if a.Task != "" {
		of = "the work of " + p.Short(a.Task)
	}
	if a.Ready {
		p.Printf("%s: nothing is missing from %s\n", ui.Painted{Text: "ready", Colour: ui.Green}, of)
	} else {
		p.Printf("%s: %s missing from %s\n", ui.Painted{Text: "not ready", Colour: ui.Red}, text.Plural(len(a.Missing), "thing"), of)
	}
	if a.Cut {
		p.Printf("only the first %s were looked at\n", text.Plural(a.Records, "record"))
	}
	for _, i := range a.Missing {
		p.checkItem(i, ui.Red)
	}
	for _, i := range a.Notes {
		p.checkItem(i, ui.Dim)
	}
}

func (p *page) checkItem(i query.CheckItem, hue ui.Colour) {
	p.Printf("  %s: %s\n", ui.Painted{Text: i.Check, Colour: hue}, i.Message)
	if i.Command != "" {
		p.Printf("      %s\n", ui.Painted{Text: i.Command, Colour: ui.Dim})
	}
}
