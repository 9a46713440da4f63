package cli

import (
	"github.com/spf13/cobra"
)

func newCommitCmd(env *Env) *cobra.Command {
	return &cobra.Command{Use: "commit", Hidden: true, RunE: func(*cobra.Command, []string) error { return errNo }}
}
