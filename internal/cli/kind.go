package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-ctx/git-ctx/internal/setup"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// newKindCmd is `git ctx <kind>`, with add and list below it.
func newKindCmd(env *Env, s *records.Schema) *cobra.Command {
	cmd := &cobra.Command{
		Use: string(s.Kind), Aliases: s.Aliases, Short: s.Purpose,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return unknownCommand(cmd, args)
		},
	}
	cmd.AddCommand(newAddCmd(env, s), newListCmd(env, s.Kind))
	if s.Kind == records.Evidence {
		cmd.AddCommand(newRecheckCmd(env))
	}
	return cmd
}

// addOptions are the flags of add, beside those that fill the op.
type addOptions struct {
	op       grammar.Op
	fields   fieldFlags
	bodyFile string
	editor   bool
}

func newAddCmd(env *Env, s *records.Schema) *cobra.Command {
	o := &addOptions{op: grammar.Op{Verb: grammar.Add, Kind: string(s.Kind)}}
	cmd := &cobra.Command{
		Use: "add TITLE", Short: "record one and print its id",
		RunE: func(cmd *cobra.Command, args []string) error { return runAdd(cmd.Context(), env, s, o, args) },
	}
	f := cmd.Flags()
	o.fields.bind(f, &o.op, s)
	f.StringVarP(&o.bodyFile, "file", "F", "", "read the body from `FILE`, - for standard input")
	f.BoolVarP(&o.editor, "edit", "e", false, "write it in the editor, from a template")
	return cmd
}

func runAdd(ctx context.Context, env *Env, s *records.Schema, o *addOptions, args []string) error {
	usage := fmt.Sprintf("git ctx %s add 'TITLE'", s.Kind)
	switch {
	case len(args) > 1:
		return usagef(usage, "too many arguments after '%s': quote the title", args[0])
	case len(args) == 1:
		o.op.Title = args[0]
	case !o.editor:
		return usagef(usage, "'%s add' needs a title", s.Kind)
	}
	if err := env.readBody(&o.op, o.bodyFile); err != nil {
		return err
	}
	if err := o.fields.fill(&o.op); err != nil {
		return err
	}
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	add := func(op grammar.Op) error { return env.add(ctx, led, op) }
	if o.editor {
		return env.editOp(ctx, s, o.op, add)
	}
	return add(o.op)
}

// add records what an op describes and prints its id.
func (e *Env) add(ctx context.Context, led *ledger.Ledger, op grammar.Op) error {
	var id records.ID
	var res *ledger.Result
	err := e.first(ctx, led, func() (err error) {
		res, err = led.Edit(ctx, func(tx *ledger.Tx) error {
			r, _, err := tx.Do(op)
			if err == nil {
				id = r.ID
			}
			return err
		}, op)
		return err
	})
	if err != nil {
		return err
	}
	return e.answerEdit(res, id, string(id))
}

// first runs an edit that may be the first here, which makes the store.
func (e *Env) first(ctx context.Context, led *ledger.Ledger, edit func() error) error {
	made, err := setup.First(ctx, led, edit)
	if made != nil {
		e.setUpMerges(ctx, led.Repo())
		e.note("note: this repository keeps context from now on, in branch '%s', review: %s", made.Branch, made.Policy.Review)
	}
	return err
}

// path resolves a file name against -C.
func (e *Env) path(name string) string {
	if e.dir == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(e.dir, name)
}

// trimPath drops the path from a file error, since the caller names the file.
func trimPath(err error) error {
	var pe *os.PathError
	if ok := asPathError(err, &pe); ok {
		return pe.Err
	}
	return err
}

// noArgs refuses arguments as git would.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef(cmd.CommandPath()+" -h", "'%s' takes no argument, got '%s'", cmd.CommandPath(), strings.Join(args, " "))
	}
	return nil
}
