package cli

import (
	"github.com/spf13/cobra"
)

func newRevertCmd(env *Env) *cobra.Command {
	return &cobra.Command{Use: "revert", Hidden: true, RunE: func(*cobra.Command, []string) error { return errNo }}
}
