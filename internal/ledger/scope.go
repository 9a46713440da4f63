package ledger

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/lazyregexp"
	"github.com/git-ctx/git-ctx/records"
)

// A scope is a line of context beside the project's. Its branches start at the
// project's default branch and keep up with it, so that they hold the project's
// records and their own. A ledger is bound to one scope or to none when it is
// opened; the refs of all others do not exist for it.
const ScopesPrefix = "refs/ctx/scopes/"

// A ScopeError is about a scope that cannot be used as asked.
type ScopeError struct {
	Scope string
	Why   string
	Hint  string // a command, or ""
}

func (e *ScopeError) Error() string { return fmt.Sprintf("scope '%s': %s", e.Scope, e.Why) }

// A ProjectRecordError refuses a change to a record of the project's from a
// scope, which only adds to it.
type ProjectRecordError struct {
	ID    records.ID
	Scope string
}

func (e *ProjectRecordError) Error() string {
	return fmt.Sprintf("'%s': it is the project's, and what is bound to scope '%s' writes only there", e.ID, e.Scope)
}

// An UnscopedError refuses, to a process that is bound to a scope, what
// concerns the whole store.
type UnscopedError struct{ What, Scope string }

func (e *UnscopedError) Error() string {
	return fmt.Sprintf("%s: this process is bound to scope '%s', and that concerns the whole store", e.What, e.Scope)
}

// Scope returns the scope that the ledger is bound to; "" for the project alone.
func (l *Ledger) Scope() string { return l.opts.Scope }

// folder names a folder of refs of the scope that the ledger is bound to, or of
// the project's.
func (l *Ledger) folder(project string) string {
	if l.opts.Scope == "" {
		return project
	}
	return ScopesPrefix + l.opts.Scope + "/" + strings.TrimPrefix(project, ctxPrefix)
}

// HeadRefs is the folder of refs, with its slash, in which the branches stand of
// what the ledger is bound to; the methods below are its other folders.
func (l *Ledger) HeadRefs() string     { return l.folder(HeadsPrefix) }
func (l *Ledger) ClaimRefs() string    { return l.folder(claimsPrefix) }
func (l *Ledger) ImportRefs() string   { return l.folder(importsPrefix) }
func (l *Ledger) RemoteRefs() string   { return l.folder(RemotesPrefix) }
func (l *Ledger) TrackingRefs() string { return l.folder(trackingPrefix) }

// unscoped names the ref of the project's that a scope's ref is the like of.
func unscoped(ref string) string {
	if rest, ok := strings.CutPrefix(ref, ScopesPrefix); ok {
		_, rest, _ = strings.Cut(rest, "/")
		return ctxPrefix + rest
	}
	return ref
}

// scopeDir is where we keep, below a git directory, what belongs to the scope.
func (l *Ledger) scopeDir(gitDir string) string {
	if l.opts.Scope == "" {
		return filepath.Join(gitDir, "ctx")
	}
	return filepath.Join(gitDir, "ctx", "scopes", l.opts.Scope)
}

// bind hides from the repository's readers the refs of all scopes but one, and
// those of what was purged.
func (l *Ledger) bind() {
	hide := []string{strings.TrimSuffix(ScopesPrefix, "/"), strings.TrimSuffix(ReceivedRefs, "/")}
	if l.opts.Scope != "" {
		hide = append(hide, "!"+ScopesPrefix+l.opts.Scope)
	}
	l.repo.HideRefs(hide...)
}

// project is the ledger of the project alone, over the same repository.
func (l *Ledger) project() *Ledger {
	o := l.opts
	o.Scope = ""
	return &Ledger{repo: l.repo, opts: o, signatures: l.signatures, policies: l.policies, secrets: l.secrets}
}

// projectTip returns the tip of the project's default branch.
func (l *Ledger) projectTip(ctx context.Context) (gitstore.OID, error) {
	p := l.project()
	def, err := p.DefaultBranch(ctx)
	if err != nil {
		return "", err
	}
	tip, _, err := p.BranchTip(ctx, def)
	return tip, err
}

var scopeName = lazyregexp.New(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// CheckScope refuses a ledger that is bound to a scope that does not exist or
// cannot.
func (l *Ledger) CheckScope(ctx context.Context) error {
	if l.opts.Scope == "" {
		return nil
	}
	if err := checkScopeName(l.opts.Scope); err != nil {
		return err
	}
	_, err := l.repo.Ref(ctx, l.HeadRefs()+UsualBranch)
	if errors.Is(err, gitstore.ErrRefNotFound) {
		return &ScopeError{l.opts.Scope, "there is no such scope here", "git ctx scope create " + l.opts.Scope}
	}
	return err
}

func checkScopeName(name string) error {
	if !scopeName.MatchString(name) || !gitstore.ValidRefName(ScopesPrefix+name+"/x") {
		return &ScopeError{Scope: name, Why: "a name is lower-case letters, digits, '.', '_' and '-', 64 at most, and starts with a letter or digit"}
	}
	return nil
}

// RefuseScoped refuses what a process that is bound to a scope may not do.
func (l *Ledger) RefuseScoped(what string) error {
	if l.opts.Scope == "" {
		return nil
	}
	return &UnscopedError{what, l.opts.Scope}
}

// Scopes lists the scopes of this repository by name. A ledger that is bound to
// one is not told of others.
func (l *Ledger) Scopes(ctx context.Context) ([]string, error) {
	if err := l.RefuseScoped("list scopes"); err != nil {
		return nil, err
	}
	refs, err := l.repo.AllRefs(ctx, ScopesPrefix)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, r := range refs {
		name, _, _ := strings.Cut(strings.TrimPrefix(r.Name, ScopesPrefix), "/")
		names = append(names, name)
	}
	return slices.Compact(names), nil
}

// CreateScope makes a scope, at the tip of the project's default branch, and
// sees that git does not show scopes to those who fetch from this repository.
func (l *Ledger) CreateScope(ctx context.Context, name string) (gitstore.OID, error) {
	if err := l.RefuseScoped("create scope '" + name + "'"); err != nil {
		return "", err
	}
	if err := l.refuseSecretName("scope", name); err != nil {
		return "", err
	}
	if err := checkScopeName(name); err != nil {
		return "", err
	}
	if err := l.RefuseMirror(ctx); err != nil {
		return "", err
	}
	at, err := l.projectTip(ctx)
	if err != nil {
		return "", err
	}
	unlock, err := l.repo.Lock(ctx, LockWait)
	if err != nil {
		return "", err
	}
	defer unlock()
	if err := l.HideFromTransport(ctx, strings.TrimSuffix(ScopesPrefix, "/")); err != nil {
		return "", err
	}
	err = l.repo.UpdateRefs(ctx, "ctx: scope created", gitstore.RefUpdate{Name: ScopesPrefix + name + "/heads/" + UsualBranch, New: at})
	var taken *gitstore.RefChangedError
	if errors.As(err, &taken) {
		return "", &ScopeError{Scope: name, Why: "it exists already", Hint: "git ctx --scope " + name + " list"}
	}
	return at, err
}

// HideFromTransport keeps a folder of refs out of what git offers to a fetch,
// clone or ls-remote from this repository.
func (l *Ledger) HideFromTransport(ctx context.Context, hidden string) error {
	const key = "transfer.hideRefs"
	have, err := l.repo.ConfigAll(ctx, key)
	if err != nil || slices.Contains(have, hidden) {
		return err
	}
	return l.repo.AddConfig(ctx, key, hidden)
}

// held reports whether a ref of the store that this ledger may read reaches a commit.
func (l *Ledger) held(ctx context.Context, commit gitstore.OID) (bool, error) {
	out, err := l.repo.Git(ctx, nil, "for-each-ref", "--contains="+string(commit), "--format=%(refname)", ctxPrefix)
	if err != nil {
		return false, fmt.Errorf("find what reaches %s: %w", commit, err)
	}
	for ref := range strings.Lines(string(out)) {
		if ref = strings.TrimSuffix(ref, "\n"); !l.repo.Hides(ref) && !IsClaimRef(ref) {
			return true, nil
		}
	}
	return false, nil
}

// ShortRef names a ref of ours as [Ledger.Resolve] takes it.
func ShortRef(ref string) string {
	for _, prefix := range []string{HeadsPrefix, RemotesPrefix, "refs/ctx/"} {
		if name, ok := strings.CutPrefix(unscoped(ref), prefix); ok {
			return name
		}
	}
	return ref
}
