package cli

import (
	"github.com/spf13/cobra"
)

func newCompletionCmd(env *Env) *cobra.Command {
	return &cobra.Command{Use: "completion", Hidden: true, RunE: func(*cobra.Command, []string) error { return errNo }}
}

func addCompletions(env *Env, root *cobra.Command) {}
