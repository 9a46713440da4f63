package cli

import (
	"github.com/spf13/cobra"
)

func newAuditCmd(env *Env) *cobra.Command {
	return &cobra.Command{Use: "audit", Hidden: true, RunE: func(*cobra.Command, []string) error { return errNo }}
}
