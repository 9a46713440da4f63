package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/merge"
)

type resolveOptions struct {
	field  string
	pick   int
	set    []string
	edit   bool
	reason string
	// restore is the merge commit whose losses to put back, or COMMIT:ID.
	restore string
}

func newResolveCmd(env *Env) *cobra.Command {
	o := &resolveOptions{}
	cmd := &cobra.Command{
		Use: "resolve ID --reason WHY | --restore COMMIT[:ID]", Short: "settle a disputed record",
		Long: "Settle what a merge left in dispute. --pick takes a side by its number in 'git ctx conflicts',\n" +
			"--set gives a value, for the verdict a state, and --edit opens the values in the editor.\n" +
			"The verdict is given anew, by you and with your reason; it comes last, as it judges the rest.\n" +
			"Exit status 1 says that other fields are still in dispute.\n\n" +
			"What git's own merge left unmerged in a worktree is settled in its file there and added to git's\n" +
			"index; the commit is git's to make.\n\n" +
			"--restore makes good what a merge made without git ctx lost; what clashes becomes a dispute.",
		Args: func(cmd *cobra.Command, args []string) error {
			if o.restore != "" && len(args) == 0 {
				return nil
			}
			if len(args) != 1 {
				return usagef("git ctx conflicts", "'resolve' needs the id of one record, got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.restore != "" && len(args) == 0 {
				return runRestore(cmd.Context(), env, o.restore)
			}
			return runResolve(cmd.Context(), env, o, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.field, "field", "", "`FIELD` to settle; needed when several are in conflict")
	f.IntVar(&o.pick, "pick", 0, "take side `N`")
	f.StringArrayVar(&o.set, "set", nil, "`FIELD=VALUE`, repeatable")
	f.BoolVarP(&o.edit, "edit", "e", false, "settle all fields in the editor")
	f.StringVarP(&o.reason, "reason", "r", "", "`WHY`")
	f.StringVar(&o.restore, "restore", "", "put back what merge `COMMIT[:ID]` lost, as 'git ctx audit' reports it")
	return cmd
}

func (o *resolveOptions) check(id string) error {
	ways := 0
	for _, given := range []bool{o.pick != 0, len(o.set) > 0, o.edit} {
		if given {
			ways++
		}
	}
	hint := "git ctx resolve " + id + " --pick N --reason WHY"
	switch {
	case ways != 1:
		return usagef(hint, "'resolve' takes one of --pick, --set and --edit")
	case o.pick < 0:
		return usagef(hint, "option '--pick' '%d': sides count from 1", o.pick)
	case o.field != "" && o.pick == 0:
		return usagef(hint, "option '--field' goes with '--pick'")
	case strings.TrimSpace(o.reason) == "":
		return usagef(hint, "'resolve' needs a reason")
	}
	return nil
}

func runResolve(ctx context.Context, env *Env, o *resolveOptions, name string) error {
	if err := env.formats(); err != nil {
		return err
	}
	if err := o.check(name); err != nil {
		return err
	}
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	where, name, err := settleIn(ctx, led, name)
	if err != nil {
		return err
	}
	if o.edit {
		return env.editConflicts(ctx, name, func(ss []ledger.Settlement) error {
			return env.resolve(ctx, where, name, o.reason, func(*records.Record) ([]ledger.Settlement, error) { return ss, nil })
		})
	}
	return env.resolve(ctx, where, name, o.reason, o.settlements)
}

// An editFunc runs a transaction, as [ledger.Ledger.Edit] does.
type editFunc func(context.Context, func(*ledger.Tx) error) (*ledger.Result, error)

// settleIn finds where the named record is to be settled: in the work tree where
// git left it unmerged there, else on the branch. A name that fits one in the
// work tree is made its id.
func settleIn(ctx context.Context, led *ledger.Ledger, name string) (editFunc, string, error) {
	files, err := led.UnmergedFiles(ctx)
	if err != nil {
		return nil, "", err
	}
	f, err := findUnmerged(led, files, name)
	switch {
	case err != nil:
		return nil, "", err
	case f == nil:
		return func(ctx context.Context, fn func(*ledger.Tx) error) (*ledger.Result, error) { return led.Edit(ctx, fn) }, name, nil
	case !f.Record.Disputed() && f.Remade:
		return nil, "", &hintedError{fmt.Errorf("'%s': its sides merge without a dispute, but git merged here without the driver", f.Record.ID),
			"git ctx hooks install, then: git checkout --merge -- " + f.Path}
	case !f.Record.Disputed():
		return nil, "", &hintedError{fmt.Errorf("'%s' is not disputed in the work tree: there is nothing to resolve", f.Record.ID), "git add " + f.Path}
	}
	return func(ctx context.Context, fn func(*ledger.Tx) error) (*ledger.Result, error) {
		return led.SettleUnmerged(ctx, *f, fn)
	}, string(f.Record.ID), nil
}

// findUnmerged finds the named record among unmerged files; nil when it is none of them.
func findUnmerged(led *ledger.Ledger, files []ledger.UnmergedFile, name string) (*ledger.UnmergedFile, error) {
	var rs []*records.Record
	for _, f := range files {
		if f.Err != nil && len(name) >= records.MinPrefix && strings.Contains(f.Path, "/"+name) {
			return nil, &hintedError{f.Err, "mend the file, then: git add " + f.Path}
		}
		if f.Err == nil {
			rs = append(rs, f.Record)
		}
	}
	if len(rs) == 0 || strings.HasPrefix(name, "@") {
		return nil, nil
	}
	r, err := led.Find(records.NewSet(rs, nil), name)
	var missing *ledger.NotFoundError
	if errors.As(err, &missing) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(files, func(f ledger.UnmergedFile) bool { return f.Record != nil && f.Record.ID == r.ID })
	return &files[i], nil
}

// resolve settles a record's conflicts as how says, once it has seen the record.
func (e *Env) resolve(ctx context.Context, edit editFunc, name, reason string, how func(*records.Record) ([]ledger.Settlement, error)) error {
	var r *records.Record
	res, err := edit(ctx, func(tx *ledger.Tx) error {
		old, err := tx.Find(name)
		if err != nil {
			return err
		}
		ss, err := how(old)
		if err != nil {
			return err
		}
		r, err = tx.Resolve(name, ss, reason)
		return err
	})
	if err != nil {
		return resolveError(err)
	}
	if r.Disputed() {
		e.note("%s is still disputed on %s", r.ID, strings.Join(query.ConflictFields(r), ", "))
		if !e.json() {
			e.note("hint: %s", settleNext(r))
		}
		if err := e.answerEdit(res, r.ID, string(r.ID)+" disputed"); err != nil {
			return err
		}
		return errNo
	}
	return e.answerEdit(res, r.ID, stateLine(r))
}

func resolveError(err error) error {
	var side *merge.SideError
	if errors.As(err, &side) || errors.Is(err, merge.ErrNoConflict) {
		return &hintedError{err, "git ctx conflicts"}
	}
	return err
}

func conflictFields(r *records.Record) []string {
	var fs []string
	for _, c := range r.Conflicts {
		fs = append(fs, c.Field)
	}
	return fs
}

// settlements reads --pick or --set against the record's conflicts.
func (o *resolveOptions) settlements(r *records.Record) ([]ledger.Settlement, error) {
	fields := conflictFields(r)
	if o.pick > 0 {
		field := o.field
		if field == "" && len(fields) > 1 {
			return nil, usagef(choices(r), "'%s' is disputed on %s: name one with '--field'", r.ID, strings.Join(query.ConflictFields(r), ", "))
		}
		if field == "" && len(fields) == 1 {
			field = fields[0]
		}
		return []ledger.Settlement{{Field: field, Pick: o.pick}}, nil
	}
	var ss []ledger.Settlement
	for _, word := range o.set {
		field, value, ok := strings.Cut(word, "=")
		if !ok {
			return nil, usagef("git ctx resolve "+string(r.ID)+" --set FIELD=VALUE --reason WHY", "option '--set' '%s': give FIELD=VALUE", word)
		}
		s, err := settlement(field, value)
		if err != nil {
			return nil, err
		}
		ss = append(ss, s)
	}
	return ss, nil
}

// settlement reads a value that a user gives a field; "" leaves the field out.
func settlement(field, value string) (ledger.Settlement, error) {
	s := ledger.Settlement{Field: field}
	switch {
	case field == "verdict":
		s.State = records.State(value)
	case value == "":
	case records.IsText(field):
		s.Value = records.NewText(value)
	default:
		v, err := records.ParseValue([]byte(value))
		if err != nil || v == nil {
			return s, usagef("git ctx conflicts", "option '--set' '%s=%s': the value is not YAML", field, value)
		}
		s.Value = v
	}
	return s, nil
}

// editConflicts lets the user settle a record's conflicts in the editor, and
// hands what they chose to settle.
func (e *Env) editConflicts(ctx context.Context, name string, settle func([]ledger.Settlement) error) error {
	rd, err := e.read(ctx, readFlags{})
	if err != nil {
		return err
	}
	ds, err := e.disputes(ctx, rd, []string{name})
	if err != nil {
		return err
	}
	if len(ds) == 0 {
		return fmt.Errorf("'%s' is not disputed: there is nothing to resolve", name)
	}
	return e.inEditor(ctx, conflictText(ds[0]), func(text []byte) error {
		ss, err := parseSettlements(text, conflictFields(ds[0].Record))
		if err != nil {
			return err
		}
		return settle(ss)
	})
}

// conflictText is what the editor opens: each field with its first side's
// value, all sides above it as comments.
func conflictText(d *ledger.Dispute) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: leave one value for each field. Take a field away to settle it later.\n", d.Record.ID)
	b.WriteString("# A line that starts with '#' is left out. The verdict is given by its state.\n")
	for _, f := range d.Fields {
		b.WriteString("#\n")
		for i, s := range f.Sides {
			side := fmt.Sprintf("side %d of %s%s:\n%s", i+1, f.Field, attribution(s), valueWords(f.Field, s.Value))
			b.WriteString(indent(text.Visible(side), "# "))
		}
		value := f.Sides[0].Value
		if f.Field == "verdict" {
			value = records.NewText(valueWords(f.Field, value))
		}
		m := &records.Value{Type: records.MapValue, Items: []*records.Value{records.NewText(f.Field), value}}
		b.Write(yamlText(m))
	}
	return []byte(b.String())
}

// yamlText encodes a value as records are: it reads back the same.
func yamlText(n *records.Value) []byte { return []byte(records.FormatValue(n) + "\n") }

func parseSettlements(text []byte, fields []string) ([]ledger.Settlement, error) {
	top, err := records.ParseValue(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the edited values: %w", err)
	case top == nil:
		return nil, nil
	case top.Type != records.MapValue:
		return nil, errors.New("read the edited values: they are not fields with values")
	}
	var ss []ledger.Settlement
	for i := 0; i+1 < len(top.Items); i += 2 {
		field, value := top.Items[i].Text, top.Items[i+1]
		if !slices.Contains(fields, field) {
			return nil, fmt.Errorf("line %d: '%s' is not in conflict; these are: %s", top.Items[i].Line, field, strings.Join(fields, ", "))
		}
		s := ledger.Settlement{Field: field, Value: value}
		if field == "verdict" {
			s.State = records.State(value.Text)
		}
		ss = append(ss, s)
	}
	return ss, nil
}
