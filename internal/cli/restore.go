package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/audit"
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

// lostSides asks which merges lost something, for audit.
func (e *Env) lostSides(ctx context.Context, v *ledger.View, led *ledger.Ledger) ([]audit.LostSide, error) {
	check, err := led.VerifyMerges(ctx, v.Commit)
	if err != nil {
		return nil, err
	}
	if check.Unverified > 0 {
		e.note("%s made before this clone looked are not verified: git ctx fsck", plural(check.Unverified, "merge"))
	}
	var out []audit.LostSide
	for _, s := range check.Lost {
		out = append(out, audit.LostSide{Merge: string(s.Merge), Record: s.ID, Field: s.Field, Value: s.Value})
	}
	return out, nil
}

// leftBehind asks which context branches were left behind, for audit.
func leftBehind(ctx context.Context, led *ledger.Ledger) ([]audit.LeftBehind, error) {
	branches, err := led.UnmergedBranches(ctx)
	if err != nil {
		return nil, err
	}
	var out []audit.LeftBehind
	for _, b := range branches {
		out = append(out, audit.LeftBehind{Branch: b.Branch, Commits: b.Commits, Code: string(b.Code), Command: b.Command})
	}
	return out, nil
}
