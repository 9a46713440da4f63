package cli

import (
	"github.com/spf13/cobra"
)

func newExportCmd(env *Env) *cobra.Command {
	return &cobra.Command{Use: "export", Hidden: true, RunE: func(*cobra.Command, []string) error { return errNo }}
}
