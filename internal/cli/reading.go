package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

// readFlags set the two clocks of a reading command: what was recorded when,
// and what held when.
type readFlags struct{ asOf, validAt string }

func (f *readFlags) bind(fs *pflag.FlagSet) {
	fs.StringVar(&f.asOf, "as-of", "", "as recorded at `REV|DATE`: a context branch, a store commit or an instant")
	fs.StringVar(&f.validAt, "valid-at", "", "judge validity at `DATE` instead of now")
}

// A reading is the one view that a reading command loads, with what judges it.
type reading struct{ *query.Reading }

// read loads the view that a reading command works on. What keeps part of it
// from being read is said on standard error.
func (e *Env) read(ctx context.Context, f readFlags) (*reading, error) {
	led, err := e.ledger(ctx)
	if err != nil {
		return nil, err
	}
	q, err := query.Read(ctx, led, query.Clocks{AsOf: f.asOf, ValidAt: f.validAt})
	var option *query.OptionError
	if errors.As(err, &option) {
		return nil, usagef("", "option '--%s': %w", option.Option, option.Err)
	}
	if err != nil {
		return nil, err
	}
	rd := &reading{q}
	if rd.PolicyErr != nil {
		e.note("warning: the policy is unreadable, and the strictest holds: %v", rd.PolicyErr)
	}
	if n := len(rd.Unreadable); n > 0 {
		e.note("warning: %s cannot be read and %s left out: git ctx audit", text.Plural(n, "record file"), isAre(n))
	}
	return rd, nil
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// find resolves what a user typed for a record. For one that is there but
// cannot be read, the error says so.
func (rd *reading) find(name string) (*records.Record, error) {
	r, err := rd.Ledger.Find(rd.View, name)
	var missing *ledger.NotFoundError
	if errors.As(err, &missing) && rd.AsOf != "" {
		return nil, &hintedError{fmt.Errorf("'%s': no such record stood at %s yet", name, rd.AsOf), "git ctx log " + name}
	}
	if errors.As(err, &missing) && len(name) >= records.MinPrefix {
		for _, u := range rd.Unreadable {
			if strings.Contains(u.Path, "/"+name) {
				return nil, &hintedError{fmt.Errorf("record '%s' is unreadable: %w", name, u.Err), "git ctx audit"}
			}
		}
	}
	return r, err
}

// classColour tells standings apart at a glance.
func classColour(c records.Class) ui.Colour {
	switch c {
	case records.Asserted:
		return ui.Green
	case records.OpenQuestion, records.AwaitingReview:
		return ui.Cyan
	case records.InDoubt, records.RuledOut:
		return ui.Red
	}
	return ui.Dim
}

// scriptFlags are the forms of a list that feeds scripts.
type scriptFlags struct{ porcelain, nul bool }

func (f *scriptFlags) bind(fs *pflag.FlagSet, columns string) {
	fs.BoolVar(&f.porcelain, "porcelain", false, "stable lines for scripts: "+columns+", separated by tabs")
	fs.BoolVarP(&f.nul, "null", "z", false, "like --porcelain, each line ended by NUL instead of LF")
}

func (f scriptFlags) wanted() bool { return f.porcelain || f.nul }

// row writes one line of a script's list. No field can break it up.
func (f scriptFlags) row(e *Env, fields ...string) error {
	for i, s := range fields {
		fields[i] = strings.Map(func(r rune) rune {
			if r == '\t' || r == '\n' || r == '\r' || r == 0 {
				return ' '
			}
			return r
		}, s)
	}
	end := "\n"
	if f.nul {
		end = "\x00"
	}
	_, err := fmt.Fprint(e.Stdout, strings.Join(fields, "\t"), end)
	return err
}
