package cli

import (
	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/internal/grammar"
)

func newForgetCmd(env *Env) *cobra.Command {
	cmd := newVerbCmd(env, grammar.Forget)
	cmd.Long = "Replace what a record says by a tombstone that says who forgot it, when and why. The text is gone from\n" +
		"every packet, list, search and export, and is refused when it is added again. History keeps it:\n" +
		"'git ctx purge' takes it out of that too. What a person recorded or judged only a person forgets."
	return cmd
}
