package sync

import (
	"context"
	"errors"
	"fmt"
	"maps"
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

// fetchTracking brings the tracking refs up to date. Where one would have to go
// back it stays, and is returned, unless rewrites are accepted.
func (s *exchange) fetchTracking(ctx context.Context) ([]rewind, error) {
	r, o := s.remote, s.o
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
	err := s.l.Repo().Fetch(ctx, gitstore.FetchOptions{Remote: r.Name, Refspecs: specs, Prune: true, Progress: o.Progress})
	var ge *gitstore.GitError
	if errors.As(err, &ge) && ge.ExitCode == 1 {
		if rewound := s.rewoundRefs(ctx, lines); len(rewound)+len(s.aside) > 0 {
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

// rewoundRefs finds the refs that made git refuse to move a tracking ref; none
// when it was something else. What is not a store's commit is set aside.
func (s *exchange) rewoundRefs(ctx context.Context, lines []ledger.RefMapping) []rewind {
	var found []rewind
	for _, p := range lines {
		there, err := s.l.Repo().RemoteRefs(ctx, s.remote.Name, p.There+"*")
		if err != nil {
			return nil // the fetch's own error tells more
		}
		for _, ref := range there {
			here := p.Here + strings.TrimPrefix(ref.Name, p.There)
			was, err := s.l.Repo().Ref(ctx, here)
			if err != nil || was == ref.OID {
				continue
			}
			if s.foreign(ctx, here, ref.OID) {
				s.aside[here] = SetAside{Ref: ref.Name, OID: ref.OID}
				continue
			}
			if held, err := s.l.Repo().IsAncestor(ctx, was, ref.OID); err == nil && !held {
				found = append(found, rewind{ref.Name, here, was, ref.OID})
			}
		}
	}
	return found
}

// A SetAside is a ref of the remote's that takes no part, as it does not lead to
// a commit of a context store. What was tracked of it stays.
type SetAside struct {
	Ref string // the remote's
	OID gitstore.OID
}

// foreign reports whether what a ref leads to is known not to be a store's commit.
func (s *exchange) foreign(ctx context.Context, ref string, oid gitstore.OID) bool {
	_, err := s.l.Commitish(ctx, ref, string(oid))
	var revision *ledger.RevisionError
	return errors.As(err, &revision)
}

// setAsideForeign puts the tracking refs that came to lead elsewhere than to a
// store's commit back to what they were: whoever reads them may rely on it.
func (s *exchange) setAsideForeign(ctx context.Context, before map[string]gitstore.OID) error {
	now, err := trackedRefs(ctx, s.l, s.remote)
	if err != nil {
		return err
	}
	var updates []gitstore.RefUpdate
	for _, here := range slices.Sorted(maps.Keys(now)) {
		if now[here] == before[here] || ledger.IsClaimRef(here) || !s.foreign(ctx, here, now[here]) {
			continue
		}
		s.aside[here] = SetAside{Ref: s.remoteRef(here), OID: now[here]}
		updates = append(updates, gitstore.RefUpdate{Name: here, Old: now[here], New: before[here]})
	}
	return s.l.Repo().UpdateRefs(ctx, "ctx: set aside", updates...)
}

// remoteRef names the remote's ref that a ref of ours tracks.
func (s *exchange) remoteRef(here string) string {
	for _, p := range append(slices.Clone(s.remote.Heads), s.remote.Imports) {
		if name, ok := strings.CutPrefix(here, p.Here); ok {
			return p.There + name
		}
	}
	return here
}
