package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
)

const (
	remotesPrefix = "refs/ctx/remotes/"
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

// A RewoundError says that a remote's ref no longer holds the commit it was
// last seen at. Nothing was merged: the commits that are gone may have been
// taken out on purpose, and a merge would bring them back.
type RewoundError struct {
	Remote, Ref string
	Old, New    gitstore.OID
}

func (e *RewoundError) Error() string {
	return fmt.Sprintf("remote '%s': '%s' went from %s to %s, which does not hold it: somebody rewrote the history there", e.Remote, e.Ref, e.Old, e.New)
}

// A place is a folder of refs at a remote and the one that tracks it here.
// Both end in a slash.
type place struct{ there, here string }

func (p place) refspec(force bool) string {
	spec := p.there + "*:" + p.here + "*"
	if force {
		return "+" + spec
	}
	return spec
}

// A remote is the elected remote and where context stands on it.
type remote struct {
	name string
	// heads are the places of branches; the last is the one pushed to.
	heads []place
	// imports and claims have no place in a namespace of branches.
	imports, claims place
	namespaced      bool
}

// findRemote elects the remote to talk to: the one named, else ctx.remote,
// else the code branch's, else the only one, else origin.
func (l *Ledger) findRemote(ctx context.Context, name string) (*remote, error) {
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
	r := &remote{
		name:    name,
		heads:   []place{{l.HeadRefs(), l.RemoteRefs() + name + "/"}},
		imports: place{l.ImportRefs(), l.TrackingRefs() + name + "/imports/"},
		claims:  place{l.ClaimRefs(), l.TrackingRefs() + name + "/claims/"},
	}
	ns, err := l.pushNamespace(ctx)
	if err == nil && ns != "" && l.opts.Scope == "" { // a folder of the project's branches
		r.namespaced = true
		r.heads = append(r.heads, place{ns, l.TrackingRefs() + name + "/heads/"})
	}
	return r, err
}

// ElectedRemote names the remote that context is shared with where none is
// named; "" when there is none.
func (l *Ledger) ElectedRemote(ctx context.Context) (string, error) {
	r, err := l.findRemote(ctx, "")
	var none *RemoteError
	if errors.As(err, &none) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return r.name, nil
}

func (l *Ledger) electRemote(ctx context.Context, all []gitstore.Remote) (string, error) {
	if name, ok, err := l.repo.Config(ctx, "ctx.remote"); err != nil || ok {
		return name, err
	}
	code, _, err := l.repo.Head(ctx)
	if err != nil {
		return "", err
	}
	if code != "" {
		name, ok, err := l.repo.Config(ctx, "branch."+code+".remote")
		if err != nil {
			return "", err
		}
		if ok && slices.ContainsFunc(all, func(m gitstore.Remote) bool { return m.Name == name }) {
			return name, nil
		}
	}
	switch {
	case len(all) == 0:
		return "", &RemoteError{Why: "this repository has no remote", Hint: "git remote add origin URL"}
	case len(all) == 1:
		return all[0].Name, nil
	case slices.ContainsFunc(all, func(m gitstore.Remote) bool { return m.Name == "origin" }):
		return "origin", nil
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

// refuseMirror refuses to write where a fetch of git's would overwrite or
// delete what was written.
func (l *Ledger) refuseMirror(ctx context.Context) error {
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

// refsBelow maps the refs below a prefix by the rest of their names.
func (l *Ledger) refsBelow(ctx context.Context, prefix string) (map[string]gitstore.OID, error) {
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

// tracked lists every ref that tracks the remote.
func (l *Ledger) tracked(ctx context.Context, r *remote) (map[string]gitstore.OID, error) {
	m := make(map[string]gitstore.OID)
	for _, prefix := range []string{l.RemoteRefs() + r.name + "/", l.TrackingRefs() + r.name + "/"} {
		refs, err := l.repo.Refs(ctx, prefix)
		if err != nil {
			return nil, err
		}
		for _, ref := range refs {
			m[ref.Name] = ref.OID
		}
	}
	return m, nil
}

// fetch brings the tracking refs up to date. Where one would have to go back it
// stays, and is returned, unless rewrites are accepted.
func (l *Ledger) fetch(ctx context.Context, r *remote, o SyncOptions) ([]rewind, error) {
	lines := slices.Clone(r.heads)
	if !r.namespaced {
		lines = append(lines, r.imports)
	}
	var specs []string
	for _, p := range lines {
		specs = append(specs, p.refspec(o.AcceptRewrite))
	}
	if !r.namespaced {
		specs = append(specs, r.claims.refspec(true))
	}
	err := l.repo.Fetch(ctx, gitstore.FetchOptions{Remote: r.name, Refspecs: specs, Prune: true, Progress: o.Progress})
	var ge *gitstore.GitError
	if errors.As(err, &ge) && ge.ExitCode == 1 {
		if rewound := l.rewound(ctx, r, lines); len(rewound) > 0 {
			return rewound, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("fetch from '%s': %w", r.name, err)
	}
	return nil, nil
}

// A rewind is a remote's ref that went elsewhere than forward.
type rewind struct {
	there, here string // the remote's ref, and the one that tracks it
	was, is     gitstore.OID
}

func (w rewind) err(remote string) *RewoundError {
	return &RewoundError{Remote: remote, Ref: w.there, Old: w.was, New: w.is}
}

// rewound finds the refs that made git refuse to move a tracking ref; none when
// it was something else.
func (l *Ledger) rewound(ctx context.Context, r *remote, lines []place) []rewind {
	var found []rewind
	for _, p := range lines {
		there, err := l.repo.RemoteRefs(ctx, r.name, p.there+"*")
		if err != nil {
			return nil // the fetch's own error tells more
		}
		for _, ref := range there {
			here := p.here + strings.TrimPrefix(ref.Name, p.there)
			was, err := l.repo.Ref(ctx, here)
			if err != nil || was == ref.OID {
				continue
			}
			if held, err := l.repo.IsAncestor(ctx, was, ref.OID); err == nil && !held {
				found = append(found, rewind{ref.Name, here, was, ref.OID})
			}
		}
	}
	return found
}
