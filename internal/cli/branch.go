package cli

import (
	"github.com/spf13/cobra"
)

func newBranchCmd(env *Env) *cobra.Command {
	return &cobra.Command{Use: "branch", Hidden: true, RunE: func(*cobra.Command, []string) error { return errNo }}
}

func newSwitchCmd(env *Env) *cobra.Command {
	return &cobra.Command{Use: "switch", Hidden: true, RunE: func(*cobra.Command, []string) error { return errNo }}
}
