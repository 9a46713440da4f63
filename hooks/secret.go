package hooks

import (
	"context"

	"github.com/git-ctx/git-ctx/internal/worktree"

	"github.com/git-ctx/git-ctx/internal/ledger"
)

// refuseSecrets stops a commit by hand on a checked out context branch that would put a secret on
// record, whatever ctx.hooks.block says: what is written there is shared, and hard to take back.
// A merge and a rebase make commits of what others wrote, which audit tells of.
func refuseSecrets(ctx context.Context, led *ledger.Ledger, c *Call, m *message) error {
	in, err := worktree.OfContext(ctx, led)
	if err != nil || !in || inSequence(led.Repo().GitDir()) {
		return err
	}
	found, err := worktree.StagedSecrets(ctx, led, string(m.written()))
	if err != nil {
		return err
	}
	for _, s := range found {
		c.say("error: %s", s)
	}
	if len(found) == 0 {
		return nil
	}
	c.say("the commit is stopped; where it is not a secret, let the rule pass:")
	c.say("git commit --trailer 'Ctx-Allow-Secret: %s'", found[0].Passing())
	return ErrStop
}
