package cli

import (
	"github.com/spf13/cobra"
)

func newShowCmd(env *Env) *cobra.Command {
	return &cobra.Command{Use: "show", Hidden: true, RunE: func(*cobra.Command, []string) error { return errNo }}
}
