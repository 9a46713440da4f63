package cli

import "github.com/spf13/cobra"

const rootHelp = "usage: git ctx COMMAND\n"

func unknownCommand(cmd *cobra.Command, args []string) error {
	return usagef("git ctx -h", "unknown command '%s'", args[0])
}

func flagHint(cmd *cobra.Command, err error) string { return cmd.CommandPath() + " -h" }

func explain(root *cobra.Command, args []string, err error) error { return err }
