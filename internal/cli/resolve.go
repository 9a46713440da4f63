package cli

import (
	"github.com/spf13/cobra"
)

func newResolveCmd(env *Env) *cobra.Command {
	return &cobra.Command{Use: "resolve", Hidden: true, RunE: func(*cobra.Command, []string) error { return errNo }}
}

func newConflictsCmd(env *Env) *cobra.Command {
	return &cobra.Command{Use: "conflicts", Hidden: true, RunE: func(*cobra.Command, []string) error { return errNo }}
}
