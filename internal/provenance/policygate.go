package provenance

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/records"
)

// A PolicyError says that a ctx.yaml is not of the format that this version
// writes, so that what it rules may be read, and neither written nor taken over.
type PolicyError struct {
	// Side is whose it is, in words; "" for the branch that was to be written.
	Side string
	Err  error
}

func (e *PolicyError) Error() string {
	switch {
	case e.Side != "":
		return fmt.Sprintf("%s of %s cannot be taken over: %v; nothing was merged", records.PolicyFile, e.Side, e.Err)
	case e.Newer():
		return fmt.Sprintf("%v: it can be read, not written; update git ctx", e.Err)
	}
	return fmt.Sprintf("%v: until that is mended the context can be read, not written", e.Err)
}

// Unwrap returns why the policy could not be read.
func (e *PolicyError) Unwrap() error { return e.Err }

// Newer reports whether a newer version wrote the policy.
func (e *PolicyError) Newer() bool {
	var newer *records.NewerFormatError
	return errors.As(e.Err, &newer)
}

// PolicyAllowsWrites refuses a branch whose policy could not be read: what it
// demands of a writer is not known, nor whether this version knows its format.
func PolicyAllowsWrites(policyErr error) error {
	if policyErr == nil {
		return nil
	}
	return &PolicyError{Err: policyErr}
}

// policyOfCommit returns why a commit's policy cannot be read; nil when it can.
func (ps *Policies) policyOfCommit(ctx context.Context, commit gitstore.OID) error {
	snap, err := ps.repo.Snapshot(ctx, string(commit))
	if err != nil {
		return err
	}
	_, err = ReadPolicy(snap)
	return err
}

// AllowWrites is [PolicyAllowsWrites] of a commit that is not loaded.
func (ps *Policies) AllowWrites(ctx context.Context, tip gitstore.OID) error {
	return PolicyAllowsWrites(ps.policyOfCommit(ctx, tip))
}

// AllowMerge refuses to take over a policy that cannot be read, and to
// write a branch that has one. Only this mends such a branch: to move on to
// commits after its own in which the file was put right.
func (ps *Policies) AllowMerge(ctx context.Context, ours, theirs gitstore.OID, forward bool) error {
	if err := ps.AllowTaking(ctx, theirs); err != nil {
		return err
	}
	err := ps.AllowWrites(ctx, ours)
	var bad *PolicyError
	if forward && errors.As(err, &bad) && !bad.Newer() {
		return nil
	}
	return err
}

// AllowTaking refuses to make a commit of another side our own while its
// policy cannot be read: our branch would be read-only from then on.
func (ps *Policies) AllowTaking(ctx context.Context, theirs gitstore.OID) error {
	if err := ps.policyOfCommit(ctx, theirs); err != nil {
		return &PolicyError{Side: "their side", Err: err}
	}
	return nil
}
