package ledger

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/records"
)

// Apply commits a batch as one edit: all of it, or nothing. A dry run does all
// but that, so that its ids are gone again. What cannot be applied is a
// *[grammar.ItemError].
func (l *Ledger) Apply(ctx context.Context, b *grammar.Batch, dryRun bool) (*Result, error) {
	return l.edit(ctx, editOptions{verb: commitmsg.VerbApply, dry: dryRun, anchors: anchorsOf(b.Ops)}, func(tx *Tx) error {
		for i, r := range b.Records {
			if err := tx.restore(r); err != nil {
				return &grammar.ItemError{Item: fmt.Sprintf("record %d", i+1), Err: err}
			}
		}
		for i, op := range b.Ops {
			if _, _, err := tx.Do(op); err != nil {
				return grammar.OpError(i, op, err)
			}
		}
		return nil
	})
}

// restore puts a whole record. One that stands already must be the same: a
// batch never overwrites. A state that this actor may not give by the policy
// becomes a proposal.
func (tx *Tx) restore(r *records.Record) error {
	if old, ok := tx.Overlay.Record(r.ID); ok {
		same, err := equal(old, r)
		if err != nil {
			return err
		}
		proposed := r.Verdict != nil && old.Verdict != nil && tx.mustAsk(r.Kind, r.Verdict.State) &&
			old.Verdict.Asks == r.Verdict.State && old.Digest() == r.Digest()
		if !same && !proposed {
			return fmt.Errorf("record '%s': the branch holds it with other content; a batch does not overwrite", r.ID)
		}
		return nil
	}
	r, err := tx.brought(r)
	if err != nil {
		return err
	}
	tx.put(commitmsg.VerbApply, r, "")
	return nil
}

// brought returns what a whole record from elsewhere becomes here: its states
// are those that this actor may give, and its persons those that the channel knows.
func (tx *Tx) brought(r *records.Record) (*records.Record, error) {
	if err := RefuseRuledOut(tx.before, r, tx.l.opts.Author.Actor); err != nil { // what is brought with it is a history to be kept
		return nil, err
	}
	r = r.Clone()
	if r.Verdict != nil && tx.mustAsk(r.Kind, r.Verdict.State) {
		reason, cites := r.Verdict.Reason, slices.Clone(r.Verdict.Cites)
		state := r.Verdict.State
		r.Verdict = nil
		if err := tx.setVerdict(r, state, reason, cites); err != nil {
			return nil, err
		}
	}
	me := tx.l.opts.Author.Actor
	for _, v := range r.Also {
		if r.Verdict == nil || v.State != r.Verdict.State {
			return nil, fmt.Errorf("record '%s': also holds a verdict that does not agree with its own", r.ID)
		}
	}
	// The channel tells who a person is; a file only claims it.
	if r.Verdict != nil && r.Verdict.Actor == records.Human {
		r.Verdict.Actor = me
	}
	if me != records.Human {
		r.Also = slices.DeleteFunc(r.Also, func(v records.Verdict) bool { return v.Actor == records.Human })
	}
	return r, nil
}

// Export returns the records as a batch that [Ledger.Apply] takes, in id order.
func Export(v records.View) []byte { return records.FormatBatch(v.All()) }
