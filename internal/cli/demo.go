package cli

import (
	"github.com/spf13/cobra"
)

func newDemoCmd(env *Env) *cobra.Command {
	return &cobra.Command{Use: "demo", Hidden: true, RunE: func(*cobra.Command, []string) error { return errNo }}
}
