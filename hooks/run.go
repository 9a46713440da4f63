package hooks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/internal/ledger"
)

// patience bounds our part of a hook, whatever it meets: an index to be built, a
// lock that another process holds.
const patience = 10 * time.Second

// A Call is one of git's hooks as git runs it.
type Call struct {
	Name string
	Args []string
	In   io.Reader // what git writes to the hook
	Out  io.Writer // takes what the user should know
}

// say tells the user one line.
func (c *Call) say(format string, args ...any) { fmt.Fprintf(c.Out, "git ctx: "+format+"\n", args...) }

// ErrStop says that the user's action is to be stopped; why was told.
var ErrStop = errors.New("stopped by git ctx")

// Run does git ctx's part of one of git's hooks and tells what the user should
// know. A hook that it has no part in, and a repository without context, are no
// errors. The error is ErrStop, or what kept our part from being done.
func Run(ctx context.Context, led *ledger.Ledger, c Call) error {
	limit := patience
	if c.Name == "pre-push" {
		var err error
		if limit, err = syncTimeout(ctx, led); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := run(ctx, led, &c)
	switch {
	case errors.Is(err, ledger.ErrNotInitialised):
		return nil
	case ctx.Err() != nil && err != nil:
		return fmt.Errorf("it was not done within %s", limit)
	}
	return err
}

func run(ctx context.Context, led *ledger.Ledger, c *Call) error {
	switch c.Name {
	case "pre-commit":
		return beforeCommit(ctx, led, c)
	case "prepare-commit-msg":
		return prepareMessage(ctx, led, c)
	case "commit-msg":
		return judgeMessage(ctx, led, c)
	case "post-checkout":
		return afterCheckout(ctx, led, c)
	case "post-merge":
		return afterMerge(ctx, led, c)
	case "post-rewrite":
		return afterRewrite(ctx, led, c)
	case "pre-push":
		return beforePush(ctx, led, c)
	}
	return nil
}

// arg returns an argument, "" when git gave fewer.
func (c *Call) arg(i int) string {
	if i < len(c.Args) {
		return c.Args[i]
	}
	return ""
}

// Environ returns the environment for our part of a hook: without what git tells
// about the commit it runs for, but for the index where that is what we look at,
// and with nothing that could wait for an answer.
func Environ(name string, env []string) []string {
	out := append(Scrubbed(env), "GIT_TERMINAL_PROMPT=0")
	switch name {
	case "pre-commit", "prepare-commit-msg", "commit-msg":
		for _, kv := range env {
			if strings.HasPrefix(kv, "GIT_INDEX_FILE=") {
				out = append(out, kv)
			}
		}
	}
	return out
}

// Scrubbed returns an environment without what git tells a hook about the
// commit it runs for: the user's index, and an author that is somebody else.
func Scrubbed(env []string) []string {
	out := make([]string, 0, len(env))
	for _, kv := range env {
		if !aboutOneCommit(kv) {
			out = append(out, kv)
		}
	}
	return out
}

func aboutOneCommit(kv string) bool {
	name, _, _ := strings.Cut(kv, "=")
	switch name {
	case "GIT_INDEX_FILE", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE",
		"GIT_PREFIX", "GIT_REFLOG_ACTION", "GIT_EDITOR", "GIT_QUARANTINE_PATH":
		return true
	}
	return strings.HasPrefix(name, "GITHEAD_")
}
