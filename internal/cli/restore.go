package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// runRestore puts back what a merge commit lost: COMMIT, or COMMIT:ID for one record.
func runRestore(ctx context.Context, env *Env, what string) error {
	if err := env.formats(); err != nil {
		return err
	}
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	rev, name, one := strings.Cut(what, ":")
	var id records.ID
	if one {
		if id, err = records.ParseID(name); err != nil {
			return usagef("git ctx audit --rule lost-side", "--restore '%s': %w", what, err)
		}
	}
	res, err := led.Restore(ctx, rev, id)
	if err != nil {
		return err
	}
	var lines []string
	disputed := false
	for _, id := range res.Changed {
		r, _ := res.View.Record(id)
		line := fmt.Sprintf("%s restored", id)
		if r.Disputed() {
			line, disputed = line+", disputed on "+strings.Join(conflictFields(r), ", "), true
		}
		lines = append(lines, line)
	}
	if len(res.Changed) == 0 {
		env.note("nothing to restore: %s lost nothing that is not here again", rev)
	}
	if err := env.answerEdit(res, "", lines...); err != nil {
		return err
	}
	if disputed {
		env.note("hint: git ctx conflicts")
	}
	return nil
}
