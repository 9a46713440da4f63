package cli

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// A viewpoint is from when a reader looks: at what was recorded until AsOf,
// and at what held at ValidAt.
type viewpoint struct {
	asOf, validAt string
}

func (p *viewpoint) bind(f *pflag.FlagSet) {
	f.StringVar(&p.asOf, "as-of", "", "what was recorded at `REV` or date")
	f.StringVar(&p.validAt, "valid-at", "", "what held at `DATE`; now by default")
}

// view loads the records once, and the judge of them.
func (e *Env) view(ctx context.Context, p viewpoint) (*ledger.Ledger, *ledger.View, records.Judge, error) {
	led, err := e.ledger(ctx)
	if err != nil {
		return nil, nil, records.Judge{}, err
	}
	var v *ledger.View
	if p.asOf == "" {
		v, err = led.View(ctx)
	} else {
		v, err = led.ViewAt(ctx, p.asOf)
	}
	if err != nil {
		return nil, nil, records.Judge{}, err
	}
	j, err := led.Judge(ctx, v)
	if err == nil && p.validAt != "" {
		if j.ValidAt, err = records.ParseInstant(p.validAt); err != nil {
			err = usagef("git ctx packet --valid-at 2026-11-30", "valid-at '%s': %v", p.validAt, err)
		}
	}
	return led, v, j, err
}
