package cli

import (
	"github.com/spf13/cobra"
)

func newNextCmd(env *Env) *cobra.Command {
	return &cobra.Command{Use: "next", Hidden: true, RunE: func(*cobra.Command, []string) error { return errNo }}
}
