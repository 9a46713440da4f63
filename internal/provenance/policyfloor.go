package provenance

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/records"
)

// A Loosened says that ctx.yaml asks for less review than a person ever let it.
type Loosened struct {
	// Commit made it so, by hand or by a merge without git ctx.
	Commit gitstore.OID `json:"commit"`
	// Review is what the file says, Held what was last decided and still counts.
	Review records.Review `json:"review"`
	Held   records.Review `json:"held"`
}

// A floor is the review policy that was last decided on a line of history: no
// hand-made commit goes below it.
type floor struct {
	review records.Review
	by     gitstore.OID // decided it
	person bool         // and not a program in a store that held nothing yet
}

// A policyPoint is a commit that changed ctx.yaml, or merged lines of history.
type policyPoint struct {
	*commitmsg.LogEntry
	policy *records.Policy // nil when it cannot be read
	digest string
	from   []gitstore.OID // the points before it
}

// Loosening tells whether a commit's policy was loosened by nobody who may; nil
// when not. The review policy of the answer is the one to follow.
func (ps *Policies) Loosening(ctx context.Context, tip gitstore.OID, now *records.Policy) (*Loosened, error) {
	if now.Review == records.ReviewSigned {
		return nil, nil
	}
	points, err := ps.policyPoints(ctx, tip)
	if err != nil {
		return nil, err
	}
	floors := make(map[gitstore.OID]floor, len(points))
	for _, p := range points {
		if floors[p.OID], err = ps.floorAt(ctx, p, floors); err != nil {
			return nil, err
		}
	}
	for i := len(points) - 1; i >= 0; i-- {
		p := points[i]
		if p.policy == nil || p.policy.Review != now.Review {
			continue
		}
		f := floors[points[len(points)-1].OID]
		if records.Stricter(now.Review, f.review) == now.Review {
			return nil, nil
		}
		if confirmed, err := ps.confirmed(ctx, tip, p, f.review); err != nil || confirmed {
			return nil, err
		}
		return &Loosened{p.OID, now.Review, f.review}, nil
	}
	return nil, nil
}

// policyPoints lists the commits that changed ctx.yaml, parents first. The last
// is the newest.
func (ps *Policies) policyPoints(ctx context.Context, tip gitstore.OID) ([]*policyPoint, error) {
	out, err := ps.repo.Git(ctx, nil, "rev-list", "--parents", "--full-history", "--topo-order", "--reverse", string(tip), "--", ":(top,literal)"+records.PolicyFile)
	if err != nil {
		return nil, fmt.Errorf("list the changes of %s: %w", records.PolicyFile, err)
	}
	var points []*policyPoint
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		c, err := ps.repo.ReadCommit(ctx, gitstore.OID(words[0]))
		if err != nil {
			return nil, err
		}
		p := &policyPoint{LogEntry: commitmsg.NewLogEntry(c)}
		for _, w := range words[1:] {
			p.from = append(p.from, gitstore.OID(w))
		}
		if p.policy, p.digest, err = ps.policyAt(ctx, c.OID); err != nil {
			return nil, err
		}
		points = append(points, p)
	}
	return points, nil
}

// floorAt is what was last decided at a point: there, or on the lines before it.
func (ps *Policies) floorAt(ctx context.Context, p *policyPoint, floors map[gitstore.OID]floor) (floor, error) {
	if ps.repo.Shallow() && len(p.from) == 0 && len(p.Parents) > 0 && p.policy != nil {
		return floor{p.policy.Review, p.OID, true}, nil // what was decided before is cut off
	}
	at := floor{review: RootPolicy().Review}
	for i, from := range p.from {
		f := floors[from]
		if i == 0 {
			at = f
			continue
		}
		var err error
		if at, err = ps.joined(ctx, p.Commit, at, f); err != nil {
			return floor{}, err
		}
	}
	decided, person, err := ps.decides(ctx, p.LogEntry, p.digest)
	if err != nil || !decided || p.policy == nil {
		return at, err
	}
	loosens := records.Stricter(at.review, p.policy.Review) != p.policy.Review
	switch {
	case loosens && at.person && !person:
		return at, nil
	case loosens && at.review == records.ReviewSigned && ps.ChangeSigned(ctx, p.LogEntry) != nil:
		return at, nil
	}
	return floor{p.policy.Review, p.OID, person}, nil
}

// joined is the floor of two lines that a commit merged: the later decision where
// one knew of the other, else the stricter. A program's, which it may take while
// a store is empty, says nothing about a line on which others worked without it.
func (ps *Policies) joined(ctx context.Context, merge *gitstore.Commit, a, b floor) (floor, error) {
	if a.by == b.by {
		return a, nil
	}
	for _, pair := range [][2]floor{{a, b}, {b, a}} {
		old, later := pair[0], pair[1]
		binds := false
		var err error
		switch {
		case later.by == "":
		case later.person && old.by == "":
			binds = true
		case later.person:
			binds, err = ps.repo.IsAncestor(ctx, old.by, later.by)
		case old.by == "":
			binds, err = ps.nobodyWithout(ctx, merge, later.by)
		}
		if err != nil || binds {
			return later, err
		}
	}
	if records.Stricter(a.review, b.review) == a.review {
		return a, nil
	}
	return b, nil
}

// nobodyWithout reports whether no line that a commit merged holds work done
// without a decision; imports are none.
func (ps *Policies) nobodyWithout(ctx context.Context, merge *gitstore.Commit, decision gitstore.OID) (bool, error) {
	for _, parent := range merge.Parents {
		if knew, err := ps.repo.IsAncestor(ctx, decision, parent); knew || err != nil {
			if err != nil {
				return false, err
			}
			continue
		}
		for c, err := range ps.repo.Log(ctx, gitstore.LogOptions{Tips: []gitstore.OID{parent}, Exclude: []gitstore.OID{decision}}) {
			if err != nil {
				return false, err
			}
			if e := commitmsg.NewLogEntry(c); e.Message.Verb != "import" && !e.IsMerge() {
				return false, nil
			}
		}
	}
	return true, nil
}

// decides reports whether a commit decided the policy with that digest: by the
// verb, run by a person or before there was any record.
func (ps *Policies) decides(ctx context.Context, e *commitmsg.LogEntry, digest string) (decided, person bool, err error) {
	if e.MessageErr != nil || e.Message.Verb != commitmsg.VerbPolicy || e.Message.Policy != digest {
		return false, false, nil
	}
	if e.Message.Actor == records.Human {
		return true, true, nil
	}
	snap, err := ps.repo.Snapshot(ctx, string(e.OID))
	if err != nil {
		return false, false, err
	}
	empty := true
	err = ps.repo.DiffTrees(ctx, "", snap.Tree(), func(path string, _, _ gitstore.OID) error {
		empty = empty && !strings.HasPrefix(path, records.RecordsDir+"/")
		return nil
	})
	return empty, false, err
}

// confirmed reports whether a person has since decided for what a commit made of
// the policy; where signatures were asked for until then, with one.
func (ps *Policies) confirmed(ctx context.Context, tip gitstore.OID, p *policyPoint, held records.Review) (bool, error) {
	for c, err := range ps.repo.Log(ctx, gitstore.LogOptions{Tips: []gitstore.OID{tip}, Exclude: []gitstore.OID{p.OID}, Grep: "^" + commitmsg.PolicyTrailer + ": "}) {
		if err != nil {
			return false, err
		}
		if decided, person, err := ps.decides(ctx, commitmsg.NewLogEntry(c), p.digest); err != nil || !decided || !person {
			if err != nil {
				return false, err
			}
			continue
		}
		if held == records.ReviewSigned && ps.ChangeSigned(ctx, commitmsg.NewLogEntry(c)) != nil {
			continue
		}
		if knew, err := ps.repo.IsAncestor(ctx, p.OID, c.OID); knew || err != nil {
			return knew, err
		}
	}
	return false, nil
}
