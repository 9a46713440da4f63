package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/records"
)

func newRevertCmd(env *Env) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: "revert COMMIT", Short: "take back what a store commit did",
		Long: `Take back what a store commit did, in a new commit: fields return to what they were where
nothing changed them since, and every judgement it made is followed by a new one with
the old state. Records it added are not deleted but moved to the state that ends them.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("git ctx log --all", "'revert' takes one store commit, got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runRevert(cmd.Context(), env, args[0], reason) },
	}
	cmd.Flags().StringVarP(&reason, "reason", "r", "", "`WHY`")
	return cmd
}

func runRevert(ctx context.Context, env *Env, rev, reason string) error {
	if err := env.formats(); err != nil {
		return err
	}
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	res, err := led.Revert(ctx, rev, reason)
	if err != nil {
		return err
	}
	var lines []string
	var main records.ID
	for _, id := range res.Changed {
		if r, ok := res.View.Record(id); ok {
			main = id
			lines = append(lines, stateLine(r))
		}
	}
	if res.Commit == "" {
		env.note("nothing to take back: the records are so already")
	} else if !env.json() {
		lines = append([]string{fmt.Sprintf("[%s %s] reverted %s", res.Branch, shortOID(res.Commit), rev)}, lines...)
	}
	return env.answerEdit(res, main, lines...)
}
