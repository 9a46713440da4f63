package ledger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
)

const (
	syncTries = 6                     // of one push, when others push at the same time
	syncPause = 50 * time.Millisecond // before the second try; doubled for each one after
)

// SyncOptions say how to talk to a remote.
type SyncOptions struct {
	// Remote names it; "" elects one.
	Remote string
	// AcceptRewrite takes what the remote has now even where it lost commits.
	AcceptRewrite bool
	// Progress takes git's progress lines; nil for none.
	Progress io.Writer
	// ApplyReceipts rewrites what holds what some receipt lists, as package purge does.
	ApplyReceipts func(ctx context.Context, l *Ledger, more []gitstore.OID,
		settle func(map[gitstore.OID]gitstore.OID) (updates []gitstore.RefUpdate, settled bool, err error)) (*Rewritten, error)
}

// A Synced tells what a fetch, pull, push or sync did.
type Synced struct {
	Remote string
	// Fetched are the tracking refs that moved.
	Fetched []RefMove
	// Branches are the local branches and imports that moved, in order.
	Branches []BranchMove
	// Pushed are the refs the remote was asked to move and was not at already.
	Pushed []PushedRef
	Claims ClaimsSynced
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
	*Merged
}

// A PushedRef is the remote's answer for one ref.
type PushedRef struct {
	RefMove
	Status gitstore.PushStatus
	Reason string
}

// Clean reports whether no merge left anything to settle.
func (s *Synced) Clean() bool {
	return !slices.ContainsFunc(s.Branches, func(b BranchMove) bool { return !b.Merged.Clean() })
}

// Lacking lists what the remote still lacks of ours.
func (s *Synced) Lacking() []PushedRef {
	return slices.DeleteFunc(slices.Clone(s.Pushed), func(p PushedRef) bool {
		return p.Status == gitstore.PushDone || p.Status == gitstore.PushSame
	})
}

// Fetch brings what is known of a remote up to date, and nothing else.
func (l *Ledger) Fetch(ctx context.Context, o SyncOptions) (*Synced, error) {
	return l.overTransport(ctx, o, func(s *syncing) error { return s.fetch(ctx) })
}

// Pull fetches, merges the remote's branch into the current one, and forwards
// the other local branches that only lag behind the remote's.
func (l *Ledger) Pull(ctx context.Context, o SyncOptions) (*Synced, error) {
	return l.overTransport(ctx, o, func(s *syncing) error {
		if err := s.fetch(ctx); err != nil {
			return err
		}
		if err := s.claims(ctx, true, false); err != nil {
			return err
		}
		lines, err := s.lines(ctx, true)
		if err != nil {
			return err
		}
		joined := s.join(ctx, lines)
		return errors.Join(s.land(ctx, lines), joined)
	})
}

// Push asks the remote to take the local branches, imports and claims; only
// where it has moved on are its own fetched and merged first.
func (l *Ledger) Push(ctx context.Context, o SyncOptions) (*Synced, error) {
	return l.overTransport(ctx, o, func(s *syncing) error { return s.exchange(ctx, false) })
}

// Sync fetches, merges every local branch with the remote's and pushes the
// result. A merge is built first and moves the local branch only when the
// remote has taken it, or will not: one that lost the race against another
// push is built anew from our own last commit, so tries leave no trail of merges.
func (l *Ledger) Sync(ctx context.Context, o SyncOptions) (*Synced, error) {
	return l.overTransport(ctx, o, func(s *syncing) error { return s.exchange(ctx, true) })
}

// syncing is one exchange with a remote under way.
type syncing struct {
	l       *Ledger
	remote  *remote
	o       SyncOptions
	res     *Synced
	fetched map[string]RefMove   // by tracking ref
	pushed  map[string]PushedRef // by the remote's ref
	asks    []claimAsk           // of this try
	// stale holds, by tracking ref, what the remote's ref is where that holds
	// what was purged: the tracking ref is what it becomes without it.
	stale map[string]gitstore.OID
	moved map[gitstore.OID]gitstore.OID // commits that receipts rewrote
}

func (l *Ledger) overTransport(ctx context.Context, o SyncOptions, do func(*syncing) error) (*Synced, error) {
	r, err := l.findRemote(ctx, o.Remote)
	if err != nil {
		return nil, err
	}
	if err := l.refuseMirror(ctx); err != nil {
		return nil, err
	}
	if err := l.keepUp(ctx); err != nil {
		return nil, err
	}
	unlock, err := l.repo.LockTransport(ctx, LockWait)
	if err != nil {
		return nil, err
	}
	defer unlock()
	s := &syncing{l: l, remote: r, o: o, res: &Synced{Remote: r.name},
		fetched: make(map[string]RefMove), pushed: make(map[string]PushedRef), stale: make(map[string]gitstore.OID), moved: make(map[gitstore.OID]gitstore.OID)}
	err = do(s)
	// What happened before an error is told with it.
	if tellErr := s.tell(ctx); err == nil {
		err = tellErr
	}
	return s.res, err
}

func (s *syncing) fetch(ctx context.Context) error {
	before, err := s.l.tracked(ctx, s.remote)
	if err != nil {
		return err
	}
	rewound, fetchErr := s.l.fetch(ctx, s.remote, s.o)
	if fetchErr == nil {
		fetchErr = s.applyReceipts(ctx, rewound)
		for name, oid := range before {
			before[name] = became(s.moved, oid)
		}
	}
	after, err := s.l.tracked(ctx, s.remote)
	if err != nil {
		return errors.Join(fetchErr, err)
	}
	names := maps.Clone(before)
	maps.Copy(names, after)
	for name := range names {
		if before[name] == after[name] || IsClaimRef(name) {
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

// exchange pushes until the remote has our commits, has refused them, or has
// been faster too often.
func (s *syncing) exchange(ctx context.Context, fetchFirst bool) error {
	for try := range syncTries {
		fetched := fetchFirst || try > 0
		if try > 0 {
			if err := pause(ctx, try); err != nil {
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
		lines, err := s.lines(ctx, false)
		if err != nil {
			return err
		}
		joinErr := s.partClashing(lines)
		if joinErr != nil && !fetched {
			continue // it may be long gone there: only a fetch tells
		}
		if fetched {
			joinErr = errors.Join(joinErr, s.join(ctx, lines))
		}
		if err := s.claims(ctx, fetched, true); err != nil {
			return err
		}
		lost, err := s.push(ctx, lines, fetched)
		last := err != nil || joinErr != nil || try == syncTries-1
		landing := slices.DeleteFunc(slices.Clone(lines), func(ln *line) bool { return lost && ln.lost && !last })
		if err := errors.Join(err, s.land(ctx, landing), joinErr); err != nil || !lost {
			return err
		}
	}
	return nil
}

// pause waits before a further try, a random time so that those who met part.
func pause(ctx context.Context, try int) error {
	d := syncPause << (try - 1)
	select {
	case <-time.After(d/2 + rand.N(d)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// push asks the remote for the lines that it lacks, and for claims. lost says
// that the remote moved a ref meanwhile.
func (s *syncing) push(ctx context.Context, lines []*line, fetched bool) (lost bool, err error) {
	var asks []gitstore.RefPush
	var asked []*line
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
	answers, err := s.l.repo.Push(ctx, s.remote.name, asks, s.o.Progress)
	if err != nil {
		return false, fmt.Errorf("push to '%s': %w", s.remote.name, err)
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
			s.pushed[ln.there] = PushedRef{RefMove: RefMove{Ref: ln.there, Old: ln.known, New: ln.tip}, Status: a.Status, Reason: a.Reason}
		}
	}
	lostClaim, err := s.claimsAnswered(ctx, answers[len(asked):])
	return lost || lostClaim, err
}

// guardFirstPush keeps a branch of ours from becoming the first, and so the
// default, branch of a host.
func (s *syncing) guardFirstPush(ctx context.Context, asked []*line) error {
	target := s.remote.heads[len(s.remote.heads)-1]
	if !strings.HasPrefix(target.there, "refs/heads/") || len(asked) == 0 || asked[0].known != "" {
		return nil
	}
	refs, err := s.l.repo.RemoteRefs(ctx, s.remote.name, "refs/heads/*")
	if err != nil {
		return fmt.Errorf("push to '%s': %w", s.remote.name, err)
	}
	if len(refs) == 0 {
		return &RemoteError{Remote: s.remote.name, Why: fmt.Sprintf("it has no branch yet, and would make '%s' its default", asked[0].there),
			Hint: fmt.Sprintf("push the code first: git push %s HEAD", s.remote.name)}
	}
	return nil
}

// tell fills in what moved, with counts.
func (s *syncing) tell(ctx context.Context) error {
	var err error
	for _, name := range slices.Sorted(maps.Keys(s.fetched)) {
		m := s.fetched[name]
		if m.Commits, err = s.l.countNew(ctx, m.New, m.Old); err != nil {
			return err
		}
		s.res.Fetched = append(s.res.Fetched, m)
	}
	for _, ref := range slices.Sorted(maps.Keys(s.pushed)) {
		p := s.pushed[ref]
		if p.Commits, err = s.l.countNew(ctx, p.New, p.Old); err != nil {
			return err
		}
		s.res.Pushed = append(s.res.Pushed, p)
	}
	return nil
}

// countNew counts the commits of tip that old does not reach.
func (l *Ledger) countNew(ctx context.Context, tip, old gitstore.OID) (int, error) {
	if tip == "" {
		return 0, nil
	}
	args := []string{"rev-list", "--count", string(tip)}
	if old != "" {
		args = append(args, "^"+string(old))
	}
	out, err := l.repo.Git(ctx, nil, args...)
	if err != nil {
		return 0, fmt.Errorf("count commits of %s: %w", tip, err)
	}
	return strconv.Atoi(strings.TrimSpace(string(out)))
}
