package sync

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
)

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

func refspec(p ledger.RefMapping, force bool) string {
	spec := p.There + "*:" + p.Here + "*"
	if force {
		return "+" + spec
	}
	return spec
}

// tracked lists every ref that tracks the remote.
func trackedRefs(ctx context.Context, l *ledger.Ledger, r *ledger.Remote) (map[string]gitstore.OID, error) {
	m := make(map[string]gitstore.OID)
	for _, prefix := range []string{l.RemoteRefs() + r.Name + "/", l.TrackingRefs() + r.Name + "/"} {
		refs, err := l.Repo().Refs(ctx, prefix)
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
func fetchTracking(ctx context.Context, l *ledger.Ledger, r *ledger.Remote, o Options) ([]rewind, error) {
	lines := slices.Clone(r.Heads)
	if !r.Namespaced {
		lines = append(lines, r.Imports)
	}
	var specs []string
	for _, p := range lines {
		specs = append(specs, refspec(p, o.AcceptRewrite))
	}
	if !r.Namespaced {
		specs = append(specs, refspec(r.Claims, true))
	}
	err := l.Repo().Fetch(ctx, gitstore.FetchOptions{Remote: r.Name, Refspecs: specs, Prune: true, Progress: o.Progress})
	var ge *gitstore.GitError
	if errors.As(err, &ge) && ge.ExitCode == 1 {
		if rewound := rewoundRefs(ctx, l, r, lines); len(rewound) > 0 {
			return rewound, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("fetch from '%s': %w", r.Name, err)
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
func rewoundRefs(ctx context.Context, l *ledger.Ledger, r *ledger.Remote, lines []ledger.RefMapping) []rewind {
	var found []rewind
	for _, p := range lines {
		there, err := l.Repo().RemoteRefs(ctx, r.Name, p.There+"*")
		if err != nil {
			return nil // the fetch's own error tells more
		}
		for _, ref := range there {
			here := p.Here + strings.TrimPrefix(ref.Name, p.There)
			was, err := l.Repo().Ref(ctx, here)
			if err != nil || was == ref.OID {
				continue
			}
			if held, err := l.Repo().IsAncestor(ctx, was, ref.OID); err == nil && !held {
				found = append(found, rewind{ref.Name, here, was, ref.OID})
			}
		}
	}
	return found
}
