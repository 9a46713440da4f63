package ledger

import (
	"fmt"

	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/records"
)

// Withdraw takes back a record that its maker alone has dealt with, in its birth state. It is gone
// rather than ruled out: its text may come again, and warns nobody off.
func (tx *Tx) Withdraw(name, reason string) (*records.Record, error) {
	r, err := tx.Find(name)
	if err != nil {
		return nil, err
	}
	if err := undisputed(r); err != nil {
		return nil, err
	}
	if r.Withdrawn() {
		tx.Note("%s is withdrawn already", r.ID)
		return r, nil
	}
	if why := tx.notMineAlone(r); why != "" {
		return nil, &WithdrawError{r.ID, why}
	}
	r = r.Clone()
	if err := tx.setVerdict(r, r.Kind.Schema().Birth(), reason, nil); err != nil {
		return nil, err
	}
	r.Verdict.Withdrawn = true
	tx.put(grammar.Withdraw, r, reason)
	tx.after("drop", r)
	return r, nil
}

// A WithdrawError says why a record is not its maker's alone to take back.
type WithdrawError struct {
	ID  records.ID
	Why string
}

func (e *WithdrawError) Error() string { return fmt.Sprintf("withdraw '%s': %s", e.ID, e.Why) }

// notMineAlone says who else has dealt with a record; "" where nobody has.
func (tx *Tx) notMineAlone(r *records.Record) string {
	mine := func(by string, actor records.Actor) bool { return by == tx.by && actor == tx.l.opts.Author.Actor }
	switch birth := r.Kind.Schema().Birth(); {
	case !mine(r.Created.By, r.Created.Actor):
		return fmt.Sprintf("%s (%s) recorded it", r.Created.By, r.Created.Actor)
	case r.State() != birth:
		return fmt.Sprintf("it is %s, and not %s any more", r.State(), birth)
	case !mine(r.Verdict.By, r.Verdict.Actor) || len(r.Also)+len(r.Challenges) > 0:
		return "somebody else judged it"
	}
	for _, id := range tx.Backlinks(r.ID, records.AnyLink) {
		if o, ok := tx.Overlay.Record(id); ok && !o.Withdrawn() && !mine(o.Created.By, o.Created.Actor) {
			return fmt.Sprintf("%s, which %s (%s) recorded, builds on it", id, o.Created.By, o.Created.Actor)
		}
	}
	return ""
}
