package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

type editOptions struct {
	op       grammar.Op
	fields   fieldFlags
	bodyFile string
	editor   bool
}

func newEditCmd(env *Env) *cobra.Command {
	o := &editOptions{op: grammar.Op{Verb: grammar.Edit}}
	cmd := &cobra.Command{
		Use: "edit ID", Short: grammar.Lookup(grammar.Edit).Purpose,
		Long: "Change what a record says: with flags, or as YAML in the editor. Sets gain what the flags name.\n" +
			"A record that was judged keeps its verdict, but is not asserted before it is judged anew.",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("git ctx list", "'edit' needs the id of one record, got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runEdit(cmd.Context(), env, o, cmd.LocalNonPersistentFlags(), args[0])
		},
	}
	f := cmd.Flags()
	o.fields.bind(f, &o.op, nil)
	f.StringVarP(&o.bodyFile, "file", "F", "", "read the body from `FILE`, - for standard input")
	f.BoolVarP(&o.editor, "edit", "e", false, "change it in the editor, the default on a terminal")
	return cmd
}

func runEdit(ctx context.Context, env *Env, o *editOptions, flags *pflag.FlagSet, name string) error {
	if err := env.formats(); err != nil {
		return err
	}
	changes := 0
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed && f.Name != "edit" && f.Name != allowSecretFlag {
			changes++
		}
	})
	usage := "git ctx edit " + name + " --title TEXT"
	switch {
	case o.editor && changes > 0:
		return usagef(usage, "option '--edit' and other changes exclude each other")
	case !o.editor && changes == 0 && !(env.StdinTTY && env.StdoutTTY):
		return usagef(usage, "edit '%s': nothing to change: name a field, or -e for the editor", name)
	}
	if err := env.readBody(&o.op, o.bodyFile); err != nil {
		return err
	}
	if err := o.fields.fill(&o.op); err != nil {
		return err
	}
	o.op.ID = name
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	if changes == 0 {
		return env.editInEditor(ctx, led, name)
	}
	return env.edit(ctx, led, func(tx *ledger.Tx) (*records.Record, error) {
		r, _, err := tx.Do(o.op)
		return r, err
	}, o.op)
}

func (e *Env) edit(ctx context.Context, led *ledger.Ledger, fn func(*ledger.Tx) (*records.Record, error), ops ...grammar.Op) error {
	var r *records.Record
	res, err := led.Edit(ctx, func(tx *ledger.Tx) (err error) {
		r, err = fn(tx)
		return err
	}, ops...)
	if err != nil {
		return err
	}
	return e.answerEdit(res, r.ID, stateLine(r))
}

// editInEditor opens a record's canonical text in the editor.
func (e *Env) editInEditor(ctx context.Context, led *ledger.Ledger, name string) error {
	v, err := led.View(ctx)
	if err != nil {
		return err
	}
	old, err := led.Find(v, name)
	if err != nil {
		return err
	}
	if old.Disputed() {
		return &ledger.DisputedError{ID: old.ID}
	}
	text, err := records.Format(old)
	if err != nil {
		return err
	}
	header := fmt.Sprintf("# %s as YAML. A line that starts with '#' is left out.\n"+
		"# id, kind, created and verdict stay as they are: verbs change the verdict.\n", old.ID)
	return e.inEditor(ctx, append([]byte(header), text...), func(edited []byte) error {
		r, err := records.Parse("", edited)
		if err != nil {
			return err
		}
		if err := editable(old, r); err != nil {
			return err
		}
		return e.edit(ctx, led, func(tx *ledger.Tx) (*records.Record, error) {
			return tx.EditRecord("edit", string(old.ID), func(now *records.Record) error {
				if was, err := records.Format(now); err != nil || !bytes.Equal(was, text) {
					return errors.Join(err, fmt.Errorf("'%s' changed since you read it: open it again", now.ID))
				}
				*now = *r
				return nil
			})
		})
	})
}

// editable refuses changes that are not an edit's to make, and names what makes them.
func editable(old, r *records.Record) error {
	const fixed = "id, kind, created and origin never change"
	switch {
	case r.ID != old.ID || r.Kind != old.Kind || r.Created != old.Created || !reflect.DeepEqual(r.Origin, old.Origin):
		return fmt.Errorf("edit '%s': %s", old.ID, fixed)
	case !reflect.DeepEqual(r.Tombstone, old.Tombstone) || len(r.Conflicts) > 0:
		return fmt.Errorf("edit '%s': tombstone and conflicts are not for the editor", old.ID)
	case reflect.DeepEqual(r.Verdict, old.Verdict) && reflect.DeepEqual(r.Also, old.Also):
		return nil
	}
	verb := records.VerbFor(r.Kind, r.State())
	if verb == "" || r.State() == old.State() {
		verb = records.VerbFor(r.Kind, old.State())
	}
	if r.State() == r.Kind.Schema().Birth() && r.State() != old.State() {
		verb = records.VerbReopen
	}
	if r.State() == records.Superseded {
		verb = records.VerbSupersede
	}
	err := fmt.Errorf("edit '%s': the verdict is given by a verb, not by an edit", old.ID)
	if verb == "" {
		return err
	}
	return &hintedError{err, fmt.Sprintf("git ctx %s %s --reason WHY", verb, old.ID)}
}
