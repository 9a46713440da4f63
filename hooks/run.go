package hooks

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/git-ctx/git-ctx/internal/ledger"
)

// Run does git ctx's part of one of git's hooks and tells on out what the user
// should know. A hook that it has no part in is no error.
func Run(ctx context.Context, led *ledger.Ledger, name string, args []string, out io.Writer) error {
	if name != "post-merge" {
		return nil
	}
	if len(args) > 0 && args[0] == "1" {
		return nil // a squash: nothing is merged before the user commits
	}
	return postMerge(ctx, led, out)
}

// postMerge follows a merge of code branches: with ctx.follow it names the
// context branches to merge, with ctx.autoMerge it merges them.
func postMerge(ctx context.Context, led *ledger.Ledger, out io.Writer) error {
	names, err := led.MergedHere(ctx)
	if err != nil || len(names) == 0 {
		return err
	}
	auto, _, err := led.Repo().Config(ctx, "ctx.autoMerge")
	if err != nil {
		return err
	}
	for _, name := range names {
		if auto != "true" {
			fmt.Fprintf(out, "git ctx: code branch '%s' is merged, its context is not yet: git ctx merge %s\n", name, name)
			continue
		}
		m, err := led.Merge(ctx, name, ledger.MergeOptions{})
		if err != nil {
			return fmt.Errorf("merge the context of '%s': %w", name, err)
		}
		fmt.Fprintf(out, "git ctx: merged the context of '%s'\n", name)
		switch {
		case len(m.Disputed) > 0:
			fmt.Fprintf(out, "git ctx: the two disagree, see: git ctx conflicts\n")
		case len(m.Made) > 0:
			fmt.Fprintf(out, "git ctx: they contradict each other, see: git ctx audit\n")
		}
	}
	return nil
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
