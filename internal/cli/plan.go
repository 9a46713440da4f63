package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/packet"
)

func newPlanCmd(env *Env) *cobra.Command {
	o := &packetOptions{}
	cmd := &cobra.Command{
		Use: "plan", Short: "print the packet, the next tasks, and what the work in focus lacks", Args: noArgs,
		Long: `Print in one answer what to start a stretch of work with: the packet, the next tasks, and
for the task or goal in focus its gaps and the audit's errors and warnings about it. The focus
is found as for git ctx packet. The limits hold for the whole answer: what is to be done takes
at most two fifths of them.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(cmd.Flags()); err != nil {
				return err
			}
			return runPlan(cmd.Context(), env, o)
		},
	}
	o.bindFocus(cmd.Flags())
	o.bind(cmd.Flags())
	return cmd
}

func runPlan(ctx context.Context, env *Env, o *packetOptions) error {
	if err := env.formats("markdown"); err != nil {
		return err
	}
	rd, err := env.read(ctx, o.readFlags)
	if err != nil {
		return err
	}
	p, err := query.PlanOf(ctx, rd.Reading, query.PacketOptions{
		Purpose: o.purpose, Goal: o.goal, Task: o.task, Trigger: o.trigger, Paths: o.paths,
		Budget: o.budget, MaxChars: o.maxChars, Version: Version,
	})
	var small *packet.BudgetError
	switch {
	case errors.As(err, &small):
		return &hintedError{err, fmt.Sprintf("git ctx plan --budget %d --max-chars %d", max(small.Tokens, small.NeedTokens), max(small.Chars, small.NeedChars))}
	case err != nil:
		return packetError(err)
	case env.json():
		return env.writeJSON(p.Answer(rd.Reading))
	}
	return env.page(ctx, nil, func(out *page) { out.Printf("%s", p.Markdown()) })
}
