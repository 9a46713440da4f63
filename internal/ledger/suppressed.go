package ledger

import (
	"context"
	"slices"
	"sync"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/records"
)

// SuppressionDecided returns a function that reports whether who may loosen the
// policy of a view decided on a suppression in it. Whoever forges a record by
// hand can as well write into ctx.yaml that a person does not mind. The history is
// read when first asked; what it does not tell is not decided.
func (l *Ledger) SuppressionDecided(ctx context.Context, v *View) func(records.Suppression) bool {
	decided := sync.OnceValue(func() []records.Suppression {
		review, err := l.ReviewInForce(ctx, v.Policy)
		if err != nil {
			return nil
		}
		var out []records.Suppression
		for c, err := range l.repo.Log(ctx, gitstore.LogOptions{Tips: []gitstore.OID{v.Commit}, Paths: []string{records.PolicyFile}}) {
			if err != nil {
				return nil
			}
			given, err := l.suppressedIn(ctx, commitmsg.NewLogEntry(c), review)
			if err != nil {
				return nil
			}
			out = append(out, given...)
		}
		return out
	})
	return func(s records.Suppression) bool { return slices.Contains(decided(), s) }
}

// suppressedIn returns the suppressions that a commit decided on. Those that stood
// there before are none of them.
func (l *Ledger) suppressedIn(ctx context.Context, e *commitmsg.LogEntry, review records.Review) ([]records.Suppression, error) {
	p, digest, err := l.policyAt(ctx, e.OID)
	switch {
	case err != nil || p == nil:
		return nil, err
	case len(e.Parents) == 0 && l.repo.Shallow():
		return p.Suppressed, nil // what was decided before is cut off
	case len(e.Parents) != 1 || e.MessageErr != nil || e.Message.Verb != commitmsg.VerbPolicy || e.Message.Policy != digest || e.Message.Actor != records.Human:
		return nil, nil
	case review == records.ReviewSigned && l.PolicyChangeSigned(ctx, e) != nil:
		return nil, nil
	}
	before, _, err := l.policyAt(ctx, e.Parents[0])
	if err != nil || before == nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(p.Suppressed), func(s records.Suppression) bool { return slices.Contains(before.Suppressed, s) }), nil
}

// policyAt reads a commit's policy, nil where it cannot be read, and names its bytes.
func (l *Ledger) policyAt(ctx context.Context, commit gitstore.OID) (*records.Policy, string, error) {
	snap, err := l.repo.Snapshot(ctx, string(commit))
	if err != nil {
		return nil, "", err
	}
	data, err := snap.Content(records.PolicyFile)
	if err != nil {
		return nil, "", err
	}
	p, err := policyOf(data)
	if err != nil {
		return nil, "", nil // not to be read, and so nothing is known of it
	}
	return p, policyDigest(data), nil
}
