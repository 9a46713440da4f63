package cli

import (
	"github.com/spf13/cobra"
)

func newLogCmd(env *Env) *cobra.Command {
	return &cobra.Command{Use: "log", Hidden: true, RunE: func(*cobra.Command, []string) error { return errNo }}
}
