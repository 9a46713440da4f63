package sync

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/claim"
	"github.com/git-ctx/git-ctx/records"
)

// ClaimsSynced tells what became of the leases on tasks.
type ClaimsSynced struct {
	// Taken are claims of other clones that are new here, Ended those that are over.
	Taken, Ended []records.ID
	// Sent are claims of this clone's that the remote took, Returned those it took back.
	Sent, Returned []records.ID
	// Lost are claims of this clone's on tasks that another one holds at the
	// remote: that one's stand here now.
	Lost []*claim.Claim
}

// A claimAsk is a claim that the remote is asked to take, or to take back.
type claimAsk struct {
	task records.ID
	push gitstore.RefPush
}

// claims compares the leases here and at the remote, which decides between
// clones. What another clone holds there is taken over here; what this clone
// holds, renewed or gave back is to be pushed. fetched says that the remote's
// are known as they are now: else none is taken over.
func (s *exchange) claims(ctx context.Context, fetched, mayPush bool) error {
	s.asks = nil
	if s.remote.Namespaced {
		return nil
	}
	here, err := s.l.RefsBelow(ctx, s.l.ClaimRefs())
	if err != nil {
		return err
	}
	there, err := s.l.RefsBelow(ctx, s.remote.Claims.Here)
	if err != nil {
		return err
	}
	clone, err := s.l.CloneKey(false)
	if err != nil {
		return err
	}
	names := maps.Clone(here)
	maps.Copy(names, there)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if here[name] == there[name] {
			continue
		}
		c := &claimPair{task: records.ID(name), clone: clone}
		if c.ours, err = s.readClaim(ctx, name, here[name]); err != nil {
			return err
		}
		if c.theirs, err = s.readClaim(ctx, name, there[name]); err != nil {
			return err
		}
		if err := s.settleClaim(ctx, c, fetched, mayPush); err != nil {
			return err
		}
	}
	return nil
}

// readClaim reads a claim that may be absent. One that is none is told, and
// counts as absent.
func (s *exchange) readClaim(ctx context.Context, task string, oid gitstore.OID) (*claim.Claim, error) {
	if oid == "" {
		return nil, nil
	}
	c, err := claim.Read(ctx, s.l, s.l.ClaimRefs()+task, oid)
	var broken *claim.RefError
	if errors.As(err, &broken) {
		s.note("%v", broken)
		return nil, nil
	}
	return c, err
}

// A claimPair is the lease on one task as it is here and at the remote; nil for none.
type claimPair struct {
	task         records.ID
	clone        string
	ours, theirs *claim.Claim
}

func (c *claimPair) mine(x *claim.Claim) bool {
	return x != nil && c.clone != "" && x.Clone == c.clone
}

func (s *exchange) settleClaim(ctx context.Context, c *claimPair, fetched, mayPush bool) error {
	now := s.l.Now()
	switch {
	case c.ours == nil && c.theirs == nil:
		return nil
	case c.mine(c.theirs) && (c.ours == nil || c.mine(c.ours)), // given back or renewed here
		c.mine(c.ours) && (c.theirs == nil || !c.theirs.Live(now)):
		if mayPush {
			s.asks = append(s.asks, c.ask(s.l.ClaimRef(c.task)))
		}
		return nil
	case !fetched:
		return nil
	case c.mine(c.ours):
		s.res.Claims.Lost = append(s.res.Claims.Lost, c.theirs)
	case c.theirs == nil:
		s.res.Claims.Ended = append(s.res.Claims.Ended, c.task)
	case c.ours == nil && !c.theirs.Live(now):
		return nil // over before it was seen here
	default:
		s.res.Claims.Taken = append(s.res.Claims.Taken, c.task)
	}
	u := gitstore.RefUpdate{Name: s.l.ClaimRef(c.task)}
	if c.ours != nil {
		u.Old = c.ours.Commit
	}
	if c.theirs != nil {
		u.New = c.theirs.Commit
	}
	err := s.l.Repo().UpdateRefs(ctx, "ctx: sync with "+s.remote.Name, u)
	var changed *gitstore.RefChangedError
	if errors.As(err, &changed) {
		return nil // somebody claims right now: the next sync sees it
	}
	return err
}

func (c *claimPair) ask(ref string) claimAsk {
	a := claimAsk{c.task, gitstore.RefPush{Ref: ref, Lease: true}}
	if c.ours != nil {
		a.push.New = c.ours.Commit
	}
	if c.theirs != nil {
		a.push.Old = c.theirs.Commit
	}
	return a
}

// claimsAnswered takes the remote's answers to the claims. lost says that one
// was claimed there meanwhile.
func (s *exchange) claimsAnswered(ctx context.Context, answers []gitstore.PushResult) (lost bool, err error) {
	var updates []gitstore.RefUpdate
	for i, a := range answers {
		ask := s.asks[i]
		switch a.Status {
		case gitstore.PushLost:
			lost = true
		case gitstore.PushRefused:
			s.note("'%s' refuses the claim on %s: %s", s.remote.Name, ask.task, a.Reason)
		default:
			if ask.push.New == "" {
				s.res.Claims.Returned = append(s.res.Claims.Returned, ask.task)
			} else {
				s.res.Claims.Sent = append(s.res.Claims.Sent, ask.task)
			}
			updates = append(updates, gitstore.RefUpdate{Name: s.remote.Claims.Here + string(ask.task), Old: ask.push.Old, New: ask.push.New})
		}
	}
	err = s.l.Repo().UpdateRefs(ctx, "ctx: push to "+s.remote.Name, updates...)
	var changed *gitstore.RefChangedError
	if errors.As(err, &changed) {
		err = nil // the next fetch brings what is true
	}
	return lost, err
}
