package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/records"
)

// How long a claim lasts: when nothing is said, and at most.
const (
	ClaimUsual   = 2 * time.Hour
	ClaimLongest = 7 * 24 * time.Hour
)

// A HeldError says that another session has a live claim on the task.
type HeldError struct{ *Claim }

func (e *HeldError) Error() string {
	return fmt.Sprintf("%s is claimed by %s (%s, session %s) since %s, until %s", e.Task, e.Actor, e.Holder, e.Session,
		records.FormatInstant(e.Since), records.FormatInstant(e.Expires))
}

// ErrNoneToClaim says that no open task can be claimed now.
var ErrNoneToClaim = errors.New("no open task can be claimed now")

// ClaimOptions are the choices of a claim.
type ClaimOptions struct {
	For time.Duration // 0 is [ClaimUsual]; longer than [ClaimLongest] is refused
	// Remote, when not empty, must grant the claim too, so that one wins across clones.
	Remote string
}

// A Claimed tells what a claim did.
type Claimed struct {
	*Claim
	Renewed  bool         // it was this session's before
	Replaces gitstore.OID // the claim it took the place of, "" when there was none
	Edit     *Result      // of starting the task; its Commit is "" when the task was started already
}

// Claim takes the lease on a task for this session, starts the task and makes
// it @task. An expired lease is replaced, one's own is renewed. Whoever comes
// second gets a *[HeldError], and nothing has changed for it. When the task
// cannot be started, a lease taken for it is given back.
func (l *Ledger) Claim(ctx context.Context, name string, o ClaimOptions) (*Claimed, error) {
	return l.claim(ctx, o, func(v records.View, _ records.EvalContext) ([]records.ID, error) {
		r, err := l.Find(v, name)
		if err != nil {
			return nil, err
		}
		if r.Kind != records.Task {
			return nil, fmt.Errorf("claim '%s': it is %s, and only tasks are claimed", r.ID, r.Kind.Phrase())
		}
		return []records.ID{r.ID}, nil
	})
}

// ClaimFirst claims the first of the tasks that pick returns which nobody else
// holds. [ErrNoneToClaim] says there is none.
func (l *Ledger) ClaimFirst(ctx context.Context, pick Candidates, o ClaimOptions) (*Claimed, error) {
	c, err := l.claim(ctx, o, pick)
	var held *HeldError
	var projects *ProjectRecordError
	if errors.As(err, &held) || errors.As(err, &projects) {
		err = ErrNoneToClaim
	}
	return c, err
}

// Held returns the live claims of other sessions by task. A ref that holds no
// claim holds nothing.
func (l *Ledger) Held(ctx context.Context) (map[records.ID]*Claim, error) {
	cs, _, err := l.Claims(ctx)
	if err != nil {
		return nil, err
	}
	held := make(map[records.ID]*Claim)
	for _, c := range cs {
		if c.Live(l.Now()) && !c.Mine {
			held[c.Task] = c
		}
	}
	return held, nil
}

// Candidates lists the tasks that would do, the best first.
type Candidates func(v records.View, j records.EvalContext) ([]records.ID, error)

func (l *Ledger) claim(ctx context.Context, o ClaimOptions, pick Candidates) (*Claimed, error) {
	switch {
	case o.For == 0:
		o.For = ClaimUsual
	case o.For < time.Second || o.For > ClaimLongest:
		return nil, fmt.Errorf("claim for %s: a claim lasts from 1s to %s", o.For, ClaimLongest)
	}
	all := pick
	pick = func(v records.View, j records.EvalContext) ([]records.ID, error) {
		ids, err := all(v, j)
		if err != nil {
			return nil, err
		}
		return l.OwnTasks(ctx, ids)
	}
	if o.Remote != "" {
		return l.claimAt(ctx, o, pick)
	}
	var got *Claimed
	res, err := l.Edit(ctx, func(tx *Tx) error {
		ids, err := pick(tx.Overlay, tx.Eval)
		if err != nil {
			return err
		}
		// The edit runs again when it loses its race; the lease is ours by then.
		if got == nil || !slices.Contains(ids, got.Task) {
			l.giveBack(ctx, got)
			if got, err = l.takeFirst(ctx, ids, o); err != nil {
				return err
			}
		}
		_, err = tx.Move("start", string(got.Task), Judgement{})
		return err
	})
	if err != nil {
		l.giveBack(ctx, got)
		return nil, err
	}
	got.Edit = res
	return got, nil
}

// giveBack undoes a take whose task could not be started. Best effort: what
// stays behind expires.
func (l *Ledger) giveBack(ctx context.Context, c *Claimed) {
	if c != nil && !c.Renewed {
		_ = l.dropClaim(context.WithoutCancel(ctx), c.Claim, "claim given back")
	}
}

// takeFirst takes the lease on the first of some tasks that is to be had. The
// caller holds the writers' lock. When none is, the error says why of the last one.
func (l *Ledger) takeFirst(ctx context.Context, ids []records.ID, o ClaimOptions) (*Claimed, error) {
	err := ErrNoneToClaim
	for _, id := range ids {
		var c *Claimed
		var held *HeldError
		var broken *ClaimError
		if c, err = l.take(ctx, id, o); err == nil || !errors.As(err, &held) && !errors.As(err, &broken) {
			return c, err
		}
	}
	return nil, err
}

// take moves the claim ref of a task to a new claim of ours: created where
// there is none, by compare-and-swap where there is an expired one or our own.
func (l *Ledger) take(ctx context.Context, task records.ID, o ClaimOptions) (*Claimed, error) {
	clone, err := l.CloneKey(true)
	if err != nil {
		return nil, err
	}
	for range UpdateTries {
		old, err := l.claimOn(ctx, task)
		if err != nil {
			return nil, err
		}
		res := &Claimed{Claim: &Claim{Task: task, Actor: l.opts.Author.Actor, Session: l.SessionKey(), Clone: clone,
			Since: l.Now(), Expires: l.Now().Add(o.For).Truncate(time.Second), Mine: true}}
		u := gitstore.RefUpdate{Name: l.ClaimRef(task)}
		if old != nil {
			live := old.Live(l.Now())
			if live && !old.Mine {
				return nil, &HeldError{old}
			}
			if res.Renewed = live; live {
				res.Since = old.Since
			}
			u.Old, res.Replaces = old.Commit, old.Commit
		}
		if u.New, err = l.writeClaim(ctx, res.Claim); err == nil && u.New != u.Old {
			err = l.repo.UpdateRefs(ctx, "ctx: claim by "+string(res.Actor), u)
		}
		var lost *gitstore.RefChangedError
		if err == nil || !errors.As(err, &lost) {
			return res, err
		}
	}
	return nil, fmt.Errorf("claim '%s': it keeps changing hands: gave up after %d tries", task, UpdateTries)
}

// Release ends this session's claim on a task; with a remote, there too. The
// task's state stays. It returns nil when there is no live claim to end; one of
// another session's is a *[HeldError].
func (l *Ledger) Release(ctx context.Context, name, remote string) (*Claim, error) {
	v, err := l.View(ctx)
	if err != nil {
		return nil, err
	}
	task := records.ID(name)
	r, err := l.Find(v, name)
	if err == nil {
		task = r.ID
	} else if _, rerr := l.repo.Ref(ctx, l.ClaimRefs()+name); rerr != nil {
		return nil, err // neither a record here nor a claim on one of another branch
	}
	c, err := l.claimOn(ctx, task)
	switch {
	case err != nil:
		return nil, err
	case c == nil || !c.Mine && !c.Live(l.Now()):
		return nil, nil
	case !c.Mine:
		return nil, &HeldError{c}
	}
	if remote != "" {
		if _, err := l.FindRemote(ctx, remote); err != nil {
			return nil, err
		}
		if err := l.releaseAt(ctx, remote, c); err != nil {
			return nil, err
		}
	}
	if err := l.dropClaim(ctx, c, "claim released"); err != nil {
		return nil, err
	}
	if s := l.Session(); s.Task == task {
		s.Task = ""
		return c, l.saveSession(s)
	}
	return c, nil
}
