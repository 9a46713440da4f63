package query

import (
	"context"
	"fmt"

	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/packet"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/standing"
)

// Clocks say as of when to read: what was recorded when, and what held when.
type Clocks struct {
	AsOf    string // a context branch, a store commit or an instant; "" is the current branch's tip
	ValidAt string // a date as of [ledger.ParseDate]; "" is now
}

// A Reading is the one view that a question reads, with what judges it.
type Reading struct {
	*ledger.View
	Ledger *ledger.Ledger
	Eval   records.EvalContext
	AsOf   string // the revision asked for, "" for now

	others    []packet.Elsewhere // once asked for
	dead      []string           // branches that they could not be asked of
	evaluator *standing.Evaluator
}

// Read loads the view that the clocks ask for. A date that is none is an *[OptionError].
func Read(ctx context.Context, l *ledger.Ledger, c Clocks) (*Reading, error) {
	rd := &Reading{Ledger: l, AsOf: c.AsOf}
	var err error
	if c.AsOf == "" {
		rd.View, err = l.View(ctx)
	} else {
		rd.View, err = l.ViewAt(ctx, c.AsOf)
	}
	if err != nil {
		return nil, err
	}
	if rd.Eval, err = l.EvalContext(ctx, rd.View); err != nil {
		return nil, err
	}
	if c.ValidAt != "" {
		if rd.Eval.ValidAt, err = ledger.ParseDate(c.ValidAt, l.Now()); err != nil {
			return nil, &OptionError{Option: "valid-at", Err: err}
		}
	}
	return rd, nil
}

// Standing returns the standing of a record of the view.
func (rd *Reading) Standing(id records.ID) records.Standing {
	if rd.evaluator == nil {
		rd.evaluator = standing.NewEvaluator(rd.View, rd.Eval)
	}
	return rd.evaluator.Standing(id)
}

// An OptionError says which option of a question has a value that will not do.
type OptionError struct {
	Option string
	Err    error
}

func (e *OptionError) Error() string { return fmt.Sprintf("%s: %v", e.Option, e.Err) }

// Unwrap returns what is wrong with the value.
func (e *OptionError) Unwrap() error { return e.Err }
