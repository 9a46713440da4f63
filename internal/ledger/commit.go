package ledger

import (
	"cmp"
	"context"
	"fmt"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/records"
)

// commit writes the transaction's records as one commit and moves the branch
// from old, which is "" when the branch is to be created.
func (l *Ledger) commit(ctx context.Context, tx *Tx, o editOptions, branch string, old gitstore.OID) (gitstore.OID, error) {
	var changes []gitstore.Change
	var written []*records.Record
	for _, id := range tx.Changed() {
		r, _ := tx.Overlay.Record(id)
		written = append(written, r)
		data, err := records.Format(r)
		if err != nil {
			return "", fmt.Errorf("%s '%s': %w", r.Kind, r.ID, err)
		}
		changes = append(changes, gitstore.Change{Path: records.IDPath(id), Data: data})
	}
	msg, err := l.message(ctx, tx, o)
	if err != nil {
		return "", err
	}
	msg.Allowed = tx.allowed
	if err := l.RefuseSecrets(msg, written...); err != nil {
		return "", err
	}
	c := gitstore.Commit{Parents: []gitstore.OID{tx.before.Commit}, Message: msg.Format()}
	if c.Author, c.Committer, err = l.Identity(ctx); err != nil {
		return "", err
	}
	return l.Publish(ctx, c, tx.before.Commit, changes, "ctx: "+msg.Subject, gitstore.RefUpdate{Name: l.HeadRefs() + branch, Old: old})
}

// Publish writes changes over the tree of base, the commit c of it, and moves
// the ref of u from u.Old to that commit.
func (l *Ledger) Publish(ctx context.Context, c gitstore.Commit, base gitstore.OID, changes []gitstore.Change, reflog string, u gitstore.RefUpdate) (gitstore.OID, error) {
	return l.WriteCommit(ctx, c, base, changes, reflog, func(reflog string, oid gitstore.OID) error {
		u.New = oid
		return l.repo.UpdateRefs(ctx, reflog, u)
	})
}

// A MoveFunc moves a ref to a commit that has been written.
type MoveFunc func(reflog string, oid gitstore.OID) error

// WriteCommit writes changes over the tree of base and the commit c of it.
// Objects are complete, and safe from any collection, before move is called.
func (l *Ledger) WriteCommit(ctx context.Context, c gitstore.Commit, base gitstore.OID, changes []gitstore.Change, reflog string, move MoveFunc) (gitstore.OID, error) {
	var tree gitstore.OID
	if base != "" {
		bc, err := l.repo.ReadCommit(ctx, base)
		if err != nil {
			return "", err
		}
		tree = bc.Tree
	}
	oid, err := l.repo.WriteCommit(ctx, tree, changes, c)
	if err != nil {
		return "", err
	}
	return oid, l.maintained(ctx, oid, move(reflog, oid))
}

// message describes the transaction: its first step names it, a batch is counted.
func (l *Ledger) message(ctx context.Context, tx *Tx, o editOptions) (*commitmsg.Message, error) {
	m, err := l.NewMessage(ctx)
	if err != nil {
		return nil, err
	}
	m.Records = tx.touched[:min(len(tx.touched), commitmsg.NamedRecords)]
	if m.Verdicts, err = l.bundles(tx); err != nil {
		return nil, err
	}
	m.Verb, m.Subject, m.Body, m.PromotedFrom = o.verb, o.subject, o.body, o.from
	if len(tx.steps) == 0 || m.Subject != "" {
		return m, nil
	}
	first := tx.steps[0]
	m.Verb, m.Body = first.verb, cmp.Or(first.reason, o.body)
	r, _ := tx.Overlay.Record(first.id)
	m.Subject = commitmsg.SubjectOf(first.verb, r)
	if len(tx.steps) > 1 && o.verb != "" {
		m.Verb, m.Body = o.verb, o.body
		m.Subject = fmt.Sprintf("%s: %d changes to %d records", o.verb, len(tx.steps), len(tx.touched))
		for _, s := range tx.steps {
			if s.id == o.head {
				r, _ := tx.Overlay.Record(s.id)
				m.Subject = fmt.Sprintf("%s, with what it rests on", commitmsg.SubjectOf(s.verb, r))
			}
		}
	}
	return m, nil
}

// NewMessage returns a message with the trailers that say who wrote it, and where.
func (l *Ledger) NewMessage(ctx context.Context) (*commitmsg.Message, error) {
	m := &commitmsg.Message{}
	return m, l.fillMessage(ctx, m)
}

func (l *Ledger) fillMessage(ctx context.Context, m *commitmsg.Message) error {
	a := l.opts.Author
	m.Actor, m.Tool, m.Model, m.Session, m.Request, m.ClientClaimsConsent, m.Scope = a.Actor, a.Tool, a.Model, l.SessionKey(), a.Request, a.Attested, l.opts.Scope
	_, code, err := l.repo.Head(ctx)
	m.Code = string(code)
	return err
}

// CommitOn writes a commit on top of tip that changes its tree, in the name of
// who edits; the message says what was done. No ref moves.
func (l *Ledger) CommitOn(ctx context.Context, tip gitstore.OID, m *commitmsg.Message, changes []gitstore.Change) (gitstore.OID, error) {
	if err := l.fillMessage(ctx, m); err != nil {
		return "", err
	}
	c := gitstore.Commit{Parents: []gitstore.OID{tip}, Message: m.Format()}
	var err error
	if c.Author, c.Committer, err = l.Identity(ctx); err != nil {
		return "", err
	}
	old, err := l.repo.ReadCommit(ctx, tip)
	if err != nil {
		return "", err
	}
	return l.repo.WriteCommit(ctx, old.Tree, changes, c)
}
