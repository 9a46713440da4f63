package hooks

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/internal/codebranch"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/sync"
	"github.com/git-ctx/git-ctx/internal/text"
)

// afterCheckout lets the context branch follow the code branch.
func afterCheckout(ctx context.Context, led *ledger.Ledger, c *Call) error {
	if c.arg(2) != "1" {
		return nil // files were checked out, and HEAD is where it was
	}
	left, err := led.FollowCode(ctx)
	if err != nil || left == "" {
		return err
	}
	branch, err := led.Branch(ctx)
	if err == nil {
		c.say("on context branch '%s' again, as ctx.follow asks for; it was '%s'", branch, left)
	}
	return err
}

// afterMerge follows a merge of code branches: with ctx.follow it names the
// context branches to merge, with ctx.autoMerge it merges them.
func afterMerge(ctx context.Context, led *ledger.Ledger, c *Call) error {
	if c.arg(0) == "1" {
		return nil // a squash: nothing is merged before the user commits
	}
	names, err := codebranch.MergedHere(ctx, led)
	if err != nil || len(names) == 0 {
		return err
	}
	auto, _, err := led.Repo().Config(ctx, "ctx.autoMerge")
	if err != nil {
		return err
	}
	for _, name := range names {
		if auto != "true" {
			c.say("code branch '%s' is merged, its context is not yet: git ctx merge %s", name, name)
			continue
		}
		m, err := led.Merge(ctx, name, ledger.MergeOptions{})
		if err != nil {
			return fmt.Errorf("merge the context of '%s': %w", name, err)
		}
		c.say("merged the context of '%s'", name)
		switch {
		case len(m.Disputed) > 0:
			c.say("the two disagree, see: git ctx conflicts")
		case len(m.Made) > 0:
			c.say("they contradict each other, see: git ctx audit")
		}
	}
	return nil
}

// afterRewrite makes anchors name the commits that an amend or a rebase put in
// the place of those they named. Trailers of the code stand in its messages,
// which git takes along.
func afterRewrite(ctx context.Context, led *ledger.Ledger, c *Call) error {
	moved := make(map[gitstore.OID]gitstore.OID)
	lines := bufio.NewScanner(c.In)
	for lines.Scan() {
		if words := strings.Fields(lines.Text()); len(words) >= 2 {
			moved[gitstore.OID(words[0])] = gitstore.OID(words[1])
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read the rewritten commits: %w", err)
	}
	if len(moved) == 0 {
		return nil
	}
	changed, err := led.FollowRewritten(ctx, moved)
	if err == nil && len(changed) > 0 {
		c.say("the anchors of %s name the rewritten commits", text.Plural(len(changed), "record"))
	}
	return err
}

// beforePush takes the context along, where ctx.sync asks for that and the code
// goes where the context is shared.
func beforePush(ctx context.Context, led *ledger.Ledger, c *Call) error {
	const key = "ctx.sync"
	value, _, err := led.Repo().Config(ctx, key)
	if err != nil {
		return err
	}
	switch strings.ToLower(value) {
	case "push", "true", "yes", "on", "1":
	case "", "false", "no", "off", "0":
		return nil
	default:
		return &gitstore.ConfigError{Key: key, Value: value, Want: "push or false", Usual: "push"}
	}
	remote, err := led.ElectedRemote(ctx)
	if err != nil || remote == "" || remote != c.arg(0) {
		return err
	}
	res, err := sync.Sync(ctx, led, sync.Options{Remote: remote})
	if err != nil {
		return fmt.Errorf("sync the context with '%s': %w", remote, err)
	}
	sent := len(res.Pushed) - len(res.Lacking())
	switch {
	case len(res.Lacking()) > 0:
		c.say("'%s' did not take all of the context, see: git ctx sync %s", remote, remote)
	case sent+len(res.Branches) > 0:
		c.say("context synced with '%s'", remote)
	}
	if !res.Clean() {
		c.say("both sides changed a record, see: git ctx conflicts")
	}
	return nil
}

// syncTimeout is how long a push may wait for its context.
func syncTimeout(ctx context.Context, led *ledger.Ledger) (time.Duration, error) {
	const key = "ctx.syncTimeout"
	value, ok, err := led.Repo().Config(ctx, key)
	if err != nil || !ok {
		return patience, err
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > 600 {
		return patience, &gitstore.ConfigError{Key: key, Value: value, Want: "a number of seconds, 1 to 600", Usual: "10"}
	}
	return time.Duration(n) * time.Second, nil
}
