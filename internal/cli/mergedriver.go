package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/records/merge"
)

// usualMarkers is the marker size that git asks for, where it merges for the
// user; for the merge of two merge bases it asks for more.
const usualMarkers = 7

func newMergeDriverCmd(env *Env) *cobra.Command {
	return &cobra.Command{
		Use: "merge-driver BASE OURS THEIRS MARKERSIZE PATH", Short: "merge one record for git; 'git ctx hooks install' sets it up",
		Hidden: true, DisableFlagParsing: true, // a path may begin with a dash
		RunE: func(cmd *cobra.Command, args []string) error { return runMergeDriver(cmd.Context(), env, args) },
	}
}

// runMergeDriver is git's merge driver for record files: it writes the merge
// over OURS. It opens no repository and writes nothing else. Status 1 is a
// conflict. What cannot be merged ends with 129, as 128 is a conflict to some gits,
// and without OURS, by which every git gives the whole merge up and leaves both
// branches as they were: with one side's file left there, a careless commit would
// drop the other.
func runMergeDriver(ctx context.Context, env *Env, args []string) error {
	if len(args) != 5 {
		return usagef("git ctx hooks install", "'merge-driver' takes BASE OURS THEIRS MARKERSIZE PATH from git, got %d arguments", len(args))
	}
	base, ours, theirs, path := args[0], args[1], args[2], args[4]
	if !merge.Covers(path) {
		return mergeOtherFile(ctx, env, args)
	}
	merged, report, err := mergeFiles(path, base, ours, theirs)
	if err == nil {
		err = os.WriteFile(ours, merged, 0o666)
	}
	if err != nil {
		return &usageError{errors.Join(fmt.Errorf("merge '%s': %w; git gives this merge up, and changed nothing", path, err), os.Remove(ours)), driverHint(err)}
	}
	if len(report.Conflicts) == 0 {
		return nil
	}
	if size, err := strconv.Atoi(args[3]); err != nil || size <= usualMarkers {
		env.note("git ctx: '%s' is disputed on %s: the file holds every side's value", path, strings.Join(report.Conflicts, ", "))
	}
	return errNo
}

func mergeFiles(path, base, ours, theirs string) ([]byte, merge.Report, error) {
	var contents [3][]byte
	for i, name := range []string{base, ours, theirs} {
		var err error
		if contents[i], err = os.ReadFile(name); err != nil {
			return nil, merge.Report{}, err
		}
	}
	return merge.File(path, contents[0], contents[1], contents[2])
}

// driverHint says how to merge where the driver refused.
func driverHint(err error) string {
	var ids *merge.IDError
	if errors.As(err, &ids) {
		return "git took two records for a renamed one: git merge -X find-renames=100%"
	}
	return "mend the record on the branch where it is broken, then merge again"
}

// mergeOtherFile merges a file that has a record's suffix and is none, such as
// one of the user's own in a code branch, as git would without us.
func mergeOtherFile(ctx context.Context, env *Env, args []string) error {
	cmd := exec.CommandContext(ctx, "git", "merge-file", "--marker-size="+args[3],
		"-L", "ours", "-L", "base", "-L", "theirs", "--", args[1], args[0], args[2])
	cmd.Stdout, cmd.Stderr, cmd.Env = env.Stderr, env.Stderr, env.Environ
	if err := cmd.Run(); err != nil {
		return errNo // conflicts, or what git cannot merge: ours stays
	}
	return nil
}
