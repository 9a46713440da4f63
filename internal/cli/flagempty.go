package cli

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/git-ctx/git-ctx/records"
)

// refuseEmptyFlags refuses an option that was given nothing, as a script does
// whose variable is unset: to take it for one that was not given would answer
// another question than the one that was asked.
func refuseEmptyFlags(cmd *cobra.Command, _ []string) error {
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err != nil {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			if records.Blank(v) {
				hint := fmt.Sprintf("leave --%s out, or give it a value: %s", f.Name, helpCall(cmd))
				if clear := cmd.Flags().Lookup("clear"); clear != nil && cmd.Flags().Lookup(f.Name) != clear && cmd.Name() == "edit" {
					hint = fmt.Sprintf("%s --clear %s empties a field", cmd.CommandPath()+" ID", f.Name)
				}
				err = usagef(hint, "option '--%s' '%s': it is empty", f.Name, v)
				return
			}
		}
	})
	return err
}
