package cli

import (
	"github.com/spf13/cobra"
)

func newMergeCmd(env *Env) *cobra.Command {
	return &cobra.Command{Use: "merge", Hidden: true, RunE: func(*cobra.Command, []string) error { return errNo }}
}
