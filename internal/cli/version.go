package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/records"
)

func newVersionCmd(env *Env) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "print the version and the record format it writes", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if env.json() {
				return env.writeJSON(struct {
					Format  int    `json:"format"`
					Version string `json:"version"`
					Records int    `json:"record_format"`
				}{jsonFormat, Version, records.FormatVersion})
			}
			_, err := fmt.Fprintf(env.Stdout, "git ctx version %s (record format %d)\n", Version, records.FormatVersion)
			return err
		},
	}
}
