// Package ledger is the room that the command line, the MCP server and the
// hooks share: it opens a repository's records, edits them as transactions,
// and reads their history.
//
// It owns the meaning of refs/ctx, the store's commits and their messages, the
// current branch, and the session. It refuses every write that would leave the
// records unsound. Its invariant: an edit that returned without error is a
// commit reachable from the branch; one that returned an error moved no ref.
package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/internal/provenance"
	"github.com/git-ctx/git-ctx/internal/secrets"
	"github.com/git-ctx/git-ctx/records"
)

const (
	ctxPrefix     = "refs/ctx/"
	HeadsPrefix   = "refs/ctx/heads/"
	importsPrefix = "refs/ctx/imports/"
	UsualBranch   = "main"
	CodePrefix    = "refs/heads/"
	UpdateTries   = 10 // of one edit, when writers outside our lock move the ref
)

// LockWait is how long a command waits for the locks of a store.
const LockWait = 30 * time.Second

// ErrNotInitialised says that the repository has no context branch.
var ErrNotInitialised = errors.New("this repository has no context yet")

// A BranchError is about a context branch that cannot be used as asked.
type BranchError struct {
	Branch string
	Why    string
	Hint   string // a command, or ""
}

func (e *BranchError) Error() string { return fmt.Sprintf("context branch '%s': %s", e.Branch, e.Why) }

// An Author says who edits and through which channel.
type Author struct {
	Actor   records.Actor
	Tool    string
	Model   string
	Session string // as given; stored hashed. "" means the worktree
	// Request is an idempotency key without spaces, or "". What follows a space says
	// what was asked, so that a key is not taken for another request's: an edit whose
	// Request one of the branch's newest commits answered returns that one's result.
	Request string
	// Attested names the client that says its user agreed to the edit: a claim, which
	// satisfies no review.
	Attested string
}

// Options are what a ledger takes from its surroundings.
type Options struct {
	Author Author
	Now    func() time.Time
	Random io.Reader
	// Scope binds the ledger to a scope beside the project; "" to the project alone.
	Scope string
	// NoIndex reads git even where an index is at hand.
	NoIndex bool
	// AllowSecrets are rules for secrets that writes let pass, and put on record.
	AllowSecrets []string
	// Getenv finds the ssh-agent and the home directory; nil finds neither.
	Getenv func(string) string
	// Passphrase asks a person for the passphrase of a signing key; nil where
	// nobody can be asked.
	Passphrase func(file string) ([]byte, error)
}

// A Ledger is one repository's records, seen from one worktree.
type Ledger struct {
	repo *gitstore.Repo
	opts Options

	mu      sync.Mutex
	indexes map[string]*index.DB
	views   []*View      // open ones that read an index
	upTo    gitstore.OID // of the project, which the scope is known to hold

	signatures *provenance.Signatures
	policies   *provenance.Policies
	secrets    func() *secrets.Detector // made when first wanted
}

// Open returns the ledger of an opened repository, from whose readers it hides
// the scopes that it is not bound to. It reads nothing yet.
func Open(repo *gitstore.Repo, opts Options) *Ledger {
	l := &Ledger{repo: repo, opts: opts, secrets: sync.OnceValue(secrets.New),
		signatures: provenance.New(repo, provenance.Options{Random: opts.Random, Getenv: opts.Getenv, Passphrase: opts.Passphrase})}
	l.policies = provenance.NewPolicies(repo, l.signatures)
	l.bind()
	return l
}

// Repo returns the repository below.
func (l *Ledger) Repo() *gitstore.Repo { return l.repo }

// Signatures returns what verifies the signatures of the repository.
func (l *Ledger) Signatures() *provenance.Signatures { return l.signatures }

// Policies returns what tells which policy holds, and who decided on it.
func (l *Ledger) Policies() *provenance.Policies { return l.policies }

// Wrote reports whether this ledger has moved a ref.
func (l *Ledger) Wrote() bool { return l.repo.MovedRefs() }

// Options returns what the ledger took from its surroundings.
func (l *Ledger) Options() Options { return l.opts }

// Author returns who edits.
func (l *Ledger) Author() Author { return l.opts.Author }

// Now returns the current instant in whole seconds, UTC.
func (l *Ledger) Now() time.Time { return l.opts.Now().UTC().Truncate(time.Second) }

// random returns n bytes from the ledger's source of randomness.
func (l *Ledger) random(n int) ([]byte, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(l.opts.Random, b); err != nil {
		return nil, fmt.Errorf("read random bytes: %w", err)
	}
	return b, nil
}

// SessionKey names this session in files and trailers, without telling what it is.
func (l *Ledger) SessionKey() string {
	s := l.opts.Author.Session
	if s == "" {
		s = "worktree:" + l.repo.GitDir()
	}
	if l.opts.Scope != "" {
		s = "scope:" + l.opts.Scope + "\x00" + s // what one scope remembers is none of another's business
	}
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:6])
}

// DefaultBranch returns the branch whose dead records veto all others:
// ctx.defaultBranch, else "main", else the only branch there is.
// A scope's is always "main".
func (l *Ledger) DefaultBranch(ctx context.Context) (string, error) {
	if l.opts.Scope != "" {
		return UsualBranch, nil
	}
	name, ok, err := l.repo.Config(ctx, "ctx.defaultBranch")
	if err != nil {
		return "", err
	}
	if ok {
		return name, nil
	}
	switch _, err := l.repo.Ref(ctx, l.HeadRefs()+UsualBranch); {
	case err == nil:
		return UsualBranch, nil
	case !errors.Is(err, gitstore.ErrRefNotFound):
		return "", err
	}
	refs, err := l.repo.Refs(ctx, l.HeadRefs())
	if err != nil {
		return "", err
	}
	if len(refs) == 1 {
		return strings.TrimPrefix(refs[0].Name, l.HeadRefs()), nil
	}
	return UsualBranch, nil
}

// Branch returns the current context branch of this worktree.
func (l *Ledger) Branch(ctx context.Context) (string, error) {
	if name, err := l.ChosenBranch(); err != nil || name != "" {
		return name, err
	}
	def, err := l.DefaultBranch(ctx)
	if err != nil {
		return "", err
	}
	if follow, err := l.Following(ctx); err != nil || !follow {
		return def, err
	}
	code, _, err := l.repo.Head(ctx)
	if err != nil || code == "" {
		return def, err
	}
	return code, nil
}

// BranchTip returns the commit of a context branch. With ctx.follow, a code branch
// without a context branch of its own reads the default branch; born then
// reports false.
func (l *Ledger) BranchTip(ctx context.Context, branch string) (oid gitstore.OID, born bool, err error) {
	oid, err = l.repo.Ref(ctx, l.HeadRefs()+branch)
	if !errors.Is(err, gitstore.ErrRefNotFound) {
		return oid, err == nil, err
	}
	def, err := l.DefaultBranch(ctx)
	if err != nil {
		return "", false, err
	}
	oid, err = l.repo.Ref(ctx, l.HeadRefs()+def)
	switch {
	case errors.Is(err, gitstore.ErrRefNotFound):
		return "", false, l.missingDefault(ctx, def)
	case err != nil:
		return "", false, err
	case branch == def:
		return oid, true, nil
	}
	if follow, err := l.Following(ctx); err != nil {
		return "", false, err
	} else if follow {
		return oid, false, nil
	}
	return "", false, &BranchError{Branch: branch, Why: "it does not exist", Hint: "git ctx switch " + def}
}

// Identity returns the user's identity at the ledger's clock.
func (l *Ledger) Identity(ctx context.Context) (author, committer gitstore.Signature, err error) {
	author, committer, err = l.repo.Identity(ctx)
	if err != nil {
		return author, committer, err
	}
	for _, n := range []struct{ of, name string }{
		{"author", author.Name + " <" + author.Email + ">"}, {"committer", committer.Name + " <" + committer.Email + ">"},
		{"agent", string(l.opts.Author.Actor)},
	} {
		if err := l.refuseSecretName(n.of, n.name); err != nil {
			return author, committer, err
		}
	}
	author.When, committer.When = l.Now(), l.Now()
	return author, committer, nil
}

// LockAll takes the lock of writers and that of exchanges with remotes.
func (l *Ledger) LockAll(ctx context.Context) (release func(), err error) {
	unlockTransport, err := l.repo.LockTransport(ctx, LockWait)
	if err != nil {
		return nil, err
	}
	unlock, err := l.repo.Lock(ctx, LockWait)
	if err != nil {
		unlockTransport()
		return nil, err
	}
	return func() { unlock(); unlockTransport() }, nil
}
