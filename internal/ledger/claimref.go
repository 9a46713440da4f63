package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
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

// A ClaimError is about a claim ref that holds no claim.
type ClaimError struct {
	Ref string
	Err error
}

func (e *ClaimError) Error() string { return fmt.Sprintf("'%s' is no claim: %v", e.Ref, e.Err) }
func (e *ClaimError) Unwrap() error { return e.Err }

// writeClaim stores the commit that is a claim and completes c from it.
func (l *Ledger) writeClaim(ctx context.Context, c *Claim) (gitstore.OID, error) {
	author, committer, err := l.signature(ctx)
	if err != nil {
		return "", err
	}
	author.When, c.Holder = c.Since, author.Name
	m, err := l.newMessage(ctx)
	if err != nil {
		return "", err
	}
	m.Subject, m.Verb, m.Records = "claim: "+string(c.Task), "claim", []records.ID{c.Task}
	m.Expires, m.Clone = records.FormatInstant(c.Expires), c.Clone
	c.Commit, err = l.repo.WriteCommit(ctx, "", nil, gitstore.Commit{Author: author, Committer: committer, Message: m.Format()})
	return c.Commit, err
}

// claimOn returns the claim on a task, nil when there is none.
func (l *Ledger) claimOn(ctx context.Context, task records.ID) (*Claim, error) {
	ref := l.ClaimRef(task)
	oid, err := l.repo.Ref(ctx, ref)
	if errors.Is(err, gitstore.ErrRefNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return l.ReadClaim(ctx, ref, oid)
}

func (l *Ledger) ReadClaim(ctx context.Context, ref string, oid gitstore.OID) (*Claim, error) {
	c, err := l.repo.ReadCommit(ctx, oid)
	if err != nil {
		return nil, &ClaimError{ref, err}
	}
	m, err := commitmsg.Parse(c.Message)
	if err != nil {
		return nil, &ClaimError{ref, err}
	}
	task := records.ID(strings.TrimPrefix(ref, l.ClaimRefs()))
	if m.Verb != "claim" || len(m.Records) != 1 || m.Records[0] != task {
		return nil, &ClaimError{ref, errors.New("its commit does not claim this task")}
	}
	out := &Claim{Task: task, Commit: oid, Holder: c.Author.Name, Actor: m.Actor, Session: m.Session, Clone: m.Clone, Since: c.Author.When.UTC()}
	if out.Expires, err = records.ParseInstant(m.Expires); err != nil {
		return nil, &ClaimError{ref, err}
	}
	clone, err := l.CloneKey(false)
	if err != nil {
		return nil, err
	}
	out.Mine = clone != "" && out.Clone == clone && out.Session == l.SessionKey() && out.Actor == l.opts.Author.Actor
	return out, nil
}

// Claims lists the claims of this repository by task, expired ones included.
// Refs that hold no claim are returned apart.
func (l *Ledger) Claims(ctx context.Context) ([]*Claim, []*ClaimError, error) {
	refs, err := l.repo.Refs(ctx, l.ClaimRefs())
	if err != nil {
		return nil, nil, err
	}
	var cs []*Claim
	var bad []*ClaimError
	for _, r := range refs {
		c, err := l.ReadClaim(ctx, r.Name, r.OID)
		var no *ClaimError
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
func (l *Ledger) dropClaim(ctx context.Context, c *Claim, why string) error {
	err := l.repo.UpdateRefs(ctx, "ctx: "+why, gitstore.RefUpdate{Name: l.ClaimRef(c.Task), Old: c.Commit})
	var lost *gitstore.RefChangedError
	if errors.As(err, &lost) {
		return nil // another one's by now
	}
	return err
}

// CloneKey tells this clone from all others, without telling where it is. Two
// machines may well have the same worktree path, and so the same session; a
// copied directory has the same file, and on another machine another name.
func (l *Ledger) CloneKey(create bool) (string, error) {
	file := filepath.Join(l.repo.CommonDir(), "ctx", "clone")
	id, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		if !create {
			return "", nil
		}
		b, err := l.random(8)
		if err != nil {
			return "", err
		}
		id = []byte(hex.EncodeToString(b) + "\n")
		if err := WriteFile(file, id); err != nil { // the writers' lock is held: nobody else makes it
			return "", fmt.Errorf("name this clone: %w", err)
		}
	} else if err != nil {
		return "", fmt.Errorf("read this clone's name: %w", err)
	}
	host, _ := os.Hostname() // without one, the file alone must do
	sum := sha256.Sum256([]byte(host + "\x00" + strings.TrimSpace(string(id))))
	return hex.EncodeToString(sum[:6]), nil
}
