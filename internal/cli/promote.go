package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
)

func newPromoteCmd(env *Env) *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use: "promote ID...", Short: "bring records of the scope into the project", Args: someIDs,
		Long: "Bring records of the scope that --scope names into the project, as one commit that names the scope.\n" +
			"What they refer to in the scope must come with them. Who made and judged them is kept; what only a\n" +
			"person puts into force arrives as a proposal unless a person promotes it.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if to != "project" {
				return usagef("git ctx promote "+strings.Join(args, " "), "unknown --to '%s': records are promoted to project", to)
			}
			return runPromote(cmd.Context(), env, args)
		},
	}
	cmd.Flags().StringVar(&to, "to", "project", "`WHERE` to: project")
	return cmd
}

func runPromote(ctx context.Context, env *Env, ids []string) error {
	if err := env.formats(); err != nil {
		return err
	}
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	res, err := led.Promote(ctx, ids)
	if err != nil {
		return err
	}
	lines := make([]string, len(res.Changed))
	for i, id := range res.Changed {
		r, _ := res.View.Record(id)
		lines[i] = stateLine(r)
	}
	return env.answerEdit(res, res.Changed[0], lines...)
}
