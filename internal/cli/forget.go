package cli

import (
	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/internal/ledger"
)

func newForgetCmd(env *Env) *cobra.Command {
	op := ledger.Op{Verb: ledger.VerbForget}
	cmd := &cobra.Command{
		Use: "forget ID...", Short: "put a tombstone in a record's place: its text is gone from the branch", Args: someIDs,
		Long: "Replace what a record says by a tombstone that says who forgot it, when and why. The text is gone from\n" +
			"every packet, list, search and export, and is refused when it is added again. History keeps it:\n" +
			"'git ctx purge' takes it out of that too. What a person recorded or judged only a person forgets.",
		RunE: func(cmd *cobra.Command, args []string) error { return runMove(cmd.Context(), env, op, args) },
	}
	cmd.Flags().StringVarP(&op.Reason, "reason", "r", "", "say `WHY`; it is kept, so it must not repeat the text")
	return cmd
}
