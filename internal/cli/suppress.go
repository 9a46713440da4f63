package cli

import (
	"context"
	"fmt"

	"github.com/git-ctx/git-ctx/internal/setup"

	"github.com/spf13/pflag"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/audit"
)

type suppressOptions struct {
	suppress, unsuppress  string
	record, reason, until string
}

func (o *suppressOptions) bind(f *pflag.FlagSet) {
	f.StringVar(&o.suppress, "suppress", "", "keep what `RULE` finds on --record from counting, for a --reason")
	f.StringVar(&o.unsuppress, "unsuppress", "", "let what `RULE` finds on --record count again")
	f.StringVar(&o.record, "record", "", "`ID` of the record, for --suppress and --unsuppress")
	f.StringVarP(&o.reason, "reason", "r", "", "`WHY` the finding is to stay, for --suppress")
	f.StringVar(&o.until, "until", "", "`DATE` at which --suppress ends")
}

func (o *suppressOptions) suppressing() bool { return o.suppress != "" || o.unsuppress != "" }

func (o *suppressOptions) check() error {
	const usage = "git ctx audit --suppress RULE --record ID --reason WHY"
	switch {
	case o.suppress != "" && o.unsuppress != "":
		return usagef(usage, "options '--suppress' and '--unsuppress' exclude each other")
	case !o.suppressing() && o.record+o.reason+o.until != "":
		return usagef(usage, "options '--record', '--reason' and '--until' go with '--suppress'")
	case o.suppressing() && o.record == "":
		return usagef(usage, "which record? a suppression names one")
	case o.suppress != "" && records.Blank(o.reason):
		return usagef(usage, "why? a suppression has a reason")
	}
	return nil
}

// runSuppress writes the suppression into the policy, or takes it out.
func runSuppress(ctx context.Context, env *Env, o *suppressOptions) error {
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	v, err := led.View(ctx)
	if err != nil {
		return err
	}
	if o.unsuppress != "" {
		id := records.ID(o.record) // of a record that may be gone
		if r, err := led.Find(v, o.record); err == nil {
			id = r.ID
		}
		oid, err := setup.Unsuppress(ctx, led, o.unsuppress, id)
		return env.answerSuppress(oid, err, "%s counts again on %s", o.unsuppress, id)
	}
	r, err := led.Find(v, o.record)
	if err != nil {
		return err
	}
	s := records.Suppression{Rule: o.suppress, Record: r.ID, Reason: o.reason}
	if o.until != "" {
		if s.Until, err = ledger.ParseDate(o.until, env.Now()); err != nil {
			return usagef("", "option '--until': %w", err)
		}
		if !s.InForce(led.Now()) {
			return usagef("git ctx audit --suppress RULE --record ID --reason WHY --until DATE", "option '--until' '%s': it has passed", o.until)
		}
	}
	oid, err := setup.Suppress(ctx, led, s, audit.Lookup(s.Rule).Grave(v.Policy))
	return env.answerSuppress(oid, err, "%s on %s suppressed", s.Rule, s.Record)
}

func (e *Env) answerSuppress(oid gitstore.OID, err error, format string, args ...any) error {
	if err != nil {
		return err
	}
	if e.json() {
		return e.writeJSON(struct {
			Format int          `json:"format"`
			Commit gitstore.OID `json:"commit"`
		}{jsonFormat, oid})
	}
	_, err = fmt.Fprintf(e.Stdout, format+"\n", args...)
	return err
}
