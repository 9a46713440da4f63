// Package sync keeps the refs of a store in step with a remote's: it fetches,
// merges, pushes, and exchanges claims and receipts.
//
// It owns what goes over git's transport and the refs that track a remote. It
// refuses to merge what lost commits at the remote unless a receipt explains the
// loss. Its invariant: a local branch moves only forward, to a commit that holds
// what it had.
package sync

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
)

const (
	syncTries = 6 // of one push, when others push at the same time
)

// SyncOptions say how to talk to a remote.
type Options struct {
	// Remote names it; "" elects one.
	Remote string
	// AcceptRewrite takes what the remote has now even where it lost commits.
	AcceptRewrite bool
	// Progress takes git's progress lines; nil for none.
	Progress io.Writer
}

// A Synced tells what a fetch, pull, push or sync did.
type Result struct {
	Remote string
	// Fetched are the tracking refs that moved.
	Fetched []RefMove
	// Branches are the local branches and imports that moved, in order.
	Branches []BranchMove
	// Pushed are the refs the remote was asked to move and was not at already.
	Pushed []PushedRef
	Claims ClaimsSynced
	// SetAside are refs of the remote's that took no part.
	SetAside []SetAside
	// Attempts counts the pushes that were tried.
	Attempts int
	Notes    []string
}

// A RefMove is a ref that moved. Old or New is "" where it was made or deleted.
type RefMove struct {
	Ref      string
	Old, New gitstore.OID
	// Commits that New has and Old has not.
	Commits int
}

// A BranchMove is a local branch or import that took something over.
type BranchMove struct {
	Ref string
	// From is what was merged: a remote's branch.
	From string
	// Created says that there was no such ref before.
	Created bool
	*ledger.Merged
}

// A PushedRef is the remote's answer for one ref.
type PushedRef struct {
	RefMove
	Status gitstore.PushStatus
	Reason string
	// Said are the remote's own lines, where it refused the ref.
	Said string
}

// Clean reports whether no merge left anything to settle.
func (s *Result) Clean() bool {
	return !slices.ContainsFunc(s.Branches, func(b BranchMove) bool { return !b.Merged.Clean() })
}

// Lacking lists what the remote still lacks of ours.
func (s *Result) Lacking() []PushedRef {
	return slices.DeleteFunc(slices.Clone(s.Pushed), func(p PushedRef) bool {
		return p.Status == gitstore.PushDone || p.Status == gitstore.PushSame
	})
}

// Fetch brings what is known of a remote up to date, and nothing else.
func Fetch(ctx context.Context, l *ledger.Ledger, o Options) (*Result, error) {
	return overTransport(ctx, l, o, func(s *exchange) error { return s.fetch(ctx) })
}

// Pull fetches, merges the remote's branch into the current one, and forwards
// the other local branches that only lag behind the remote's.
func Pull(ctx context.Context, l *ledger.Ledger, o Options) (*Result, error) {
	return overTransport(ctx, l, o, func(s *exchange) error {
		if err := s.fetch(ctx); err != nil {
			return err
		}
		if err := s.claims(ctx, true, false); err != nil {
			return err
		}
		lines, err := s.refSyncs(ctx, true)
		if err != nil {
			return err
		}
		joined := s.mergeAll(ctx, lines)
		return errors.Join(s.updateRefs(ctx, lines), joined)
	})
}

// Push asks the remote to take the local branches, imports and claims; only
// where it has moved on are its own fetched and merged first.
func Push(ctx context.Context, l *ledger.Ledger, o Options) (*Result, error) {
	return overTransport(ctx, l, o, func(s *exchange) error { return s.run(ctx, false) })
}

// Sync fetches, merges every local branch with the remote's and pushes the
// result. A merge is built first and moves the local branch only when the
// remote has taken it, or will not: one that lost the race against another
// push is built anew from our own last commit, so tries leave no trail of merges.
func Sync(ctx context.Context, l *ledger.Ledger, o Options) (*Result, error) {
	return overTransport(ctx, l, o, func(s *exchange) error { return s.run(ctx, true) })
}

// An exchange with a remote that is under way.
type exchange struct {
	l       *ledger.Ledger
	remote  *ledger.Remote
	o       Options
	res     *Result
	fetched map[string]RefMove   // by tracking ref
	pushed  map[string]PushedRef // by the remote's ref
	asks    []claimAsk           // of this try
	// stale holds, by tracking ref, what the remote's ref is where that holds
	// what was purged: the tracking ref is what it becomes without it.
	stale map[string]gitstore.OID
	moved map[gitstore.OID]gitstore.OID // commits that receipts rewrote
	aside map[string]SetAside           // by tracking ref
}

func overTransport(ctx context.Context, l *ledger.Ledger, o Options, do func(*exchange) error) (*Result, error) {
	r, err := l.FindRemote(ctx, o.Remote)
	if err != nil {
		return nil, err
	}
	if err := l.RefuseMirror(ctx); err != nil {
		return nil, err
	}
	if err := l.SyncFromProject(ctx); err != nil {
		return nil, err
	}
	unlock, err := l.Repo().LockTransport(ctx, ledger.LockWait)
	if err != nil {
		return nil, err
	}
	defer unlock()
	s := &exchange{l: l, remote: r, o: o, res: &Result{Remote: r.Name},
		fetched: make(map[string]RefMove), pushed: make(map[string]PushedRef), stale: make(map[string]gitstore.OID), moved: make(map[gitstore.OID]gitstore.OID), aside: make(map[string]SetAside)}
	err = do(s)
	// What happened before an error is told with it.
	if tellErr := s.tell(ctx); err == nil {
		err = tellErr
	}
	return s.res, err
}

func (s *exchange) fetch(ctx context.Context) error {
	before, err := trackedRefs(ctx, s.l, s.remote)
	if err != nil {
		return err
	}
	clear(s.aside)
	rewound, fetchErr := s.fetchTracking(ctx)
	// Set aside first, as what is not a store holds no receipts.
	if err := s.setAsideForeign(ctx, before); fetchErr == nil {
		fetchErr = err
	}
	// What a fetch that failed brought is dropped too where it was purged here.
	if err := s.applyReceipts(ctx, rewound); fetchErr == nil {
		fetchErr = err
	}
	for name, oid := range before {
		before[name] = became(s.moved, oid)
	}
	after, err := trackedRefs(ctx, s.l, s.remote)
	if err != nil {
		return errors.Join(fetchErr, err)
	}
	names := maps.Clone(before)
	maps.Copy(names, after)
	for name := range names {
		if before[name] == after[name] || ledger.IsClaimRef(name) {
			continue
		}
		m, ok := s.fetched[name]
		if !ok {
			m = RefMove{Ref: name, Old: before[name]}
		}
		m.New = after[name]
		s.fetched[name] = m
	}
	return fetchErr
}

// run pushes until the remote has our commits, has refused them, or has
// been faster too often.
func (s *exchange) run(ctx context.Context, fetchFirst bool) error {
	for try := range syncTries {
		fetched := fetchFirst || try > 0
		if try > 0 {
			if err := ledger.Pause(ctx, try); err != nil {
				return err
			}
		}
		if fetched {
			if err := s.fetch(ctx); err != nil {
				return err
			}
		}
		if !fetched {
			if err := s.applyReceipts(ctx, nil); err != nil {
				return err
			}
		}
		lines, err := s.refSyncs(ctx, false)
		if err != nil {
			return err
		}
		joinErr := s.setAsideClashing(lines)
		if joinErr != nil && !fetched {
			continue // it may be long gone there: only a fetch tells
		}
		if fetched {
			joinErr = errors.Join(joinErr, s.mergeAll(ctx, lines))
		}
		if err := s.claims(ctx, fetched, true); err != nil {
			return err
		}
		lost, err := s.push(ctx, lines, fetched)
		last := err != nil || joinErr != nil || try == syncTries-1
		landing := slices.DeleteFunc(slices.Clone(lines), func(ln *refSync) bool { return lost && ln.lost && !last })
		if err := errors.Join(err, s.updateRefs(ctx, landing), joinErr); err != nil || !lost {
			return err
		}
	}
	return nil
}

// push asks the remote for the lines that it lacks, and for claims. lost says
// that the remote moved a ref meanwhile.
func (s *exchange) push(ctx context.Context, lines []*refSync, fetched bool) (lost bool, err error) {
	var asks []gitstore.RefPush
	var asked []*refSync
	for _, ln := range lines {
		if ln.pushable(fetched) || ln.tip != "" && !ln.failed && s.stale[ln.tracks] != "" {
			// Only a receipt, which the tip holds, explains that the remote loses commits.
			was, rewritten := s.stale[ln.tracks]
			asks, asked = append(asks, gitstore.RefPush{Ref: ln.there, New: ln.tip, Lease: rewritten, Old: was}), append(asked, ln)
		}
	}
	for _, a := range s.asks {
		asks = append(asks, a.push)
	}
	if len(asks) == 0 {
		return false, nil
	}
	if err := s.guardFirstPush(ctx, asked); err != nil {
		return false, err
	}
	s.res.Attempts++
	answers, err := s.l.Repo().Push(ctx, s.remote.Name, asks, s.o.Progress)
	if err != nil {
		return false, fmt.Errorf("push to '%s': %w", s.remote.Name, err)
	}
	for i, ln := range asked {
		a := answers[i]
		ln.sent = a.Status == gitstore.PushDone || a.Status == gitstore.PushSame
		ln.lost = a.Status == gitstore.PushLost
		if ln.sent {
			delete(s.stale, ln.tracks)
		}
		lost = lost || ln.lost
		if a.Status != gitstore.PushSame {
			s.pushed[ln.there] = PushedRef{RefMove: RefMove{Ref: ln.there, Old: ln.known, New: ln.tip}, Status: a.Status, Reason: a.Reason, Said: a.Said}
		}
	}
	lostClaim, err := s.claimsAnswered(ctx, answers[len(asked):])
	return lost || lostClaim, err
}

// guardFirstPush keeps a branch of ours from becoming the first, and so the
// default, branch of a host.
func (s *exchange) guardFirstPush(ctx context.Context, asked []*refSync) error {
	target := s.remote.Heads[len(s.remote.Heads)-1]
	if !strings.HasPrefix(target.There, "refs/heads/") || len(asked) == 0 || asked[0].known != "" {
		return nil
	}
	refs, err := s.l.Repo().RemoteRefs(ctx, s.remote.Name, "refs/heads/*")
	if err != nil {
		return fmt.Errorf("push to '%s': %w", s.remote.Name, err)
	}
	if len(refs) == 0 {
		return &ledger.RemoteError{Remote: s.remote.Name, Why: fmt.Sprintf("it has no branch yet, and would make '%s' its default", asked[0].there),
			Hint: fmt.Sprintf("push the code first: git push %s HEAD", s.remote.Name)}
	}
	return nil
}

// tell fills in what moved, with counts.
func (s *exchange) tell(ctx context.Context) error {
	var err error
	for _, here := range slices.Sorted(maps.Keys(s.aside)) {
		s.res.SetAside = append(s.res.SetAside, s.aside[here])
	}
	for _, name := range slices.Sorted(maps.Keys(s.fetched)) {
		m := s.fetched[name]
		if m.Commits, err = countNew(ctx, s.l, m.New, m.Old); err != nil {
			return err
		}
		s.res.Fetched = append(s.res.Fetched, m)
	}
	for _, ref := range slices.Sorted(maps.Keys(s.pushed)) {
		p := s.pushed[ref]
		if p.Commits, err = countNew(ctx, s.l, p.New, p.Old); err != nil {
			return err
		}
		s.res.Pushed = append(s.res.Pushed, p)
	}
	return nil
}

// countNew counts the commits of tip that old does not reach.
func countNew(ctx context.Context, l *ledger.Ledger, tip, old gitstore.OID) (int, error) {
	if tip == "" {
		return 0, nil
	}
	args := []string{"rev-list", "--count", string(tip)}
	if old != "" {
		args = append(args, "^"+string(old))
	}
	out, err := l.Repo().Git(ctx, nil, args...)
	if err != nil {
		return 0, fmt.Errorf("count commits of %s: %w", tip, err)
	}
	return strconv.Atoi(strings.TrimSpace(string(out)))
}
