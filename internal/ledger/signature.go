package ledger

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/git-ctx/git-ctx/internal/regfile"
	"github.com/git-ctx/git-ctx/internal/sshsig"
	"github.com/git-ctx/git-ctx/records"
)

// SignatureNamespace keeps our signatures from counting for anything else, and others for ours.
const SignatureNamespace = "git-ctx"

const (
	keyAllowedSigners = "gpg.ssh.allowedSignersFile"
	keyRevocation     = "gpg.ssh.revocationFile"
	keySigning        = "user.signingKey"
	keySigFormat      = "gpg.format"
)

// A verifier checks the signatures of verdicts against the files that say whose
// count. What it found good it remembers, for as long as those files stay.
type verifier struct {
	mu    sync.Mutex
	trust *sshsig.Trust
	err   error // why no signature can count here
	file  string
	on    [sha256.Size]byte // digest of the files
	good  map[[sha256.Size]byte]bool
	fresh bool // good has what the file has not
}

// A TrustError says why no signature can be checked here.
type TrustError struct {
	// Key is the configuration key that is not set, or names a file that cannot be used.
	Key string
	Err error // nil when it is not set
}

func (e *TrustError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("no signature counts here: '%s' is not set", e.Key)
	}
	return fmt.Sprintf("no signature counts here: '%s': %v", e.Key, e.Err)
}

func (e *TrustError) Unwrap() error { return e.Err }

// verifier returns the verifier for the files as they are now.
func (l *Ledger) verifier(ctx context.Context) (*verifier, error) {
	allowed, err := l.trustFile(ctx, keyAllowedSigners)
	var unusable *TrustError
	if err != nil && !errors.As(err, &unusable) {
		return nil, err
	}
	var revoked []byte
	if err == nil {
		revoked, err = l.trustFile(ctx, keyRevocation)
		if errors.As(err, &unusable) && unusable.Err == nil {
			unusable, err = nil, nil // none is named, and none is needed
		}
		if err != nil && unusable == nil {
			return nil, err
		}
	}
	on := sha256.Sum256(fmt.Appendf(nil, "%d %s%s", len(allowed), allowed, revoked))
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sigs != nil && l.sigs.on == on && unusable == nil && l.sigs.err == nil {
		return l.sigs, nil
	}
	v := &verifier{on: on, file: filepath.Join(l.repo.CommonDir(), "ctx", "signatures"), good: make(map[[sha256.Size]byte]bool)}
	if unusable != nil {
		v.err = unusable
	} else if v.trust, err = sshsig.ParseTrust(allowed, revoked); err != nil {
		v.err = &TrustError{keyAllowedSigners, err}
	} else {
		v.load()
	}
	l.sigs = v
	return v, nil
}

// signers returns what tells whether a verdict is signed so that it counts, and a
// name for what that rests on; none where the policy asks for no signature.
func (l *Ledger) signers(ctx context.Context, review records.Review) (string, func(*records.Record, *records.Verdict) bool, error) {
	if review != records.ReviewSigned {
		return "", nil, nil
	}
	v, err := l.verifier(ctx)
	if err != nil {
		return "", nil, err
	}
	if v.err != nil {
		return "none", nil, nil
	}
	return hex.EncodeToString(v.on[:]), func(r *records.Record, m *records.Verdict) bool {
		return m.Sig != "" && v.check(r, m) == nil
	}, nil
}

// trustFile reads the file that a configuration key names.
func (l *Ledger) trustFile(ctx context.Context, key string) ([]byte, error) {
	path, ok, err := l.repo.Config(ctx, key)
	if err != nil {
		return nil, err
	}
	if !ok || path == "" {
		return nil, &TrustError{Key: key}
	}
	data, err := regfile.Read(l.configPath(path))
	if err != nil {
		return nil, &TrustError{key, err}
	}
	return data, nil
}

// configPath is a path in git's configuration: "~" is the home directory, and a
// relative one counts from the top of the work tree, where git runs.
func (l *Ledger) configPath(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(l.opts.getenv("HOME"), rest)
	}
	if filepath.IsAbs(path) {
		return path
	}
	top := l.repo.WorkTree()
	if top == "" {
		top = l.repo.GitDir()
	}
	return filepath.Join(top, path)
}

// fault says why no verdict of r is proved to be a reviewer's; nil when one is.
func (v *verifier) fault(r *records.Record) error {
	why := errors.New("it is not signed")
	for _, verdict := range r.SignedVerdicts() {
		err := v.check(r, verdict)
		if err == nil {
			return nil
		}
		why = err
	}
	return why
}

// check verifies the signature of one verdict on r as r is now.
func (v *verifier) check(r *records.Record, verdict *records.Verdict) error {
	if verdict.Actor != records.Human {
		return fmt.Errorf("it is signed for %s, not for a person", verdict.Actor)
	}
	if v.err != nil {
		return v.err
	}
	message := records.SignedMessage(r, verdict)
	key := sha256.Sum256(append(message, verdict.Sig...))
	v.mu.Lock()
	good := v.good[key]
	v.mu.Unlock()
	if good {
		return nil
	}
	sig, err := sshsig.Parse(verdict.Sig)
	if err != nil {
		return err
	}
	if _, err := v.trust.Check(sig, verdict.At); err != nil {
		return err
	}
	if err := sig.Verify(SignatureNamespace, message); err != nil {
		return fmt.Errorf("its signature is no good: %w", err)
	}
	v.mu.Lock()
	v.good[key], v.fresh = true, true
	v.mu.Unlock()
	return nil
}

// signaturesHead begins the file of verified signatures; the digest of the
// files they were verified against follows, and then the signatures' own.
const signaturesHead = "git ctx signatures 1\n"

// load reads what was found good before. The file may be deleted at any time,
// and whoever can write it can as well change the configuration that it rests on.
func (v *verifier) load() {
	data, err := os.ReadFile(v.file)
	if err != nil {
		return
	}
	rest, ok := bytes.CutPrefix(data, append([]byte(signaturesHead), v.on[:]...))
	for ; ok && len(rest) >= sha256.Size; rest = rest[sha256.Size:] {
		v.good[[sha256.Size]byte(rest)] = true
	}
}

// forget drops what was found good before, which a check of the store does not
// believe: each signature is verified anew.
func (v *verifier) forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	clear(v.good)
}

// SignatureCheck returns what verifies the signature of a verdict anew, whatever
// was found good before; nil where no signature can count.
func (l *Ledger) SignatureCheck(ctx context.Context) (func(*records.Record, *records.Verdict) error, error) {
	v, err := l.verifier(ctx)
	if err != nil || v.err != nil {
		return nil, err
	}
	v.forget()
	return v.check, nil
}

// save is best effort: where it cannot be written signatures are verified again.
func (v *verifier) save() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.fresh {
		return
	}
	data := append([]byte(signaturesHead), v.on[:]...)
	for key := range v.good {
		data = append(data, key[:]...)
	}
	if err := WriteFile(v.file, data); err == nil || errors.Is(err, fs.ErrPermission) {
		v.fresh = false
	}
}

// Signer names who signed the verdict that gives a record its state, "" when
// nobody did. The error says why that signature does not count here.
func (l *Ledger) Signer(ctx context.Context, r *records.Record) (string, error) {
	vs := r.SignedVerdicts()
	if len(vs) == 0 {
		return "", nil
	}
	v, err := l.verifier(ctx)
	if err != nil {
		return "", err
	}
	name := "an unreadable signature"
	for _, verdict := range vs {
		sig, err := sshsig.Parse(verdict.Sig)
		if err != nil {
			continue
		}
		name = "key " + sshsig.Fingerprint(sig.Key)
		if v.check(r, verdict) != nil {
			continue
		}
		if principal, err := v.trust.Check(sig, verdict.At); err == nil {
			return principal + ", " + name, nil
		}
	}
	return name, v.fault(r)
}

// SignatureFault says why the record's verdict is not proved to be a person's
// by a signature; nil when it is.
func (l *Ledger) SignatureFault(ctx context.Context, r *records.Record) error {
	v, err := l.verifier(ctx)
	if err != nil {
		return err
	}
	return v.fault(r)
}
