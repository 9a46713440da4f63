package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records/planning"
)

type gapsOptions struct {
	read     readFlags
	script   scriptFlags
	limit    int
	limited  bool // the user chose the limit
	exitCode bool
}

func newGapsCmd(env *Env) *cobra.Command {
	o := &gapsOptions{}
	cmd := &cobra.Command{
		Use: "gaps [TASK|GOAL]", Short: "list what work still lacks, each gap with the command that fills it",
		Long: `List what a task or goal still lacks of goal, work, hypothesis, evidence, verdict, decision
and conclusion, with what was recorded for it. Without one, list what was begun
anywhere and not finished: open tasks without a goal, active goals without open work, hypotheses
without evidence, or with evidence and no verdict, done tasks and achieved goals without conclusion.

Each gap comes with the command that fills it; what stands in capitals is yours to write.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.limited = cmd.Flags().Changed("max-count")
			return runGaps(cmd.Context(), env, o, args)
		},
	}
	f := cmd.Flags()
	f.IntVarP(&o.limit, "max-count", "n", usualList, "show at most `N` gaps; 0 shows all, as JSON and --porcelain do")
	f.BoolVar(&o.exitCode, "exit-code", false, "exit with 1 when there are any")
	o.read.bind(f)
	o.script.bind(f, "what it lacks, id, state, message, command")
	return cmd
}

func runGaps(ctx context.Context, env *Env, o *gapsOptions, args []string) error {
	if err := env.formats(); err != nil {
		return err
	}
	switch {
	case len(args) > 1:
		return usagef("git ctx gaps "+args[0], "gaps takes one task or goal, got '%s' too", args[1])
	case o.limit < 0:
		return usagef("git ctx gaps -n 50", "option '-n' '%d': give a number of gaps, or 0 for all", o.limit)
	}
	if !o.limited && (env.json() || o.script.wanted()) {
		o.limit = 0 // a program is not to find a part taken for the whole
	}
	rd, err := env.read(ctx, o.read)
	if err != nil {
		return err
	}
	gaps, work, err := query.Gaps(ctx, rd.Reading, argument(args))
	var other *query.NotWorkError
	if errors.As(err, &other) {
		return &hintedError{err, "git ctx show " + string(other.ID)}
	}
	if err != nil {
		return err
	}
	if err := writeGaps(ctx, env, rd, o, gaps, work); err != nil {
		return err
	}
	if o.exitCode && len(gaps) > 0 {
		return errNo
	}
	return nil
}

// argument is the one argument, "" when there is none.
func argument(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

func writeGaps(ctx context.Context, env *Env, rd *reading, o *gapsOptions, gaps []planning.Gap, work *planning.Work) error {
	if env.json() {
		return env.writeJSON(query.GapsAnswerOf(rd.Reading, gaps, work, o.limit))
	}
	all := len(gaps)
	if o.limit > 0 {
		gaps = gaps[:min(o.limit, all)]
	}
	if o.script.wanted() {
		for _, g := range gaps {
			if err := o.script.row(env, g.Lacks, string(g.Record.ID), query.StateWord(g.Record.State()), g.Message, g.Command); err != nil {
				return err
			}
		}
		return nil
	}
	switch {
	case work != nil && work.Cut:
		env.note("the work is too large to be looked at whole: name a task or goal below it")
	case all == 0:
		env.note("no gaps")
	}
	if more := all - len(gaps); more > 0 {
		env.note("%d more: git ctx gaps -n 0", more)
	}
	return env.page(ctx, rd.View, func(p *page) { p.gaps(gaps) })
}

// gaps lists gaps below the record that has them.
func (p *page) gaps(gaps []planning.Gap) {
	for i, g := range gaps {
		if i == 0 || g.Record != gaps[i-1].Record {
			p.Printf("%s %s: %s\n", p.ID(g.Record.ID), query.StateWord(g.Record.State()), query.TitleOf(g.Record))
		}
		p.Printf("    %s: %s\n      %s\n", ui.Painted{Text: g.Lacks, Colour: ui.Bold}, g.Message, ui.Painted{Text: g.Command, Colour: ui.Dim})
	}
}
