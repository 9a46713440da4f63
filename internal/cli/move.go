package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// newVerbCmd is a verb that is asked of one or more records, each by itself.
func newVerbCmd(env *Env, name string) *cobra.Command {
	op := grammar.Op{Verb: name}
	cmd := &cobra.Command{
		Use: name + " ID...", Short: grammar.Lookup(name).Purpose, Args: someIDs,
		RunE: func(cmd *cobra.Command, args []string) error { return runVerb(cmd.Context(), env, op, args) },
	}
	bindVerb(cmd.Flags(), &op, nil)
	return cmd
}

func runVerb(ctx context.Context, env *Env, op grammar.Op, ids []string) error {
	whole := op
	whole.IDs = ids
	if err := whole.Check(); err != nil {
		return &usageError{err, fmt.Sprintf("git ctx %s -h", op.Verb)}
	}
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	var moved []*records.Record
	res, err := led.Edit(ctx, func(tx *ledger.Tx) error {
		moved = nil
		return eachID(ids, func(id string) error {
			op.ID = id
			r, _, err := tx.Do(op)
			moved = append(moved, r)
			return err
		})
	}, op)
	if err != nil {
		return err
	}
	lines := make([]string, len(moved))
	for i, r := range moved {
		lines[i] = stateLine(r)
	}
	return env.answerEdit(res, moved[0].ID, lines...)
}

// someIDs wants at least one record to be named.
func someIDs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("git ctx list", "'%s' needs the id of a record", cmd.Name())
	}
	return nil
}

func newSupersedeCmd(env *Env) *cobra.Command {
	op := grammar.Op{Verb: grammar.Supersede}
	cmd := &cobra.Command{
		Use: "supersede OLD... --by NEW", Short: grammar.Lookup(op.Verb).Purpose, Args: someIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if op.By == "" {
				return usagef("git ctx supersede "+strings.Join(args, " ")+" --by NEW --reason WHY", "'supersede' needs '--by', the record that replaces")
			}
			op.IDs = args
			return runSupersede(cmd.Context(), env, op)
		},
	}
	bindVerb(cmd.Flags(), &op, nil)
	return cmd
}

func runSupersede(ctx context.Context, env *Env, op grammar.Op) error {
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	var by *records.Record
	res, err := led.Edit(ctx, func(tx *ledger.Tx) (err error) {
		by, _, err = tx.Do(op)
		return err
	})
	if err != nil {
		return err
	}
	var lines []string
	for _, id := range res.Changed {
		lines = append(lines, fmt.Sprintf("%s superseded by %s", id, by.ID))
	}
	return env.answerEdit(res, by.ID, lines...)
}
