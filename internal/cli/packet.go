package cli

import (
	"github.com/spf13/cobra"
)

func newPacketCmd(env *Env) *cobra.Command {
	return &cobra.Command{Use: "packet", Hidden: true, RunE: func(*cobra.Command, []string) error { return errNo }}
}
