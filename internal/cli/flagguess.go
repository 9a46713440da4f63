package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/git-ctx/git-ctx/internal/grammar"
)

// flagError says what is wrong with an option in git's words, and which one was meant.
func flagError(cmd *cobra.Command, err error) error {
	var (
		unknown *pflag.NotExistError
		bare    *pflag.ValueRequiredError
		value   *pflag.InvalidValueError
	)
	switch {
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		if err := notTaken(cmd, name); err != nil {
			return &usageError{&optionError{err.Error(), err}, guessFlag(cmd, name)}
		}
		return &usageError{&optionError{fmt.Sprintf("unknown option '%s' of %s", dashed(name), cmd.CommandPath()), err}, guessFlag(cmd, name)}
	case errors.As(err, &bare):
		arg := ""
		if f := bare.GetFlag(); f != nil {
			arg, _ = pflag.UnquoteUsage(f)
		}
		name := dashed(bare.GetSpecifiedName())
		return &usageError{&optionError{fmt.Sprintf("option '%s' needs a value", name), err}, strings.TrimSpace(callOf(cmd) + " " + name + " " + arg)}
	case errors.As(err, &value):
		arg, _ := pflag.UnquoteUsage(value.GetFlag())
		what := fmt.Sprintf("option '--%s' '%s': it wants %s", value.GetFlag().Name, value.GetValue(), arg)
		return &usageError{&optionError{what, err}, helpCall(cmd)}
	}
	return &usageError{&optionError{err.Error(), err}, helpCall(cmd)}
}

// notTaken is the error for another verb's option, nil where no verb has it: what
// the grammar says of the argument, in the words of the command line.
func notTaken(cmd *cobra.Command, name string) error {
	verb := grammar.Lookup(cmd.Name())
	if verb == nil || !slices.ContainsFunc(grammar.Verbs(), func(v *grammar.Verb) bool {
		return slices.ContainsFunc(v.Takes, func(a grammar.Argument) bool { return a.Flag == name || a.Short == name && name != "" })
	}) {
		return nil
	}
	var takes []string
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" && f.Name != allowSecretFlag {
			takes = append(takes, "--"+f.Name)
		}
	})
	return fmt.Errorf("option '%s': '%s' does not take it; it takes %s", dashed(name), verb.Name, strings.Join(takes, ", "))
}

// An optionError is an option that the command does not take as given.
type optionError struct {
	what string
	err  error
}

func (e *optionError) Error() string { return e.what }
func (e *optionError) Unwrap() error { return e.err }

func isFlagError(err error) bool {
	var o *optionError
	return errors.As(err, &o)
}

func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

func helpCall(cmd *cobra.Command) string { return cmd.CommandPath() + " -h" }

// callOf is a command with the arguments it must have.
func callOf(cmd *cobra.Command) string {
	if !cmd.HasParent() {
		return cmd.CommandPath()
	}
	call := cmd.Parent().CommandPath()
	for _, w := range strings.Fields(usageForms(cmd.Use)[0]) {
		if strings.HasPrefix(w, "-") || strings.HasPrefix(w, "[") {
			break
		}
		if w == "TITLE" {
			w = "'TITLE'"
		}
		call += " " + strings.TrimSuffix(w, "...")
	}
	return call
}

// guessFlag is the hint for an option that the command does not have.
func guessFlag(cmd *cobra.Command, name string) string {
	switch {
	case name == "json", name == "o", name == "output":
		return callOf(cmd) + " --format=json"
	case slices.Contains([]string{"title", "name", "summary"}, name) && cmd.Name() == "add":
		return callOf(cmd)
	case slices.Contains([]string{"actor", "author", "assignee", "by", "as", "agent", "user"}, name):
		return "who acts is taken from where the command runs, see git ctx status"
	case name == "v" && !cmd.HasParent() || name == "version":
		return "git ctx version"
	}
	for _, guess := range append(slices.Clone(guessFlags[name]), nearFlag(cmd, name)) {
		f := cmd.Flags().Lookup(guess)
		if guess == "" || f == nil {
			continue
		}
		arg, _ := pflag.UnquoteUsage(f)
		return strings.TrimSpace(callOf(cmd) + " --" + f.Name + " " + arg)
	}
	return strings.Join(append(owners(cmd, name), helpCall(cmd)), "\n")
}

// ownersShown is how many commands that have an option are named.
const ownersShown = 3

// owners says which other commands have an option that this one has not.
func owners(cmd *cobra.Command, name string) []string {
	if len(name) < 2 {
		return nil
	}
	var calls []string
	for _, c := range cmd.Root().Commands() {
		f := c.LocalNonPersistentFlags().Lookup(name)
		if f == nil || f.Hidden || !c.IsAvailableCommand() {
			continue
		}
		if calls = append(calls, c.CommandPath()); len(calls) > ownersShown {
			return nil // an option of many says nothing of what was meant
		}
	}
	if len(calls) == 0 {
		return nil
	}
	return []string{dashed(name) + " is an option of " + strings.Join(calls, ", ")}
}

// nearFlag is the command's flag that is spelled most like a name.
func nearFlag(cmd *cobra.Command, name string) string {
	if len(name) < 2 {
		return ""
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return closest(name, names)
}
