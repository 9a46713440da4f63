package setup

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-ctx/git-ctx/internal/ledger"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/provenance"
	"github.com/git-ctx/git-ctx/records"
)

// Suppress writes a suppression into the current branch's policy; who and when
// are filled in. Grave says that it silences what only a reviewer may, as
// [audit.Rule.Grave] has it: that loosens the policy.
func Suppress(ctx context.Context, l *ledger.Ledger, s records.Suppression, grave bool) (gitstore.OID, error) {
	author, _, err := l.Identity(ctx)
	if err != nil {
		return "", err
	}
	s.By, s.Actor, s.At = author.Name, l.Options().Author.Actor, l.Now()
	subject := fmt.Sprintf("policy: suppress %s on %s", s.Rule, s.Record)
	return editPolicy(ctx, l, policyChange{subject: subject, body: s.Reason}, func(v *ledger.View, p *records.Policy) (proof bool, err error) {
		p.Suppress(s)
		review, err := l.Policies().InForce(ctx, v.Policy)
		if err != nil || !grave || review == records.ReviewAny {
			return false, err
		}
		return loosen(ctx, l, v, fmt.Sprintf("suppress '%s' on '%s': it is an error, or tells whether reviews can be believed", s.Rule, s.Record))
	})
}

// Unsuppress takes a suppression out of the current branch's policy.
func Unsuppress(ctx context.Context, l *ledger.Ledger, rule string, id records.ID) (gitstore.OID, error) {
	subject := fmt.Sprintf("policy: suppress %s on %s no more", rule, id)
	return editPolicy(ctx, l, policyChange{subject: subject}, func(_ *ledger.View, p *records.Policy) (bool, error) {
		if !p.Unsuppress(rule, id) {
			return false, fmt.Errorf("'%s' is not suppressed on '%s'", rule, id)
		}
		return false, nil
	})
}

// A policyChange describes a commit on the policy.
type policyChange struct {
	subject, body string
	proof         bool // the commit is to carry a signature over the policy
}

// A policyFunc changes a policy, and tells whether that takes a signature.
type policyFunc func(*ledger.View, *records.Policy) (proof bool, err error)

// editPolicy commits what fn makes of the current branch's policy.
func editPolicy(ctx context.Context, l *ledger.Ledger, c policyChange, fn policyFunc) (gitstore.OID, error) {
	if err := l.RefuseScoped("change the policy"); err != nil {
		return "", err
	}
	branch, err := l.Branch(ctx)
	if err != nil {
		return "", err
	}
	unlock, err := l.Repo().Lock(ctx, ledger.LockWait)
	if err != nil {
		return "", err
	}
	defer unlock()
	for range ledger.UpdateTries {
		oid, err := editPolicyOnce(ctx, l, branch, c, fn)
		var lost *gitstore.RefChangedError
		if !errors.As(err, &lost) {
			return oid, err
		}
	}
	return "", fmt.Errorf("context branch '%s' keeps changing under this edit: gave up after %d tries", branch, ledger.UpdateTries)
}

func editPolicyOnce(ctx context.Context, l *ledger.Ledger, branch string, c policyChange, fn policyFunc) (gitstore.OID, error) {
	tip, born, err := l.BranchTip(ctx, branch)
	if err != nil {
		return "", err
	}
	if err := l.Writable(ctx, branch, born); err != nil {
		return "", err
	}
	v, err := l.Load(ctx, branch, tip)
	if err != nil {
		return "", err
	}
	defer func() { _ = v.Close() }()
	if err := provenance.PolicyAllowsWrites(v.PolicyErr); err != nil {
		return "", err
	}
	p := *v.Policy
	if c.proof, err = fn(v, &p); err != nil {
		return "", err
	}
	u := gitstore.RefUpdate{Name: l.HeadRefs() + branch}
	if born {
		u.Old = tip
	}
	return commitPolicy(ctx, l, tip, &p, c, u)
}

// commitPolicy writes a policy as one commit on parent and makes the update u to it.
func commitPolicy(ctx context.Context, l *ledger.Ledger, parent gitstore.OID, p *records.Policy, change policyChange, u gitstore.RefUpdate) (gitstore.OID, error) {
	m, err := l.NewMessage(ctx)
	if err != nil {
		return "", err
	}
	data := records.FormatPolicy(p)
	m.Subject, m.Body, m.Verb, m.Policy = change.subject, change.body, commitmsg.VerbPolicy, provenance.PolicyDigest(data)
	if err := l.RefuseSecrets(m); err != nil {
		return "", err
	}
	c := gitstore.Commit{Parents: []gitstore.OID{parent}}
	if c.Author, c.Committer, err = l.Identity(ctx); err != nil {
		return "", err
	}
	if change.proof {
		if m.Signature, err = l.Policies().Sign(ctx, parent, p, c.Author.When); err != nil {
			return "", err
		}
	}
	c.Message = m.Format()
	return l.Publish(ctx, c, parent, []gitstore.Change{{Path: records.PolicyFile, Data: data}}, "ctx: "+change.subject, u)
}
