package cli

import (
	"github.com/spf13/cobra"
)

func newManCmd(env *Env) *cobra.Command {
	return &cobra.Command{Use: "man", Hidden: true, RunE: func(*cobra.Command, []string) error { return errNo }}
}
