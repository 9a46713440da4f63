package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

type conflictsOptions struct {
	readFlags
	scriptFlags
}

func newConflictsCmd(env *Env) *cobra.Command {
	o := &conflictsOptions{}
	cmd := &cobra.Command{
		Use: "conflicts [ID...]", Short: "list disputed records with all their values; exit 1 when there are any",
		RunE: func(cmd *cobra.Command, args []string) error { return runConflicts(cmd.Context(), env, o, args) },
	}
	o.readFlags.bind(cmd.Flags())
	o.scriptFlags.bind(cmd.Flags(), "id, field, number, value, who, when")
	return cmd
}

func runConflicts(ctx context.Context, env *Env, o *conflictsOptions, names []string) error {
	if err := env.formats(); err != nil {
		return err
	}
	rd, err := env.read(ctx, o.readFlags)
	if err != nil {
		return err
	}
	disputes, err := env.disputes(ctx, rd, names)
	if err != nil {
		return err
	}
	switch {
	case env.json():
		err = env.writeJSON(jsonOfDisputes(rd, disputes))
	case o.wanted():
		err = env.disputeRows(o.scriptFlags, disputes)
	case len(disputes) == 0:
		env.note("no record is disputed")
	default:
		err = env.page(ctx, rd.View, func(p *page) {
			for i, d := range disputes {
				if i > 0 {
					p.Printf("\n")
				}
				p.dispute(d)
			}
		})
	}
	if err != nil {
		return err
	}
	if len(disputes) > 0 {
		return errNo
	}
	return nil
}

// disputes takes the named records' conflicts apart, or those of all records.
// What git left unmerged in this work tree stands for the branch's own.
func (e *Env) disputes(ctx context.Context, rd *reading, names []string) ([]*ledger.Dispute, error) {
	var files []ledger.UnmergedFile
	var err error
	if rd.AsOf == "" {
		if files, err = rd.Ledger.UnmergedFiles(ctx); err != nil {
			return nil, err
		}
	}
	var rs []*records.Record
	var unmerged []ledger.UnmergedFile
	for _, name := range names {
		f, err := findUnmerged(rd.Ledger, files, name)
		if err != nil {
			return nil, err
		}
		if f != nil {
			unmerged = append(unmerged, *f)
			continue
		}
		r, err := rd.Ledger.Find(rd.View, name)
		if err != nil {
			return nil, err
		}
		rs = append(rs, r)
	}
	if len(names) == 0 {
		unmerged = files
		for row, err := range rd.Rows(rd.Eval, index.Query{Classes: []records.Class{records.InDoubt}}) {
			if err != nil {
				return nil, err
			}
			if r, ok := rd.Record(row.ID); ok {
				rs = append(rs, r)
			}
		}
	}
	return e.takeApart(ctx, rd, rs, unmerged)
}

// takeApart looks up the sides of what is disputed among records of the view
// and unmerged files. It warns of a file that cannot be read, and goes on.
func (e *Env) takeApart(ctx context.Context, rd *reading, rs []*records.Record, unmerged []ledger.UnmergedFile) ([]*ledger.Dispute, error) {
	var out []*ledger.Dispute
	inTree := make(map[records.ID]bool)
	for _, f := range unmerged {
		if f.Err != nil {
			e.note("warning: %v; mend the file, then: git add %s", f.Err, f.Path)
			continue
		}
		inTree[f.Record.ID] = true
		if !f.Record.Disputed() {
			continue
		}
		d, err := rd.Ledger.UnmergedDispute(ctx, f)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	for _, r := range rs {
		if !r.Disputed() || inTree[r.ID] {
			continue
		}
		d, err := rd.Ledger.Dispute(ctx, rd.Commit, r)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

func (p *page) dispute(d *ledger.Dispute) {
	p.Printf("%s %s\n", p.ID(d.Record.ID), query.TitleOf(d.Record))
	if d.Path != "" {
		p.Printf("  unmerged in this worktree: %s\n", d.Path)
	}
	for _, f := range d.Fields {
		p.Printf("  %s", ui.Painted{Text: f.Field, Colour: ui.Red})
		for _, b := range f.Bases {
			p.Printf(", it was %s", shorten(valueWords(f.Field, b)))
		}
		p.Printf("\n")
		for i, s := range f.Sides {
			p.Printf("    %d  %s%s\n", i+1, sideWords(f.Field, s), attribution(s))
			if s.Verdict != nil && s.Verdict.Reason != "" {
				p.Printf("%s", indent(s.Verdict.Reason, "       "))
			}
		}
	}
	p.Printf("  hint: git ctx resolve %s --field %s --pick N --reason WHY\n", p.Short(d.Record.ID), d.Fields[0].Field)
}

// valueWords is a field's value as a person reads it.
func valueWords(field string, v *records.Value) string {
	state := v.TextOf("state")
	switch {
	case v.IsNull():
		return "(absent)"
	case field == "verdict" && state != "":
		return state
	case v.IsScalar():
		return v.Text
	}
	return records.FormatValue(v)
}

func sideWords(field string, s ledger.Side) string {
	if v := s.Verdict; v != nil {
		switch {
		case v.Asks != "":
			return fmt.Sprintf("%s, asks to be %s", v.State, v.Asks)
		case v.SupersededBy != "":
			return fmt.Sprintf("%s by %s", v.State, v.SupersededBy)
		}
	}
	return shorten(valueWords(field, s.Value))
}

// attribution says who gave a side's value, and when.
func attribution(s ledger.Side) string {
	if s.At.IsZero() {
		return ""
	}
	return fmt.Sprintf(" (%s, %s, %s)", s.By, s.Actor, records.FormatInstant(s.At))
}

func (e *Env) disputeRows(f scriptFlags, disputes []*ledger.Dispute) error {
	for _, d := range disputes {
		for _, c := range d.Fields {
			for i, s := range c.Sides {
				when := ""
				if !s.At.IsZero() {
					when = records.FormatInstant(s.At)
				}
				err := f.row(e, string(d.Record.ID), c.Field, strconv.Itoa(i+1), text.Visible(valueWords(c.Field, s.Value)), text.Visible(s.By), when)
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// conflictsJSON is the JSON answer of conflicts.
type conflictsJSON struct {
	Format   int           `json:"format"`
	Commit   gitstore.OID  `json:"commit"`
	Branch   string        `json:"branch"`
	Disputed []disputeJSON `json:"disputed"`
}

type disputeJSON struct {
	ID     records.ID         `json:"id"`
	Kind   records.Kind       `json:"kind"`
	Title  string             `json:"title"`
	Fields []fieldDisputeJSON `json:"fields"`
	// Unmerged is the file that git left unmerged in the work tree.
	Unmerged string `json:"unmerged,omitempty"`
}

type fieldDisputeJSON struct {
	Field string          `json:"field"`
	Bases []records.Field `json:"bases"`
	Sides []sideJSON      `json:"sides"`
}

type sideJSON struct {
	N      int           `json:"n"`
	Value  records.Field `json:"value"`
	By     string        `json:"by,omitempty"`
	Actor  records.Actor `json:"actor,omitempty"`
	At     string        `json:"at,omitempty"`
	Commit gitstore.OID  `json:"commit,omitempty"`
}

func jsonOfDisputes(rd *reading, disputes []*ledger.Dispute) conflictsJSON {
	out := conflictsJSON{Format: jsonFormat, Commit: rd.Commit, Branch: rd.Branch, Disputed: []disputeJSON{}}
	for _, d := range disputes {
		j := disputeJSON{ID: d.Record.ID, Kind: d.Record.Kind, Title: d.Record.Title, Unmerged: d.Path}
		for _, f := range d.Fields {
			fj := fieldDisputeJSON{Field: f.Field, Bases: []records.Field{}}
			for _, b := range f.Bases {
				fj.Bases = append(fj.Bases, records.Field{Name: f.Field, Value: b})
			}
			for i, s := range f.Sides {
				side := sideJSON{N: i + 1, Value: records.Field{Name: f.Field, Value: s.Value}, By: s.By, Actor: s.Actor, Commit: s.Commit}
				if !s.At.IsZero() {
					side.At = records.FormatInstant(s.At)
				}
				fj.Sides = append(fj.Sides, side)
			}
			j.Fields = append(j.Fields, fj)
		}
		out.Disputed = append(out.Disputed, j)
	}
	return out
}
