package cli

import (
	"github.com/spf13/cobra"
)

func newApplyCmd(env *Env) *cobra.Command {
	return &cobra.Command{Use: "apply", Hidden: true, RunE: func(*cobra.Command, []string) error { return errNo }}
}
