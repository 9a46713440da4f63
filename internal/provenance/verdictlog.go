package provenance

import (
	"context"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/records"
)

// A VerdictLog tells which verdicts persons' verbs gave, for a reader that walks
// the history itself and adds each commit.
type VerdictLog struct {
	named map[string]string // digest to author
	cut   *Verdicts
}

// NewVerdictLog returns an empty log of the history that tip reaches.
func NewVerdictLog(ctx context.Context, repo *gitstore.Repo, tip gitstore.OID) *VerdictLog {
	return &VerdictLog{make(map[string]string), NewVerdicts(ctx, repo, "", tip)}
}

// Add takes up the verdicts that a commit names.
func (g *VerdictLog) Add(e *commitmsg.LogEntry) { addVerdicts(g.named, e) }

// Given reports whether a person's verb gave a verdict, in a commit that was
// added or before a shallow clone's history begins.
func (g *VerdictLog) Given(id records.ID, v *records.Verdict) (bool, error) {
	if author, ok := g.named[records.VerdictDigest(id, v)]; ok && SameAuthor(author, v.By) {
		return true, nil
	}
	return g.BeforeCut(id, v)
}

// GivenBy reports whether a commit names a verdict.
func (g *VerdictLog) GivenBy(e *commitmsg.LogEntry, id records.ID, v *records.Verdict) bool {
	here := make(map[string]string)
	addVerdicts(here, e)
	_, given := here[records.VerdictDigest(id, v)]
	return given
}

// BeforeCut reports whether a verdict stood already where a shallow clone's
// history begins.
func (g *VerdictLog) BeforeCut(id records.ID, v *records.Verdict) (bool, error) {
	return g.cut.beforeCut(records.HumanVerdictOf(id, v))
}
