package cli

import (
	"github.com/spf13/cobra"
)

func newFsckCmd(env *Env) *cobra.Command {
	return &cobra.Command{Use: "fsck", Hidden: true, RunE: func(*cobra.Command, []string) error { return errNo }}
}
