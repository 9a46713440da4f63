package claim

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// A Claim is a lease on a task: until it ends, one session works on it.
type Claim struct {
	Task   records.ID
	Commit gitstore.OID
	// Holder, Actor, Session (hashed) and Clone (hashed) say who holds it.
	Holder  string
	Actor   records.Actor
	Session string
	Clone   string
	Since   time.Time // when the holder took it; renewing keeps this
	Expires time.Time
	// Mine tells that this session in this clone holds it.
	Mine bool
}

// Live reports whether the lease still runs.
func (c *Claim) Live(at time.Time) bool { return at.Before(c.Expires) }

// A RefError is about a claim ref that holds no claim.
type RefError struct {
	Ref string
	Err error
}

func (e *RefError) Error() string { return fmt.Sprintf("'%s' is not a claim: %v", e.Ref, e.Err) }
func (e *RefError) Unwrap() error { return e.Err }

// writeClaim stores the commit that is a claim and completes c from it.
func writeClaim(ctx context.Context, l *ledger.Ledger, c *Claim) (gitstore.OID, error) {
	author, committer, err := l.Identity(ctx)
	if err != nil {
		return "", err
	}
	author.When, c.Holder = c.Since, author.Name
	m, err := l.NewMessage(ctx)
	if err != nil {
		return "", err
	}
	m.Subject, m.Verb, m.Records = "claim: "+string(c.Task), "claim", []records.ID{c.Task}
	m.Expires, m.Clone = records.FormatInstant(c.Expires), c.Clone
	c.Commit, err = l.Repo().WriteCommit(ctx, "", nil, gitstore.Commit{Author: author, Committer: committer, Message: m.Format()})
	return c.Commit, err
}

// claimOn returns the claim on a task, nil when there is none.
func claimOn(ctx context.Context, l *ledger.Ledger, task records.ID) (*Claim, error) {
	ref := l.ClaimRef(task)
	oid, err := l.Repo().Ref(ctx, ref)
	if errors.Is(err, gitstore.ErrRefNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return Read(ctx, l, ref, oid)
}

func Read(ctx context.Context, l *ledger.Ledger, ref string, oid gitstore.OID) (*Claim, error) {
	c, err := l.Repo().ReadCommit(ctx, oid)
	if err != nil {
		return nil, &RefError{ref, err}
	}
	m, err := commitmsg.Parse(c.Message)
	if err != nil {
		return nil, &RefError{ref, err}
	}
	task := records.ID(strings.TrimPrefix(ref, l.ClaimRefs()))
	if m.Verb != "claim" || len(m.Records) != 1 || m.Records[0] != task {
		return nil, &RefError{ref, errors.New("its commit does not claim this task")}
	}
	out := &Claim{Task: task, Commit: oid, Holder: c.Author.Name, Actor: m.Actor, Session: m.Session, Clone: m.Clone, Since: c.Author.When.UTC()}
	if out.Expires, err = records.ParseInstant(m.Expires); err != nil {
		return nil, &RefError{ref, err}
	}
	clone, err := l.CloneKey(false)
	if err != nil {
		return nil, err
	}
	out.Mine = clone != "" && out.Clone == clone && out.Session == l.SessionKey() && out.Actor == l.Author().Actor
	return out, nil
}

// List lists the claims of this repository by task, expired ones included.
// Refs that hold no claim are returned apart.
func List(ctx context.Context, l *ledger.Ledger) ([]*Claim, []*RefError, error) {
	refs, err := l.Repo().Refs(ctx, l.ClaimRefs())
	if err != nil {
		return nil, nil, err
	}
	var cs []*Claim
	var bad []*RefError
	for _, r := range refs {
		c, err := Read(ctx, l, r.Name, r.OID)
		var no *RefError
		switch {
		case errors.As(err, &no):
			bad = append(bad, no)
		case err != nil:
			return nil, nil, err
		default:
			cs = append(cs, c)
		}
	}
	return cs, bad, nil
}

// dropClaim deletes a claim's ref if it still is that claim.
func dropClaim(ctx context.Context, l *ledger.Ledger, c *Claim, why string) error {
	err := l.Repo().UpdateRefs(ctx, "ctx: "+why, gitstore.RefUpdate{Name: l.ClaimRef(c.Task), Old: c.Commit})
	var lost *gitstore.RefChangedError
	if errors.As(err, &lost) {
		return nil // another one's by now
	}
	return err
}
