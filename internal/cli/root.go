package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/git-ctx/git-ctx/internal/setup"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// Version is the release this program was built as.
const Version = "0.1.0"

// Main runs one command line and returns the exit status.
func Main(ctx context.Context, env *Env, args []string) int {
	out := &ui.Held{Out: env.Stdout, Through: env.StdoutTTY}
	env.Stdout, env.stop = out, ctx.Done()
	err := runOnce(ctx, env, args)
	if env.close() != nil && !env.wrote() && out.Drop() {
		// The index failed under the answer, which nobody has seen: git knows better.
		env.noIndex = true
		err = runOnce(ctx, env, args)
		_ = env.close() // nothing was read from an index
	}
	if ferr := out.Flush(); err == nil && ferr != nil && !errors.Is(ferr, syscall.EPIPE) {
		err = fmt.Errorf("write the answer: %w", ferr)
	}
	err = interrupted(ctx, err)
	if err != nil && !errors.Is(err, errNo) {
		printError(env.Stderr, err)
	}
	return status(err)
}

func runOnce(ctx context.Context, env *Env, args []string) error {
	if len(args) > 1 && args[0] == "hook" {
		return runHook(ctx, env, args[1], args[2:]) // git waits for it at every commit: no time for all commands
	}
	root := newRoot(env)
	root.SetArgs(countOption(root, args))
	err := root.ExecuteContext(ctx)
	var remote *setup.RemoteFirstError
	if errors.Is(err, ledger.ErrNotInitialised) && !errors.As(err, &remote) && env.repo != nil {
		if hint, herr := setup.RemoteHint(ctx, env.led); herr == nil && hint != "" {
			return &hintedError{err, hint}
		}
	}
	if err != nil && !errors.Is(err, errNo) {
		err = explain(root, args, err)
	}
	return err
}

// countOption has log's -5 read as -n 5, as git's log does.
func countOption(root *cobra.Command, args []string) []string {
	if cmd, _, err := root.Find(args); err != nil || cmd.Name() != "log" {
		return args
	}
	out := slices.Clone(args)
	for i, a := range out {
		if count, dashed := strings.CutPrefix(a, "-"); dashed {
			if n, err := strconv.ParseUint(count, 10, 31); err == nil {
				out[i] = "--max-count=" + strconv.FormatUint(n, 10)
			}
		}
	}
	return out
}

// The groups of commands in help, in order.
const (
	groupRecord = "record"
	groupRead   = "read"
	groupStore  = "store"
	groupOther  = "other"
)

func newRoot(env *Env) *cobra.Command {
	root := &cobra.Command{
		Use: "git ctx", Short: "version the reasoning behind a code base",
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "git ctx"},
		SilenceErrors: true, SilenceUsage: true,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args)
			}
			if version, err := cmd.Flags().GetBool("version"); err == nil && version {
				_, err := fmt.Fprintf(env.Stdout, "git ctx version %s\n", Version)
				return err
			}
			_, err := fmt.Fprint(env.Stdout, rootHelp(cmd))
			return err
		},
		PersistentPreRunE: refuseEmptyFlags,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	root.SetFlagErrorFunc(flagError)
	useHelp(env, root)
	root.Flags().BoolP("version", "v", false, "print the version") // not cobra's, which looks at no other word
	f := root.PersistentFlags()
	f.StringVarP(&env.dir, "directory", "C", "", "run as if started in `DIR`")
	f.StringVar(&env.gitDir, "git-dir", "", "the repository's `DIR`")
	f.StringVar(&env.scope, "scope", "", "see and write what is in `SCOPE` beside the project; see git ctx scope -h")
	f.StringVar(&env.format, "format", "text", "`FORM` of the answer: text or json")
	f.BoolVar(&env.noPager, "no-pager", false, "do not pipe long answers into a pager")
	root.AddGroup(&cobra.Group{ID: groupRecord, Title: "Record:"}, &cobra.Group{ID: groupRead, Title: "Read:"},
		&cobra.Group{ID: groupStore, Title: "Store:"}, &cobra.Group{ID: groupOther, Title: "Other:"})
	addCommands(env, root)
	addCompletions(env, root)
	return root
}

// addCommands puts every command under root, in help order.
func addCommands(env *Env, root *cobra.Command) {
	add := func(group string, cmds ...*cobra.Command) {
		for _, c := range cmds {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	for _, s := range records.Schemas() {
		add(groupRecord, newKindCmd(env, s))
	}
	for _, m := range records.Transitions() {
		add(groupRecord, newVerbCmd(env, string(m.Verb)))
	}
	add(groupRecord, newSupersedeCmd(env), newVerbCmd(env, grammar.Reopen), newVerbCmd(env, grammar.Withdraw), newForgetCmd(env), newPurgeCmd(env), newEditCmd(env), newLinkCmd(env), newUnlinkCmd(env), newApplyCmd(env), newClaimCmd(env))
	add(groupRead, newPacketCmd(env), newPlanCmd(env), newNextCmd(env), newGapsCmd(env), newListCmd(env, ""), newShowCmd(env), newStatusCmd(env), newLogCmd(env), newDiffCmd(env))
	add(groupRead, newCheckCmd(env), newCloseoutCmd(env), newStatsCmd(env))
	add(groupRead, newSearchCmd(env), newGraphCmd(env), newLineageCmd(env), newWhyCmd(env), newGuardCmd(env))
	add(groupRead, newAuditCmd(env), newReviewCmd(env))
	add(groupStore, newInitCmd(env), newCommitCmd(env), newBranchCmd(env), newSwitchCmd(env), newMergeCmd(env), newConflictsCmd(env),
		newResolveCmd(env), newRevertCmd(env), newBootstrapCmd(env), newImportCmd(env), newExportCmd(env), newFsckCmd(env), newDoctorCmd(env),
		newWorktreeCmd(env), newHooksCmd(env), newAgentCmd(env), newSyncCmd(env), newFetchCmd(env), newPullCmd(env), newPushCmd(env),
		newScopeCmd(env), newPromoteCmd(env))
	add(groupOther, newMCPCmd(env), newHookCmd(env), newMergeDriverCmd(env), newDemoCmd(env), newCompletionCmd(env), newManCmd(env), newVersionCmd(env))
	for _, c := range root.Commands() {
		if writesText(c) {
			env.letSecretsPass(c)
		}
	}
}

// writesText reports whether a command puts text of its caller's on record.
func writesText(c *cobra.Command) bool {
	switch c.Name() {
	case "claim", "purge": // the one writes none, and the other's reason outlives what it takes away
		return false
	case "review", "audit", "commit", "resolve", "revert", "import", "bootstrap":
		return true
	}
	return c.GroupID == groupRecord
}

// formats checks --format against what a command can write.
func (e *Env) formats(allowed ...string) error {
	for _, a := range append(allowed, "text", "json") {
		if e.format == a {
			return nil
		}
	}
	return usagef("", "unknown --format '%s': it is one of %s", e.format, strings.Join(append([]string{"text", "json"}, allowed...), ", "))
}
