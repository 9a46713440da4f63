package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

func newApplyCmd(env *Env) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use: "apply [FILE|-]", Short: "apply a batch of records and verbs in one commit",
		Long: "Apply a batch, all of it in one commit or nothing. The batch is YAML or JSON from FILE or\n" +
			"standard input: a list of ops, each a verb with what the command of that name takes,\n\n" +
			"    - {verb: add, kind: hypothesis, title: It is the cache, as: cache}\n" +
			"    - {verb: refute, id: $cache, evidence: p99 unchanged with a warm cache}\n\n" +
			"or a mapping with format, records (as export writes them) and ops. Prints the id of each\n" +
			"record added, followed by its name where an op has 'as'. A batch has at most 64 MiB.",
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			file := "-"
			if len(args) == 1 {
				file = args[0]
			}
			return runApply(cmd.Context(), env, file, dryRun)
		},
	}
	cmd.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "check the batch and write nothing")
	return cmd
}

// oneFile accepts at most one argument, a file.
func oneFile(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usagef(cmd.CommandPath()+" -h", "'%s' takes one file, got %d", cmd.CommandPath(), len(args))
	}
	return nil
}

// appliedJSON is the JSON answer of apply: that of every verb, and the names.
type appliedJSON struct {
	edited
	DryRun bool                  `json:"dry_run"`
	Names  map[string]records.ID `json:"names"`
}

func runApply(ctx context.Context, env *Env, file string, dryRun bool) error {
	if err := env.formats(); err != nil {
		return err
	}
	data, err := env.readInput(file, maxInput, "a batch holds")
	if err != nil {
		return err
	}
	batch, err := grammar.ParseBatch(data)
	if err != nil {
		return eachFault(err, func(fault error) error { return fmt.Errorf("batch '%s': %w", file, fault) })
	}
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	var res *ledger.Result
	apply := func() (err error) {
		res, err = led.Apply(ctx, batch, dryRun)
		return err
	}
	if dryRun {
		err = apply()
	} else {
		err = env.first(ctx, led, apply)
	}
	var item *grammar.ItemError
	if errors.As(err, &item) {
		return fmt.Errorf("batch '%s': %w", file, err)
	}
	if err != nil {
		return err
	}
	if env.json() {
		env.warnMade(res.Made)
		return env.writeJSON(appliedJSON{edited: editedOf(res, ""), DryRun: dryRun, Names: res.Named})
	}
	would := ""
	if dryRun {
		would = "would be "
	}
	if err := env.answerEdit(res, "", appliedLines(res)...); err != nil {
		return err
	}
	env.note("%s %swritten, %d of them new", text.Plural(len(res.Changed), "record"), would, len(res.Created))
	return nil
}

// eachFault wraps each fault of an error by itself, so that each has a line.
func eachFault(err error, wrap func(error) error) error {
	faults, ok := err.(grammar.Faults) //nolint:errorlint // a wrapped one has its line
	if !ok {
		return wrap(err)
	}
	each := make([]error, len(faults))
	for i, f := range faults {
		each[i] = wrap(f)
	}
	return errors.Join(each...)
}

// appliedLines lists the created records, then those that an op only named.
func appliedLines(res *ledger.Result) []string {
	names := make(map[records.ID]string)
	for _, name := range slices.Sorted(maps.Keys(res.Named)) {
		names[res.Named[name]] += " " + name
	}
	var lines []string
	for _, id := range res.Created {
		lines = append(lines, string(id)+names[id])
		delete(names, id)
	}
	for _, id := range slices.Sorted(maps.Keys(names)) {
		lines = append(lines, string(id)+names[id])
	}
	return lines
}
