package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/text"
)

type branchOptions struct {
	script scriptFlags
	remove bool
	force  bool
	list   bool
}

func newBranchCmd(env *Env) *cobra.Command {
	o := &branchOptions{}
	cmd := &cobra.Command{
		Use: "branch [NAME [START]] | (-d | -D) NAME...", Short: "list, make or delete context branches",
		RunE: func(cmd *cobra.Command, args []string) error { return runBranch(cmd.Context(), env, o, args) },
	}
	f := cmd.Flags()
	f.BoolVarP(&o.remove, "delete", "d", false, "delete branches whose commits another one holds")
	f.BoolVarP(&o.force, "force-delete", "D", false, "delete branches even with commits that no other holds; the answer names the commit that brings them back")
	f.BoolVarP(&o.list, "list", "l", false, "list the branches, as without a name")
	o.script.bind(f, "* for the current one, name, commit")
	return cmd
}

func runBranch(ctx context.Context, env *Env, o *branchOptions, args []string) error {
	if err := env.formats(); err != nil {
		return err
	}
	o.remove = o.remove || o.force
	switch {
	case o.list && (o.remove || len(args) > 0):
		return usagef("git ctx branch", "option '--list' takes no name, got '%s'", args[0])
	case o.remove && len(args) == 0:
		return usagef("git ctx branch -d NAME", "option '--delete' needs the name of a branch")
	case !o.remove && len(args) > 2:
		return usagef("git ctx branch NAME START", "branch takes a name and where to start, got '%s' too", args[2])
	}
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	switch {
	case o.remove:
		return deleteBranches(ctx, env, led, args, o.force)
	case len(args) > 0:
		return createBranch(ctx, env, led, args)
	}
	return listBranches(ctx, env, led, o)
}

// branchJSON is a context branch in JSON answers.
type branchJSON struct {
	Name    string       `json:"name"`
	Commit  gitstore.OID `json:"commit"`
	Current bool         `json:"current"`
	Default bool         `json:"default"`
}

type branchesAnswer struct {
	Format   int          `json:"format"`
	Branches []branchJSON `json:"branches"`
}

func listBranches(ctx context.Context, env *Env, led *ledger.Ledger, o *branchOptions) error {
	bs, err := led.Branches(ctx)
	if err != nil {
		return err
	}
	if len(bs) == 0 {
		return ledger.ErrNotInitialised
	}
	if env.json() {
		out := branchesAnswer{Format: jsonFormat}
		for _, b := range bs {
			out.Branches = append(out.Branches, branchJSON(b))
		}
		return env.writeJSON(out)
	}
	if o.script.wanted() {
		for _, b := range bs {
			mark := " "
			if b.Current {
				mark = "*"
			}
			if err := o.script.row(env, mark, b.Name, string(b.Commit)); err != nil {
				return err
			}
		}
		return nil
	}
	width := 0
	for _, b := range bs {
		width = max(width, len(b.Name))
	}
	return env.page(ctx, nil, func(p *page) {
		for _, b := range bs {
			mark, hue := " ", ui.Plain
			if b.Current {
				mark, hue = "*", ui.Green
			}
			note := ""
			if b.Default {
				note = " (default)"
			}
			p.Printf("%s %s  %s%s\n", mark, ui.Painted{Text: b.Name, Colour: hue, Width: width}, ui.Painted{Text: shortOID(b.Commit), Colour: ui.Yellow}, note)
		}
	})
}

func createBranch(ctx context.Context, env *Env, led *ledger.Ledger, args []string) error {
	oid, err := led.CreateBranch(ctx, args[0], startOf(args))
	if err != nil {
		return err
	}
	return env.answerBranch(branchJSON{Name: args[0], Commit: oid}, "created context branch '%s' at %s", args[0], shortOID(oid))
}

func startOf(args []string) string {
	if len(args) > 1 {
		return args[1]
	}
	return ""
}

// branchAnswer is the JSON answer to making, deleting or switching to branches.
type branchAnswer struct {
	Format int `json:"format"`
	branchJSON
}

func (e *Env) answerBranch(b branchJSON, format string, args ...any) error {
	if e.json() {
		return e.writeJSON(branchAnswer{jsonFormat, b})
	}
	_, err := fmt.Fprintln(e.Stdout, text.Visible(fmt.Sprintf(format, args...)))
	return err
}

func deleteBranches(ctx context.Context, env *Env, led *ledger.Ledger, names []string, force bool) error {
	bs, err := led.Branches(ctx)
	if err != nil {
		return err
	}
	was := make(map[string]gitstore.OID)
	for _, b := range bs {
		was[b.Name] = b.Commit
	}
	for _, name := range names {
		if err := led.DeleteBranch(ctx, name, force); err != nil {
			return err
		}
		if err := env.answerBranch(branchJSON{Name: name, Commit: was[name]}, "deleted context branch '%s' (was %s)", name, shortOID(was[name])); err != nil {
			return err
		}
	}
	return nil
}

func newSwitchCmd(env *Env) *cobra.Command {
	var create bool
	cmd := &cobra.Command{
		Use: "switch NAME | - | -c NAME [START]", Short: "make a context branch this worktree's current one",
		Long: `Make a context branch this worktree's current one; - is the one that was current before.`,
		RunE: func(cmd *cobra.Command, args []string) error { return runSwitch(cmd.Context(), env, create, args) },
	}
	cmd.Flags().BoolVarP(&create, "create", "c", false, "make the branch first")
	return cmd
}

func runSwitch(ctx context.Context, env *Env, create bool, args []string) error {
	if err := env.formats(); err != nil {
		return err
	}
	switch {
	case len(args) == 0:
		return usagef("git ctx branch", "'switch' needs the name of a branch")
	case len(args) > 2 || len(args) == 2 && !create:
		return usagef("git ctx switch -c NAME START", "too many arguments: '%s'", args[len(args)-1])
	}
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	if args[0] == "-" && !create {
		if args[0], err = led.PreviousBranch(); err != nil {
			return err
		}
	}
	if create {
		err = led.SwitchNew(ctx, args[0], startOf(args))
	} else {
		err = led.Switch(ctx, args[0])
	}
	if err != nil {
		return err
	}
	_, tip, err := led.Tip(ctx)
	if err != nil {
		return err
	}
	what := "switched to context branch '%s'"
	if create {
		what = "switched to a new context branch '%s'"
	}
	return env.answerBranch(branchJSON{Name: args[0], Commit: tip, Current: true}, what, args[0])
}
