package cli

import (
	"github.com/spf13/cobra"
)

func newImportCmd(env *Env) *cobra.Command {
	return &cobra.Command{Use: "import", Hidden: true, RunE: func(*cobra.Command, []string) error { return errNo }}
}
