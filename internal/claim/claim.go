// Package claim takes tasks for one session at a time: a lease is a ref that is
// created or replaced by compare-and-swap, here and, where that is asked for, at a
// remote. Its invariant: of several sessions that claim a task, one succeeds, and
// nothing has changed for the others.
package claim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// How long a claim lasts: when nothing is said, and at most.
const (
	Usual   = 2 * time.Hour
	Longest = 7 * 24 * time.Hour
)

// A HeldError says that another session has a live claim on the task.
type HeldError struct{ *Claim }

func (e *HeldError) Error() string {
	return fmt.Sprintf("%s is claimed by %s (%s, session %s) since %s, until %s", e.Task, e.Actor, e.Holder, e.Session,
		records.FormatInstant(e.Since), records.FormatInstant(e.Expires))
}

// ErrNone says that no open task can be claimed now.
var ErrNone = errors.New("no open task can be claimed now")

// Options are the choices of a claim.
type Options struct {
	For time.Duration // 0 is [Usual]; longer than [Longest] is refused
	// Remote, when not empty, must grant the claim too, so that one wins across clones.
	Remote string
}

// A Result tells what a claim did.
type Result struct {
	*Claim
	Renewed  bool           // it was this session's before
	Replaces gitstore.OID   // the claim it took the place of, "" when there was none
	Edit     *ledger.Result // of starting the task; its Commit is "" when the task was started already
}

// Take takes the lease on a task for this session, starts the task and makes
// it @task. An expired lease is replaced, one's own is renewed. Whoever comes
// second gets a *[HeldError], and nothing has changed for it. When the task
// cannot be started, a lease taken for it is given back.
func Take(ctx context.Context, l *ledger.Ledger, name string, o Options) (*Result, error) {
	return claim(ctx, l, o, func(v records.View, _ records.EvalContext) ([]records.ID, error) {
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

// TakeFirst claims the first of the tasks that pick returns which nobody else
// holds. [ErrNone] says there is none.
func TakeFirst(ctx context.Context, l *ledger.Ledger, pick Candidates, o Options) (*Result, error) {
	c, err := claim(ctx, l, o, pick)
	var held *HeldError
	var projects *ledger.ProjectRecordError
	if errors.As(err, &held) || errors.As(err, &projects) {
		err = ErrNone
	}
	return c, err
}

// OfOthers returns the live claims of other sessions by task. A ref that holds no
// claim holds nothing.
func OfOthers(ctx context.Context, l *ledger.Ledger) (map[records.ID]*Claim, error) {
	cs, _, err := List(ctx, l)
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

func claim(ctx context.Context, l *ledger.Ledger, o Options, pick Candidates) (*Result, error) {
	switch {
	case o.For == 0:
		o.For = Usual
	case o.For < time.Second || o.For > Longest:
		return nil, fmt.Errorf("claim for %s: a claim lasts from 1s to %s", o.For, Longest)
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
		return claimAt(ctx, l, o, pick)
	}
	var got *Result
	res, err := l.Edit(ctx, func(tx *ledger.Tx) error {
		ids, err := pick(tx.Overlay, tx.Eval)
		if err != nil {
			return err
		}
		// The edit runs again when it loses its race; the lease is ours by then.
		if got == nil || !slices.Contains(ids, got.Task) {
			giveBack(ctx, l, got)
			if got, err = takeFirstLease(ctx, l, ids, o); err != nil {
				return err
			}
		}
		_, err = tx.Move("start", string(got.Task), ledger.Judgement{})
		return err
	})
	if err != nil {
		giveBack(ctx, l, got)
		return nil, err
	}
	got.Edit = res
	return got, nil
}

// giveBack undoes a take whose task could not be started. Best effort: what
// stays behind expires.
func giveBack(ctx context.Context, l *ledger.Ledger, c *Result) {
	if c != nil && !c.Renewed {
		_ = dropClaim(context.WithoutCancel(ctx), l, c.Claim, "claim given back")
	}
}

// takeFirstLease takes the lease on the first of some tasks that is to be had. The
// caller holds the writers' lock. When none is, the error says why of the last one.
func takeFirstLease(ctx context.Context, l *ledger.Ledger, ids []records.ID, o Options) (*Result, error) {
	err := ErrNone
	for _, id := range ids {
		var c *Result
		var held *HeldError
		var broken *RefError
		if c, err = takeLease(ctx, l, id, o); err == nil || !errors.As(err, &held) && !errors.As(err, &broken) {
			return c, err
		}
	}
	return nil, err
}

// takeLease moves the claim ref of a task to a new claim of ours: created where
// there is none, by compare-and-swap where there is an expired one or our own.
func takeLease(ctx context.Context, l *ledger.Ledger, task records.ID, o Options) (*Result, error) {
	clone, err := l.CloneKey(true)
	if err != nil {
		return nil, err
	}
	for range ledger.UpdateTries {
		old, err := claimOn(ctx, l, task)
		if err != nil {
			return nil, err
		}
		res := &Result{Claim: &Claim{Task: task, Actor: l.Author().Actor, Session: l.SessionKey(), Clone: clone,
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
		if u.New, err = writeClaim(ctx, l, res.Claim); err == nil && u.New != u.Old {
			err = l.Repo().UpdateRefs(ctx, "ctx: claim by "+string(res.Actor), u)
		}
		var lost *gitstore.RefChangedError
		if err == nil || !errors.As(err, &lost) {
			return res, err
		}
	}
	return nil, fmt.Errorf("claim '%s': it keeps changing hands: gave up after %d tries", task, ledger.UpdateTries)
}

// Release ends this session's claim on a task; with a remote, there too. The
// task's state stays. It returns nil when there is no live claim to end; one of
// another session's is a *[HeldError].
func Release(ctx context.Context, l *ledger.Ledger, name, remote string) (*Claim, error) {
	v, err := l.View(ctx)
	if err != nil {
		return nil, err
	}
	task := records.ID(name)
	r, err := l.Find(v, name)
	if err == nil {
		task = r.ID
	} else if _, rerr := l.Repo().Ref(ctx, l.ClaimRefs()+name); rerr != nil {
		return nil, err // neither a record here nor a claim on one of another branch
	}
	c, err := claimOn(ctx, l, task)
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
		if err := releaseAt(ctx, l, remote, c); err != nil {
			return nil, err
		}
	}
	if err := dropClaim(ctx, l, c, "claim released"); err != nil {
		return nil, err
	}
	if s := l.Session(); s.Task == task {
		s.Task = ""
		return c, l.SaveSession(s)
	}
	return c, nil
}
