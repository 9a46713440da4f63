package ledger

import (
	"errors"
	"fmt"

	"github.com/git-ctx/git-ctx/internal/provenance"
	"github.com/git-ctx/git-ctx/records"
)

// errSignerClosed asks for the signing key to be opened first, which may take as
// long as somebody needs to type a passphrase, and must hold up no other writer.
var errSignerClosed = errors.New("the signing key is not open")

// activateNew puts a new goal or trigger into force as it is added. A person who
// has no key to sign that with only asks for it, as an agent does.
func (tx *Tx) activateNew(r *records.Record) error {
	if tx.signs() {
		_, err := tx.l.signatures.SigningKey(tx.ctx)
		var none *provenance.SigningError
		if errors.As(err, &none) {
			r.Verdict.Asks, r.Verdict.Of = records.Active, r.Digest()
			tx.Note("%s asks to be active and waits: %v", r.ID, err)
			return nil
		}
		if err != nil {
			return err
		}
	}
	return tx.setVerdict(r, records.Active, "", nil)
}

// signs reports whether this actor's acceptances are signed.
func (tx *Tx) signs() bool {
	return tx.Eval.Review == records.ReviewSigned && tx.l.opts.Author.Actor == records.Human
}

// sign signs the verdicts that this transaction's actor gives and readers are
// to take on that person's word.
func (tx *Tx) sign(res *Result) error {
	if !tx.signs() {
		return nil
	}
	for _, id := range tx.Changed() {
		r, _ := tx.Overlay.Record(id)
		if r.Verdict == nil || r.Verdict.N != tx.given[id] || !records.Signs(r) {
			continue
		}
		if !tx.l.signatures.KeyOpen() {
			_, err := tx.l.signatures.SigningKey(tx.ctx)
			var none *provenance.SigningError
			if errors.As(err, &none) && r.Kind.Schema().Reviewed != r.State() {
				if r.State() == records.Supported {
					tx.Note("%s is not signed, and so stands on the evidence that it cites: %v", r.ID, none.Err)
				} else {
					tx.Note("%s is not signed, and weighs as an agent's word: %v", r.ID, none.Err)
				}
				continue
			}
			return errSignerClosed
		}
		signed := r.Clone()
		if err := tx.signVerdict(signed); err != nil {
			return fmt.Errorf("%s '%s': %w", r.Kind, r.ID, err)
		}
		tx.Overlay.Put(signed)
	}
	res.Notes = tx.notes
	return nil
}

func (tx *Tx) signVerdict(r *records.Record) error {
	sig, err := tx.l.signatures.Sign(records.SignedMessage(r, r.Verdict))
	if err != nil {
		return err
	}
	r.Verdict.Sig = sig
	switch fault, err := tx.l.signatures.FaultOf(tx.ctx, r); {
	case err != nil:
		return err
	case fault != nil:
		tx.Note("%s is signed with key %s, and here it is not asserted: %v", r.ID, tx.l.signatures.KeyName(), fault)
	}
	return nil
}
