package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

func newLinkCmd(env *Env) *cobra.Command {
	return newRelinkCmd(env, grammar.Link)
}

func newUnlinkCmd(env *Env) *cobra.Command {
	return newRelinkCmd(env, grammar.Unlink)
}

func newRelinkCmd(env *Env, verb string) *cobra.Command {
	return &cobra.Command{
		Use: verb + " ID REL=ID...", Short: grammar.Lookup(verb).Purpose,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usagef("git ctx "+verb+" ID depends-on=ID", "'%s' needs a record and at least one RELATION=ID", verb)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runRelink(cmd.Context(), env, verb, args) },
	}
}

func runRelink(ctx context.Context, env *Env, verb string, args []string) error {
	op := grammar.Op{Verb: verb, ID: args[0]}
	words := args[1:]
	if len(words) == 2 && !strings.Contains(words[0], "=") && !strings.Contains(words[1], "=") {
		words = []string{words[0] + "=" + words[1]} // `link ID REL ID` reads as well
	}
	if err := fillLinks(&op, words); err != nil {
		return err
	}
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	var r *records.Record
	res, err := led.Edit(ctx, func(tx *ledger.Tx) (err error) {
		r, _, err = tx.Do(op)
		return err
	})
	if err != nil {
		return err
	}
	return env.answerEdit(res, r.ID, string(r.ID))
}
