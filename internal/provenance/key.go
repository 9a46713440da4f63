package provenance

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/internal/sshsig"
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

// SigningKey returns the key that the user signs with, as it is configured. The
// error is a *[SigningError] when none is.
func (s *Signatures) SigningKey(ctx context.Context) (string, error) {
	key, _, err := s.repo.Config(ctx, keySigning)
	if err != nil {
		return "", err
	}
	format, _, err := s.repo.Config(ctx, keySigFormat)
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

// OpenKey opens the user's signing key, once.
func (s *Signatures) OpenKey(ctx context.Context) error {
	if s.key != nil {
		return nil
	}
	key, err := s.SigningKey(ctx)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(key, "key::") && !strings.HasPrefix(key, "ssh-") {
		key = s.configPath(key)
	}
	src := sshsig.Source{Key: key, Agent: s.getenv("SSH_AUTH_SOCK"), Passphrase: s.opts.Passphrase}
	if s.key, err = src.Open(); err != nil {
		return &SigningError{"", err}
	}
	return nil
}

// KeyOpen reports whether the signing key is open.
func (s *Signatures) KeyOpen() bool { return s.key != nil }

// KeyName is the fingerprint of the opened key.
func (s *Signatures) KeyName() string { return sshsig.Fingerprint(s.key.PublicKey()) }

// Sign signs a message with the opened key.
func (s *Signatures) Sign(message []byte) (string, error) {
	sig, err := sshsig.Sign(s.key, s.opts.Random, Namespace, message)
	if err != nil {
		return "", &SigningError{"", err}
	}
	return sig, nil
}

const (
	armorHead = "-----BEGIN SSH SIGNATURE-----\n"
	armorTail = "\n-----END SSH SIGNATURE-----\n"
)

// SignLine signs a message with the opened key, as a trailer holds a signature.
func (s *Signatures) SignLine(message []byte) (string, error) {
	armored, err := s.Sign(message)
	return unarmored(armored), err
}

// LineSigned returns nil when a signature, as a trailer holds it, is a reviewer's
// on a message at that time.
func (s *Signatures) LineSigned(ctx context.Context, message []byte, line string, at time.Time) error {
	v, err := s.verifier(ctx)
	if err != nil {
		return err
	}
	if v.err != nil {
		return v.err
	}
	sig, err := sshsig.Parse(armorHead + line + armorTail)
	if err != nil {
		return err
	}
	if err := sig.Verify(Namespace, message); err != nil {
		return err
	}
	_, err = v.trust.Check(sig, at)
	return err
}

// unarmored is an armored signature as a trailer holds it.
func unarmored(armored string) string {
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(armored, armorHead), armorTail), "\n", "")
}
