package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// newMoveCmd is a state verb: it moves one or more records to another state.
func newMoveCmd(env *Env, m *records.Transition) *cobra.Command {
	op := ledger.Op{Verb: string(m.Verb)}
	cmd := &cobra.Command{
		Use: string(m.Verb) + " ID...", Short: m.Purpose, Args: someIDs,
		RunE: func(cmd *cobra.Command, args []string) error { return runMove(cmd.Context(), env, op, args) },
	}
	f := cmd.Flags()
	f.StringVarP(&op.Reason, "reason", "r", "", "say `WHY`; it is kept with the judgement")
	f.StringArrayVar(&op.Cites, "cite", nil, "`ID` of a record this rests on, repeatable")
	f.StringVar(&op.Evidence, "evidence", "", "record `TEXT` as evidence, link it and cite it")
	f.StringVar(&op.Type, "type", "", "`TYPE` of that evidence")
	f.StringVar(&op.Source, "source", "", "`TEXT`: where that evidence comes from")
	f.StringArrayVar(&op.Anchors, "anchor", nil, "`PATH[:A-B]` that evidence stands on, repeatable")
	f.StringArrayVar(&op.Despite, "despite", nil, "`ID` of a record whose contradiction is known and overridden")
	if m.Verb == "done" {
		f.StringVarP(&op.Learned, "message", "m", "", "`TEXT` learned, recorded as a draft conclusion")
	}
	return cmd
}

func runMove(ctx context.Context, env *Env, op ledger.Op, ids []string) error {
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
	})
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
	op := ledger.Op{Verb: string(records.VerbSupersede)}
	cmd := &cobra.Command{
		Use: "supersede OLD... --by NEW", Short: "replace records by another of their kind", Args: someIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if op.By == "" {
				return usagef("git ctx supersede "+strings.Join(args, " ")+" --by NEW --reason WHY", "'supersede' needs '--by', the record that replaces")
			}
			op.IDs = args
			return runSupersede(cmd.Context(), env, op)
		},
	}
	cmd.Flags().StringVar(&op.By, "by", "", "`ID` of the record that replaces")
	cmd.Flags().StringVarP(&op.Reason, "reason", "r", "", "say `WHY`; it is kept with the judgement")
	return cmd
}

func runSupersede(ctx context.Context, env *Env, op ledger.Op) error {
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

func newReopenCmd(env *Env) *cobra.Command {
	op := ledger.Op{Verb: string(records.VerbReopen)}
	cmd := &cobra.Command{
		Use: "reopen ID...", Short: "take a judgement back: the record is open again", Args: someIDs,
		RunE: func(cmd *cobra.Command, args []string) error { return runMove(cmd.Context(), env, op, args) },
	}
	cmd.Flags().StringVarP(&op.Reason, "reason", "r", "", "say `WHY`; it is kept with the judgement")
	return cmd
}
