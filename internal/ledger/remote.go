package ledger

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
)

const (
	RemotesPrefix = "refs/ctx/remotes/"
	// trackingPrefix holds what is tracked of a remote beside its branches:
	// below <remote>/ its imports, its claims, and the branches that stand in
	// ctx.pushNamespace there.
	trackingPrefix = "refs/ctx/tracking/"
)

// A RemoteError is about a remote that cannot be used as asked.
type RemoteError struct {
	Remote string // "" where none could be elected
	Why    string
	Hint   string // what to try, or ""
}

func (e *RemoteError) Error() string {
	if e.Remote == "" {
		return e.Why
	}
	return fmt.Sprintf("remote '%s': %s", e.Remote, e.Why)
}

// A place is a folder of refs at a remote and the one that tracks it here.
// Both end in a slash.
type RefMapping struct{ There, Here string }

// A Remote is the elected remote and where context stands on it.
type Remote struct {
	Name string
	// heads are the places of branches; the last is the one pushed to.
	Heads []RefMapping
	// imports and claims have no place in a namespace of branches.
	Imports, Claims RefMapping
	Namespaced      bool
}

// FindRemote elects the remote to talk to: the one named, else ctx.remote,
// else remote.pushDefault, else the one used before, else the only one. A branch
// of the code's may fetch from another, such as a fork's upstream.
func (l *Ledger) FindRemote(ctx context.Context, name string) (*Remote, error) {
	all, err := l.repo.Remotes(ctx)
	if err != nil {
		return nil, err
	}
	if name == "" {
		if name, err = l.electRemote(ctx, all); err != nil {
			return nil, err
		}
	}
	i := slices.IndexFunc(all, func(m gitstore.Remote) bool { return m.Name == name })
	switch {
	case i < 0:
		return nil, &RemoteError{Remote: name, Why: "there is no remote of that name", Hint: "git remote -v"}
	case all[i].Mirror:
		return nil, &RemoteError{Remote: name, Why: "it is a mirror, to which git pushes everything or nothing", Hint: "git remote -v"}
	case !gitstore.ValidRefName(l.RemoteRefs() + name + "/x"):
		return nil, &RemoteError{Remote: name, Why: "its name cannot stand in a ref"}
	}
	r := &Remote{
		Name:    name,
		Heads:   []RefMapping{{l.HeadRefs(), l.RemoteRefs() + name + "/"}},
		Imports: RefMapping{l.ImportRefs(), l.TrackingRefs() + name + "/imports/"},
		Claims:  RefMapping{l.ClaimRefs(), l.TrackingRefs() + name + "/claims/"},
	}
	ns, err := l.pushNamespace(ctx)
	if err == nil && ns != "" && l.opts.Scope == "" { // a folder of the project's branches
		r.Namespaced = true
		r.Heads = append(r.Heads, RefMapping{ns, l.TrackingRefs() + name + "/heads/"})
	}
	return r, err
}

// ElectedRemote names the remote that context is shared with where none is
// named; "" when there is none.
func (l *Ledger) ElectedRemote(ctx context.Context) (string, error) {
	r, err := l.FindRemote(ctx, "")
	var none *RemoteError
	if errors.As(err, &none) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return r.Name, nil
}

func (l *Ledger) electRemote(ctx context.Context, all []gitstore.Remote) (string, error) {
	if name, ok, err := l.repo.Config(ctx, "ctx.remote"); err != nil || ok {
		return name, err
	}
	if name, ok, err := l.repo.Config(ctx, "remote.pushDefault"); err != nil || ok {
		return name, err
	}
	if len(all) == 0 {
		return "", &RemoteError{Why: "this repository has no remote", Hint: "git remote add origin URL"}
	}
	refs, err := l.repo.Refs(ctx, l.RemoteRefs())
	if err != nil {
		return "", err
	}
	used := slices.DeleteFunc(slices.Clone(all), func(m gitstore.Remote) bool {
		return !slices.ContainsFunc(refs, func(ref gitstore.Ref) bool { return strings.HasPrefix(ref.Name, l.RemoteRefs()+m.Name+"/") })
	})
	switch {
	case len(used) == 1:
		return used[0].Name, nil
	case len(all) == 1:
		return all[0].Name, nil
	}
	return "", &RemoteError{Why: fmt.Sprintf("there are %d remotes, and none is chosen", len(all)), Hint: "git config ctx.remote " + all[0].Name}
}

// pushNamespace reads ctx.pushNamespace: "" or a ref folder, with its slash,
// that no code branch and nothing of ours can stand in by accident.
func (l *Ledger) pushNamespace(ctx context.Context) (string, error) {
	ns, _, err := l.repo.Config(ctx, "ctx.pushNamespace")
	if err != nil || ns == "" {
		return "", err
	}
	ns = strings.TrimSuffix(ns, "/")
	if !gitstore.ValidRefName(ns) || strings.Count(ns, "/") < 2 || strings.HasPrefix(ns, "refs/ctx/") {
		return "", fmt.Errorf("config ctx.pushNamespace '%s': it is to be a folder of refs of its own, as refs/heads/ctx is", ns)
	}
	return ns + "/", nil
}

// RefuseMirror refuses to write where a fetch of git's would overwrite or
// delete what was written.
func (l *Ledger) RefuseMirror(ctx context.Context) error {
	all, err := l.repo.Remotes(ctx)
	if err != nil {
		return err
	}
	for _, m := range all {
		if m.WritesRef(l.HeadRefs()) {
			return &RemoteError{
				Remote: m.Name, Why: "this repository mirrors it, and the next 'git fetch' would undo what is written here; it can be read",
				Hint: fmt.Sprintf("git config --add remote.%s.fetch '^refs/ctx/*' keeps git's fetch away from the context", m.Name),
			}
		}
	}
	return nil
}

// RefsBelow maps the refs below a prefix by the rest of their names.
func (l *Ledger) RefsBelow(ctx context.Context, prefix string) (map[string]gitstore.OID, error) {
	refs, err := l.repo.Refs(ctx, prefix)
	if err != nil {
		return nil, err
	}
	m := make(map[string]gitstore.OID, len(refs))
	for _, r := range refs {
		m[strings.TrimPrefix(r.Name, prefix)] = r.OID
	}
	return m, nil
}

// syncPause is the wait before a second try; doubled for each one after.
const syncPause = 50 * time.Millisecond

// Pause waits before a further try at a remote, a random time so that those who met part.
func Pause(ctx context.Context, try int) error {
	d := syncPause << (try - 1)
	select {
	case <-time.After(d/2 + rand.N(d)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
