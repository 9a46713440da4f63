package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
)

// newVerbCmd is a verb that is asked of one or more records, each by itself.
func newVerbCmd(env *Env, name string) *cobra.Command {
	op := grammar.Op{Verb: name}
	cmd := &cobra.Command{
		Use: name + " ID...", Short: grammar.Lookup(name).Purpose,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && name == "done":
				args = []string{"@task"}
			case len(args) == 0:
				return env.needsID(cmd)
			}
			return runVerb(cmd.Context(), env, op, args)
		},
	}
	if name == "done" {
		cmd.Use, cmd.Long = name+" [ID...]", "Close tasks: those named, else the task in hand, @task."
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

// likelyShown is how many records a verb without an id names.
const likelyShown = 3

// needsID refuses a state verb that names no record, and names those that it may be
// said of, what was recorded last first.
func (e *Env) needsID(cmd *cobra.Command) error {
	refused := func(hint string) error { return usagef(hint, "'%s' needs the id of a record", cmd.Name()) }
	rd, err := e.read(cmd.Context(), readFlags{})
	if err != nil {
		return refused("git ctx list") // nothing here can be named
	}
	verb := records.Verb(cmd.Name()).Transition()
	if verb == nil {
		return refused("git ctx list") // it gives no state, as forget
	}
	var may []*records.Record
	for _, k := range verb.Kinds() {
		for from, next := range k.Schema().Next {
			if from == verb.To[k] || !slices.Contains(next, verb.To[k]) {
				continue
			}
			for _, id := range rd.InState(k, from) {
				if r, ok := rd.Record(id); ok && r.Verdict != nil {
					may = append(may, r)
				}
			}
		}
	}
	slices.SortFunc(may, func(a, b *records.Record) int {
		return cmp.Or(b.Verdict.At.Compare(a.Verdict.At), cmp.Compare(a.ID, b.ID))
	})
	if len(may) == 0 {
		return refused("git ctx list")
	}
	var lines []string
	for _, r := range may[:min(len(may), likelyShown)] {
		lines = append(lines, fmt.Sprintf("git ctx %s  # %s", strings.Replace(verbUsage(r.Kind, verb.Verb), "ID", rd.Abbreviate(r.ID, query.ShownID), 1), query.TitleOf(r)))
	}
	return refused(strings.Join(lines, "\n"))
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
