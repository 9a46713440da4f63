package cli

import (
	"github.com/spf13/cobra"
)

func newDiffCmd(env *Env) *cobra.Command {
	return &cobra.Command{Use: "diff", Hidden: true, RunE: func(*cobra.Command, []string) error { return errNo }}
}
