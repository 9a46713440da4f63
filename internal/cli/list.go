package cli

import (
	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/records"
)

func newListCmd(env *Env, k records.Kind) *cobra.Command {
	return &cobra.Command{Use: "list", Hidden: true, RunE: func(*cobra.Command, []string) error { return errNo }}
}
