// Package provenance tells who gave a verdict, and what proves it: the trailers of
// the commits that persons' verbs made, the decisions on the review policy, and
// signatures. It reads a repository and its configuration; it writes nothing but
// the file of signatures that were verified, which may be deleted at any time.
package provenance

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/regfile"
	"github.com/git-ctx/git-ctx/internal/sshsig"
	"github.com/git-ctx/git-ctx/records"
)

// Namespace keeps our signatures from counting for anything else, and others for ours.
const Namespace = "git-ctx"

const (
	keyAllowedSigners = "gpg.ssh.allowedSignersFile"
	keyRevocation     = "gpg.ssh.revocationFile"
	keySigning        = "user.signingKey"
	keySigFormat      = "gpg.format"
)

// Options are what signatures take from their surroundings.
type Options struct {
	Random io.Reader
	// Getenv finds the ssh-agent and the home directory; nil finds neither.
	Getenv func(string) string
	// Passphrase asks a person for the passphrase of a signing key; nil where
	// nobody can be asked.
	Passphrase func(file string) ([]byte, error)
}

// Signatures verifies a repository's signatures, and makes this user's. It is safe
// for concurrent use, but for the key: one at a time opens it and signs.
type Signatures struct {
	repo *gitstore.Repo
	opts Options
	key  ssh.Signer // nil until it is opened

	mu      sync.Mutex
	current *verifier
}

// New returns the signatures of a repository. It reads nothing yet.
func New(repo *gitstore.Repo, o Options) *Signatures { return &Signatures{repo: repo, opts: o} }

func (s *Signatures) getenv(name string) string {
	if s.opts.Getenv == nil {
		return ""
	}
	return s.opts.Getenv(name)
}

// Save keeps what was verified for the next process, as far as that can be.
func (s *Signatures) Save() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil {
		s.current.save()
	}
}

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
func (s *Signatures) verifier(ctx context.Context) (*verifier, error) {
	allowed, err := s.trustFile(ctx, keyAllowedSigners)
	var unusable *TrustError
	if err != nil && !errors.As(err, &unusable) {
		return nil, err
	}
	var revoked []byte
	if err == nil {
		revoked, err = s.trustFile(ctx, keyRevocation)
		if errors.As(err, &unusable) && unusable.Err == nil {
			unusable, err = nil, nil // none is named, and none is needed
		}
		if err != nil && unusable == nil {
			return nil, err
		}
	}
	on := sha256.Sum256(fmt.Appendf(nil, "%d %s%s", len(allowed), allowed, revoked))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil && s.current.on == on && unusable == nil && s.current.err == nil {
		return s.current, nil
	}
	v := &verifier{on: on, file: filepath.Join(s.repo.CommonDir(), "ctx", "signatures"), good: make(map[[sha256.Size]byte]bool)}
	if unusable != nil {
		v.err = unusable
	} else if v.trust, err = sshsig.ParseTrust(allowed, revoked); err != nil {
		v.err = &TrustError{keyAllowedSigners, err}
	} else {
		v.load()
	}
	s.current = v
	return v, nil
}

// Counting returns what tells whether a verdict is signed so that it counts, and a
// name for what that rests on; none where the policy asks for no signature.
func (s *Signatures) Counting(ctx context.Context, review records.Review) (string, func(*records.Record, *records.Verdict) bool, error) {
	if review != records.ReviewSigned {
		return "", nil, nil
	}
	v, err := s.verifier(ctx)
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
func (s *Signatures) trustFile(ctx context.Context, key string) ([]byte, error) {
	path, ok, err := s.repo.Config(ctx, key)
	if err != nil {
		return nil, err
	}
	if !ok || path == "" {
		return nil, &TrustError{Key: key}
	}
	data, err := regfile.Read(s.configPath(path))
	if err != nil {
		return nil, &TrustError{key, err}
	}
	return data, nil
}

// configPath is a path in git's configuration: "~" is the home directory, and a
// relative one counts from the top of the work tree, where git runs.
func (s *Signatures) configPath(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(s.getenv("HOME"), rest)
	}
	if filepath.IsAbs(path) {
		return path
	}
	top := s.repo.WorkTree()
	if top == "" {
		top = s.repo.GitDir()
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
	if err := sig.Verify(Namespace, message); err != nil {
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

// Check returns what verifies the signature of a verdict anew, whatever
// was found good before; nil where no signature can count.
func (s *Signatures) Check(ctx context.Context) (func(*records.Record, *records.Verdict) error, error) {
	v, err := s.verifier(ctx)
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
	if err := gitstore.WriteFile(v.file, data); err == nil || errors.Is(err, fs.ErrPermission) {
		v.fresh = false
	}
}

// Signer names who signed the verdict that gives a record its state, "" when
// nobody did. The error says why that signature does not count here.
func (s *Signatures) Signer(ctx context.Context, r *records.Record) (string, error) {
	vs := r.SignedVerdicts()
	if len(vs) == 0 {
		return "", nil
	}
	v, err := s.verifier(ctx)
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

// FaultOf says why the record's verdict is not proved to be a person's by a
// signature; nil when it is. The error is that of looking.
func (s *Signatures) FaultOf(ctx context.Context, r *records.Record) (fault, err error) {
	v, err := s.verifier(ctx)
	if err != nil {
		return nil, err
	}
	return v.fault(r), nil
}
