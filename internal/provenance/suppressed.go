package provenance

import (
	"context"
	"slices"
	"sync"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/records"
)

// SuppressionDecided returns a function that reports whether who may loosen the
// policy p of a commit decided on a suppression in it. Whoever forges a record by
// hand can as well write into ctx.yaml that a person does not mind. The history is
// read when first asked; what it does not tell is not decided.
func (ps *Policies) SuppressionDecided(ctx context.Context, commit gitstore.OID, p *records.Policy) func(records.Suppression) bool {
	decided := sync.OnceValue(func() []records.Suppression {
		review, err := ps.InForce(ctx, p)
		if err != nil {
			return nil
		}
		var out []records.Suppression
		for c, err := range ps.repo.Log(ctx, gitstore.LogOptions{Tips: []gitstore.OID{commit}, Paths: []string{records.PolicyFile}}) {
			if err != nil {
				return nil
			}
			given, err := ps.suppressedIn(ctx, commitmsg.NewLogEntry(c), review)
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
func (ps *Policies) suppressedIn(ctx context.Context, e *commitmsg.LogEntry, review records.Review) ([]records.Suppression, error) {
	p, digest, err := ps.policyAt(ctx, e.OID)
	switch {
	case err != nil || p == nil:
		return nil, err
	case len(e.Parents) == 0 && ps.repo.Shallow():
		return p.Suppressed, nil // what was decided before is cut off
	case len(e.Parents) != 1 || e.MessageErr != nil || e.Message.Verb != commitmsg.VerbPolicy || e.Message.Policy != digest || e.Message.Actor != records.Human:
		return nil, nil
	case review == records.ReviewSigned && ps.ChangeSigned(ctx, e) != nil:
		return nil, nil
	}
	before, _, err := ps.policyAt(ctx, e.Parents[0])
	if err != nil || before == nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(p.Suppressed), func(s records.Suppression) bool { return slices.Contains(before.Suppressed, s) }), nil
}
