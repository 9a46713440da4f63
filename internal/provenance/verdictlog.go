package provenance

import (
	"context"
	"sync"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/records"
)

// A VerdictLog tells which verdicts the verbs of a history gave, for a reader that walks
// that history itself and adds each commit.
type VerdictLog struct {
	named namings
	at    func(records.ID) ([]*records.Record, error)
}

// NewVerdictLog returns an empty log.
func NewVerdictLog(ctx context.Context, repo *gitstore.Repo) *VerdictLog {
	ends := sync.OnceValues(func() ([]gitstore.OID, error) { return shallowEnds(ctx, repo) })
	return &VerdictLog{named: make(namings), at: func(id records.ID) ([]*records.Record, error) {
		oids, err := ends()
		var out []*records.Record
		for _, oid := range oids {
			r, err := recordAt(ctx, repo, oid, id)
			if err != nil {
				return nil, err
			}
			if r != nil {
				out = append(out, r)
			}
		}
		return out, err
	}}
}

// Add takes up what a commit names.
func (g *VerdictLog) Add(e *commitmsg.LogEntry) { g.named.add(e) }

// Given reports whether a verb of who it says gave a verdict, in a commit that was
// added or before a shallow clone's history begins.
func (g *VerdictLog) Given(id records.ID, v *records.Verdict) (bool, error) {
	digest := records.VerdictDigest(id, v)
	for _, n := range g.named[id] {
		if n.names(v, digest) {
			return true, nil
		}
	}
	return g.BeforeCut(id, v)
}

// GivenBy reports whether a commit names a verdict.
func (g *VerdictLog) GivenBy(e *commitmsg.LogEntry, id records.ID, v *records.Verdict) bool {
	return g.namedIn(e, id, records.VerdictDigest(id, v), func(n naming) bool { return n.names(v, n.digest) })
}

// Forgot reports whether a commit's verb put the record's tombstone there.
func (g *VerdictLog) Forgot(r *records.Record) bool {
	digest := records.TombstoneDigest(r)
	for _, n := range g.named[r.ID] {
		if n.digest == digest && n.as == commitmsg.AsTombstone && n.verb != "" {
			return true
		}
	}
	return false
}

func (g *VerdictLog) namedIn(e *commitmsg.LogEntry, id records.ID, digest string, ok func(naming) bool) bool {
	for _, n := range g.named[id] {
		if n.commit == e.OID && n.digest == digest && ok(n) {
			return true
		}
	}
	return false
}

// BeforeCut reports whether a verdict stood already where a shallow clone's
// history begins: of it nothing can be told here.
func (g *VerdictLog) BeforeCut(id records.ID, v *records.Verdict) (bool, error) {
	rs, err := g.at(id)
	digest := records.VerdictDigest(id, v)
	for _, r := range rs {
		if hasVerdict(r, digest) {
			return true, err
		}
	}
	return false, err
}
