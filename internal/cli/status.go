package cli

import (
	"github.com/spf13/cobra"
)

func newStatusCmd(env *Env) *cobra.Command {
	return &cobra.Command{Use: "status", Hidden: true, RunE: func(*cobra.Command, []string) error { return errNo }}
}
