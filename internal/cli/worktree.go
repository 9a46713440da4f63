package cli

import (
	"context"
	"fmt"

	"github.com/git-ctx/git-ctx/internal/worktree"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/internal/text"
)

func newWorktreeCmd(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "worktree", Short: "check the records out as files, to read and edit them with git",
		Long: "Check a context branch of its own out in a directory. There git's own commands work: commit, merge,\n" +
			"rebase, cherry-pick, stash. What is committed there comes back with 'git ctx merge wt/NAME'.\n" +
			"To bring what others record in: git merge refs/ctx/heads/main",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args)
			}
			return needsOne(cmd)
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	var name string
	add := &cobra.Command{
		Use: "add DIR", Short: "check out a new context branch wt/NAME in DIR", Args: oneDir("add"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runWorktreeAdd(cmd.Context(), env, args[0], name)
		},
	}
	add.Flags().StringVar(&name, "branch", "", "`NAME` of the branch wt/NAME (that of the directory)")
	list := &cobra.Command{
		Use: "list", Short: "list the directories with a context branch checked out", Args: noArgs,
	}
	script := &scriptFlags{}
	script.bind(list.Flags(), "directory, branch, commit")
	list.RunE = func(cmd *cobra.Command, _ []string) error { return runWorktreeList(cmd.Context(), env, script) }
	remove := &cobra.Command{
		Use: "remove DIR", Short: "remove such a directory; its commits stay", Args: oneDir("remove"),
		RunE: func(cmd *cobra.Command, args []string) error { return runWorktreeRemove(cmd.Context(), env, args[0]) },
	}
	cmd.AddCommand(add, list, remove)
	return cmd
}

func oneDir(verb string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usagef("git ctx worktree "+verb+" DIR", "'worktree %s' takes one directory, got %d", verb, len(args))
		}
		return nil
	}
}

func runWorktreeAdd(ctx context.Context, env *Env, dir, name string) error {
	if err := env.formats(); err != nil {
		return err
	}
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	env.setUpMerges(ctx, led.Repo())
	w, err := worktree.Add(ctx, led, dir, name)
	if err != nil {
		return err
	}
	if env.json() {
		return env.writeJSON(worktreesJSON{jsonFormat, []worktree.Worktree{*w}})
	}
	_, err = fmt.Fprintf(env.Stdout, "checked out context branch '%s' in %s\n", w.Branch, text.Visible(w.Dir))
	env.note("hint: commit there with git, then: git ctx merge %s", w.Branch)
	return err
}

// worktreesJSON is the JSON answer of worktree.
type worktreesJSON struct {
	Format    int                 `json:"format"`
	Worktrees []worktree.Worktree `json:"worktrees"`
}

func runWorktreeList(ctx context.Context, env *Env, script *scriptFlags) error {
	if err := env.formats(); err != nil {
		return err
	}
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	trees, err := worktree.List(ctx, led)
	if err != nil {
		return err
	}
	if env.json() {
		return env.writeJSON(worktreesJSON{jsonFormat, append([]worktree.Worktree{}, trees...)})
	}
	if script.wanted() {
		for _, w := range trees {
			if err := script.row(env, w.Dir, w.Branch, string(w.Commit)); err != nil {
				return err
			}
		}
		return nil
	}
	return env.page(ctx, nil, func(p *page) {
		for _, w := range trees {
			p.Printf("%s  %s  %s\n", w.Dir, shortOID(w.Commit), w.Branch)
		}
	})
}

func runWorktreeRemove(ctx context.Context, env *Env, dir string) error {
	if err := env.formats(); err != nil {
		return err
	}
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	w, kept, err := worktree.Remove(ctx, led, dir)
	if err != nil {
		return err
	}
	if env.json() {
		return env.writeJSON(struct {
			Format int    `json:"format"`
			Dir    string `json:"dir"`
			Branch string `json:"branch"`
			Kept   bool   `json:"branch_kept"`
		}{jsonFormat, w.Dir, w.Branch, kept})
	}
	if _, err := fmt.Fprintf(env.Stdout, "removed %s\n", text.Visible(w.Dir)); err != nil {
		return err
	}
	if kept {
		env.note("hint: branch '%s' holds commits that no other does: git ctx merge %s", w.Branch, w.Branch)
	}
	return nil
}
