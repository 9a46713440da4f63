package provenance

import (
	"context"
	"fmt"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/records"
)

// policyMessage is what the signature of a policy change is over: the new
// policy and the commit that it follows, so that it counts nowhere else.
func policyMessage(parent gitstore.OID, policy []byte) []byte {
	return fmt.Appendf(nil, "signed: git-ctx policy 1\nparent: %s\npolicy: |\n%s", parent, policy)
}

// Sign signs a policy change, and refuses one that would not count here:
// who loosens the policy must be one who may accept.
func (ps *Policies) Sign(ctx context.Context, parent gitstore.OID, p *records.Policy, at time.Time) (string, error) {
	policy := records.FormatPolicy(p)
	line, err := ps.signatures.SignLine(policyMessage(parent, policy))
	if err != nil {
		return "", err
	}
	if err := ps.policySigned(ctx, parent, policy, line, at); err != nil {
		return "", fmt.Errorf("loosen the policy: %w", err)
	}
	return line, nil
}

// policySigned returns nil when a signature, as a trailer holds it, is a
// reviewer's on a policy in a commit after parent.
func (ps *Policies) policySigned(ctx context.Context, parent gitstore.OID, policy []byte, line string, at time.Time) error {
	return ps.signatures.LineSigned(ctx, policyMessage(parent, policy), line, at)
}

// ChangeSigned returns nil when the commit, which has one parent, carries
// a reviewer's signature on the policy it holds.
func (ps *Policies) ChangeSigned(ctx context.Context, e *commitmsg.LogEntry) error {
	if len(e.Parents) != 1 || e.Message.Signature == "" {
		return fmt.Errorf("commit %s carries no signature of the policy", e.OID.Short())
	}
	snap, err := ps.repo.Snapshot(ctx, string(e.OID))
	if err != nil {
		return err
	}
	policy, err := snap.Content(records.PolicyFile)
	if err != nil {
		return err
	}
	return ps.policySigned(ctx, e.Parents[0], policy, e.Message.Signature, e.Author.When)
}
