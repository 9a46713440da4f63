package provenance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/records"
)

// Policies tells which policy holds at a commit, and who decided on it. It keeps
// nothing, and is safe for concurrent use where its signatures are.
type Policies struct {
	repo       *gitstore.Repo
	signatures *Signatures
}

// NewPolicies returns what tells of a repository's policies, whose changes the
// signatures verify and make.
func NewPolicies(repo *gitstore.Repo, s *Signatures) *Policies { return &Policies{repo, s} }

// RootPolicy is the policy of the root commit: the one every store starts from.
func RootPolicy() *records.Policy {
	return &records.Policy{Format: records.FormatVersion, Review: records.ReviewHuman}
}

// PolicyOf reads the bytes of ctx.yaml, nil where there is none. Whatever is
// wrong with them, the policy returned is usable and no looser.
func PolicyOf(data []byte) (*records.Policy, error) {
	strictest := &records.Policy{Format: records.FormatVersion, Review: records.ReviewSigned}
	if data == nil {
		return strictest, fmt.Errorf("read %s: %w", records.PolicyFile, fs.ErrNotExist)
	}
	p, err := records.ParsePolicy(data)
	if p == nil || (err != nil && p.Review == "") {
		p = strictest
	}
	return p, err
}

// ReadPolicy reads a snapshot's policy; see [PolicyOf].
func ReadPolicy(snap *gitstore.Snapshot) (*records.Policy, error) {
	data, err := snap.Content(records.PolicyFile)
	if err != nil {
		p, _ := PolicyOf(nil)
		return p, fmt.Errorf("read %s: %w", records.PolicyFile, err)
	}
	return PolicyOf(data)
}

// PolicyDigest names the bytes of a ctx.yaml.
func PolicyDigest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// ReviewAt is the review policy that holds at a commit, what was loosened by
// nobody who may left aside; the strictest where it cannot be read.
func (ps *Policies) ReviewAt(ctx context.Context, commit gitstore.OID) (records.Review, error) {
	p, _, err := ps.policyAt(ctx, commit)
	if err != nil {
		return "", err
	}
	if p == nil {
		return records.ReviewSigned, nil
	}
	was, err := ps.Loosening(ctx, commit, p)
	if err != nil {
		return "", err
	}
	if was != nil {
		p.Review = was.Held
	}
	return ps.InForce(ctx, p)
}

// policyAt reads a commit's policy, nil where it cannot be read, and names its bytes.
func (ps *Policies) policyAt(ctx context.Context, commit gitstore.OID) (*records.Policy, string, error) {
	snap, err := ps.repo.Snapshot(ctx, string(commit))
	if err != nil {
		return nil, "", err
	}
	data, err := snap.Content(records.PolicyFile)
	if err != nil {
		return nil, "", err
	}
	p, err := PolicyOf(data)
	if err != nil {
		return nil, "", nil // not to be read, and so nothing is known of it
	}
	return p, PolicyDigest(data), nil
}

// InForce is the review policy here: the local ctx.review can only tighten the project's.
func (ps *Policies) InForce(ctx context.Context, p *records.Policy) (records.Review, error) {
	local, ok, err := ps.repo.Config(ctx, "ctx.review")
	if err != nil || !ok {
		return p.Review, err
	}
	switch r := records.Review(local); r {
	case records.ReviewAny, records.ReviewHuman, records.ReviewSigned:
		return records.Stricter(p.Review, r), nil
	}
	return "", &gitstore.ConfigError{Key: "ctx.review", Value: local, Want: "any, human or signed", Usual: string(records.ReviewHuman)}
}
