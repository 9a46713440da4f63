package ledger

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-ctx/git-ctx/internal/sshsig"
	"github.com/git-ctx/git-ctx/records"
)

// A SigningError says why a person's acceptance cannot be signed though the
// policy asks for it.
type SigningError struct {
	// Config is a configuration that would help, as "KEY VALUE"; "" when none would.
	Config string
	Err    error
}

func (e *SigningError) Error() string { return "the policy asks for a signature: " + e.Err.Error() }

func (e *SigningError) Unwrap() error { return e.Err }

// errSignerClosed asks for the signing key to be opened first, which may take as
// long as somebody needs to type a passphrase, and must hold up no other writer.
var errSignerClosed = errors.New("the signing key is not open")

// signingKey returns the key that the user signs with, as it is configured. The
// error is a *[SigningError] when none is.
func (l *Ledger) signingKey(ctx context.Context) (string, error) {
	key, _, err := l.repo.Config(ctx, keySigning)
	if err != nil {
		return "", err
	}
	format, _, err := l.repo.Config(ctx, keySigFormat)
	if err != nil {
		return "", err
	}
	switch {
	case format != "ssh":
		return "", &SigningError{keySigFormat + " ssh", fmt.Errorf("'%s' is not ssh", keySigFormat)}
	case key == "":
		return "", &SigningError{keySigning + " FILE", fmt.Errorf("no '%s' is set", keySigning)}
	}
	return key, nil
}

// activateNew puts a new goal or trigger into force as it is added. A person who
// has no key to sign that with only asks for it, as an agent does.
func (tx *Tx) activateNew(r *records.Record) error {
	if tx.signs() {
		_, err := tx.l.signingKey(tx.ctx)
		var none *SigningError
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

// OpenSigner opens the user's signing key, once.
func (l *Ledger) OpenSigner(ctx context.Context) error {
	if l.signer != nil {
		return nil
	}
	key, err := l.signingKey(ctx)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(key, "key::") && !strings.HasPrefix(key, "ssh-") {
		key = l.configPath(key)
	}
	src := sshsig.Source{Key: key, Agent: l.opts.getenv("SSH_AUTH_SOCK"), Passphrase: l.opts.Passphrase}
	if l.signer, err = src.Open(); err != nil {
		return &SigningError{"", err}
	}
	return nil
}

// sign signs the verdicts that this transaction's actor gives and readers are
// to take on that person's word.
func (tx *Tx) sign(res *Result) error {
	if !tx.signs() {
		return nil
	}
	for _, id := range tx.Changed() {
		r, _ := tx.Overlay.Record(id)
		if r.Verdict == nil || r.Verdict.N != tx.given[id] || !records.NeedsProvenance(r.Kind, r.State()) {
			continue
		}
		if tx.l.signer == nil {
			_, err := tx.l.signingKey(tx.ctx)
			var none *SigningError
			if errors.As(err, &none) && r.Kind.Schema().Reviewed != r.State() {
				tx.Note("%s is not signed, and so stands on the evidence that it cites: %v", r.ID, none.Err)
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
	sig, err := tx.l.signArmored(records.SignedMessage(r, r.Verdict))
	if err != nil {
		return err
	}
	r.Verdict.Sig = sig
	v, err := tx.l.verifier(tx.ctx)
	if err != nil {
		return err
	}
	if err := v.fault(r); err != nil {
		tx.Note("%s is signed with key %s, and here it is not asserted: %v", r.ID, sshsig.Fingerprint(tx.l.signer.PublicKey()), err)
	}
	return nil
}

// signArmored signs a message with the opened key.
func (l *Ledger) signArmored(message []byte) (string, error) {
	sig, err := sshsig.Sign(l.signer, l.opts.Random, SignatureNamespace, message)
	if err != nil {
		return "", &SigningError{"", err}
	}
	return sig, nil
}
