package claim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/provenance"
	"github.com/git-ctx/git-ctx/records"
)

// A RemoteError says that a remote did not take a claim, for a reason that
// is no other claim.
type RemoteError struct{ Remote, Ref, Reason string }

func (e *RemoteError) Error() string {
	return fmt.Sprintf("remote '%s' did not take '%s': %s", e.Remote, e.Ref, e.Reason)
}

// claimAt takes a lease here and then at a remote, whose answer decides, and
// starts the task once both are had. The network is asked outside the writers'
// lock, so others go on meanwhile.
func claimAt(ctx context.Context, l *ledger.Ledger, o Options, pick Candidates) (*Result, error) {
	if _, err := l.FindRemote(ctx, o.Remote); err != nil {
		return nil, err
	}
	v, err := l.View(ctx)
	if err != nil {
		return nil, err
	}
	// What the start would refuse is refused before anybody is asked.
	if err := errors.Join(provenance.PolicyAllowsWrites(v.PolicyErr), l.Writable(ctx, v.Branch, true)); err != nil {
		return nil, err
	}
	judge, err := l.EvalContext(ctx, v)
	if err != nil {
		return nil, err
	}
	ids, err := pick(v, judge)
	if err != nil {
		return nil, err
	}
	for refreshed := false; ; {
		got, err := takeLeaseLocked(ctx, l, ids, o)
		var held *HeldError
		if errors.As(err, &held) && !refreshed {
			refreshed = true
			if err := refreshClaims(ctx, l, o.Remote, ids); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		err = pushClaim(ctx, l, o.Remote, got.Claim, got.Replaces)
		if err == nil {
			return startClaimed(ctx, l, got, o.Remote)
		}
		// Renewed or not: who does not hold it there does not hold it.
		if derr := dropClaim(context.WithoutCancel(ctx), l, got.Claim, "claim lost at "+commitmsg.OneLine(o.Remote)); derr != nil {
			return nil, errors.Join(err, derr)
		}
		if !errors.As(err, &held) {
			return nil, err
		}
		if ids = ids[slices.Index(ids, got.Task)+1:]; len(ids) == 0 {
			return nil, err
		}
	}
}

func takeLeaseLocked(ctx context.Context, l *ledger.Ledger, ids []records.ID, o Options) (*Result, error) {
	unlock, err := l.Repo().Lock(ctx, ledger.LockWait)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return takeFirstLease(ctx, l, ids, o)
}

// startClaimed starts the task of a claim that is held; when that fails, a claim
// taken for it is given back in both places.
func startClaimed(ctx context.Context, l *ledger.Ledger, got *Result, remote string) (*Result, error) {
	res, err := l.Edit(ctx, func(tx *ledger.Tx) error {
		_, err := tx.Move("start", string(got.Task), ledger.Judgement{})
		return err
	})
	if err != nil {
		if !got.Renewed {
			_ = releaseAt(context.WithoutCancel(ctx), l, remote, got.Claim) // else it expires there
		}
		giveBack(ctx, l, got)
		return nil, err
	}
	got.Edit = res
	return got, nil
}

// pushClaim makes a remote hold claim c. It replaces there what c replaced here,
// nothing, an expired claim or one of our own; another's live claim is a *[HeldError].
func pushClaim(ctx context.Context, l *ledger.Ledger, remote string, c *Claim, old gitstore.OID) error {
	ref := l.ClaimRef(c.Task)
	reason := ""
	for try := range ledger.UpdateTries {
		res, err := l.Repo().Push(ctx, remote, []gitstore.RefPush{{Ref: ref, New: c.Commit, Lease: true, Old: old}}, nil)
		if err != nil {
			return fmt.Errorf("claim '%s' at '%s': %w", c.Task, remote, err)
		}
		switch r := res[0]; r.Status {
		case gitstore.PushDone, gitstore.PushSame:
			return nil
		case gitstore.PushRefused:
			return &RemoteError{remote, ref, r.Reason}
		default:
			reason = r.Reason
		}
		theirs, err := fetchClaims(ctx, l, remote, ref)
		if err != nil {
			return err
		}
		old = ""
		if t := theirs[c.Task]; t != nil {
			if t.Live(l.Now()) && t.Clone != c.Clone { // within the clone, our own ref has decided
				return &HeldError{t}
			}
			old = t.Commit
		}
		if err := ledger.Pause(ctx, try+1); err != nil {
			return err
		}
	}
	return &RemoteError{remote, ref, reason}
}

// fetchClaims reads the claims that a remote holds, at one ref or below the
// prefix. Nothing here is moved. What is not a claim there is left out.
func fetchClaims(ctx context.Context, l *ledger.Ledger, remote, pattern string) (map[records.ID]*Claim, error) {
	for try := range ledger.UpdateTries {
		refs, err := l.Repo().RemoteRefs(ctx, remote, pattern)
		if err != nil {
			return nil, fmt.Errorf("list the claims at '%s': %w", remote, err)
		}
		refs = slices.DeleteFunc(refs, func(r gitstore.Ref) bool { return !strings.HasPrefix(r.Name, l.ClaimRefs()) })
		var missing []string
		for _, r := range refs {
			if _, err := l.Repo().ReadCommit(ctx, r.OID); err != nil {
				missing = append(missing, r.Name)
			}
		}
		if len(missing) > 0 {
			// A claim may end between list and fetch: look again.
			if err := l.Repo().Fetch(ctx, gitstore.FetchOptions{Remote: remote, Refspecs: missing}); err != nil {
				if perr := ledger.Pause(ctx, try+1); perr != nil {
					return nil, perr
				}
				continue
			}
		}
		found := make(map[records.ID]*Claim)
		stale := false
		for _, r := range refs {
			c, err := Read(ctx, l, r.Name, r.OID)
			var broken *RefError
			switch {
			case err == nil:
				found[c.Task] = c
			case !errors.As(err, &broken):
				return nil, err
			default:
				var gone *gitstore.MissingObjectError
				stale = stale || errors.As(err, &gone)
			}
		}
		if !stale {
			return found, nil
		}
	}
	return nil, fmt.Errorf("the claims at '%s' keep changing: gave up after %d tries", remote, ledger.UpdateTries)
}

// refreshClaims brings what is known here of other clones' claims on some tasks
// up to date: one that ended at the remote is no reason to wait.
func refreshClaims(ctx context.Context, l *ledger.Ledger, remote string, tasks []records.ID) error {
	theirs, err := fetchClaims(ctx, l, remote, l.ClaimRefs()+"*")
	if err != nil {
		return err
	}
	clone, err := l.CloneKey(false)
	if err != nil {
		return err
	}
	for _, task := range tasks {
		known, err := claimOn(ctx, l, task)
		var broken *RefError
		if errors.As(err, &broken) || err == nil && (known == nil || known.Clone == clone) {
			continue
		}
		if err != nil {
			return err
		}
		if now := theirs[task]; now == nil || now.Commit != known.Commit {
			if err := dropClaim(ctx, l, known, "claim ended at "+commitmsg.OneLine(remote)); err != nil {
				return err
			}
		}
	}
	return nil
}

// releaseAt ends a claim at a remote, if that is the claim it holds.
func releaseAt(ctx context.Context, l *ledger.Ledger, remote string, c *Claim) error {
	res, err := l.Repo().Push(ctx, remote, []gitstore.RefPush{{Ref: l.ClaimRef(c.Task), Lease: true, Old: c.Commit}}, nil)
	if err != nil {
		return fmt.Errorf("release '%s' at '%s': %w", c.Task, remote, err)
	}
	if res[0].Status == gitstore.PushRefused {
		return &RemoteError{remote, l.ClaimRef(c.Task), res[0].Reason}
	}
	return nil // done, or another's by now
}
