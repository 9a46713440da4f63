package provenance

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/records"
)

// few is up to how many commits are read one by one, which spares a process.
const few = 16

// Verdicts tells which human verdicts a person's verb gave: a commit that such a
// verb made names the verdict by its digest. It reads no more of the history than
// it must, and is safe for concurrent use.
type Verdicts struct {
	// near are the verdicts named since the commit that is known already, far
	// those of the whole history: digest to author.
	near, far func() (map[string]string, error)
	// cut are the commits at which a shallow clone's history ends.
	cut func() ([]*gitstore.Snapshot, error)
}

// NewVerdicts returns what tells of the history of a commit; what from, "" for
// nothing, reaches is known already. It reads nothing yet.
func NewVerdicts(ctx context.Context, repo *gitstore.Repo, from, to gitstore.OID) *Verdicts {
	t := &Verdicts{cut: sync.OnceValues(func() ([]*gitstore.Snapshot, error) { return shallowEnds(ctx, repo) })}
	t.far = sync.OnceValues(func() (map[string]string, error) {
		return namedIn(repo.Log(ctx, gitstore.LogOptions{Tips: []gitstore.OID{to}, Grep: "^" + commitmsg.VerdictTrailer + ": "}))
	})
	t.near = t.far
	if from != "" {
		t.near = sync.OnceValues(func() (map[string]string, error) { return namedSince(ctx, repo, from, to) })
	}
	return t
}

// Verified reports whether the history proves a human verdict. Only one that is
// new to the reader needs the whole of it.
func (t *Verdicts) Verified(v records.HumanVerdict, far bool) (bool, error) {
	named, err := t.near()
	if err != nil {
		return false, err
	}
	if author, ok := named[v.Digest]; ok && SameAuthor(author, v.By) {
		return true, nil
	}
	if !far {
		return false, nil
	}
	if named, err = t.far(); err != nil {
		return false, err
	}
	if author, ok := named[v.Digest]; ok && SameAuthor(author, v.By) {
		return true, nil
	}
	return t.beforeCut(v)
}

// SameAuthor reports whether a commit's author answers for a verdict by that name;
// "" answers for any.
func SameAuthor(author, by string) bool {
	return author == "" || records.Normalize(author) == records.Normalize(by)
}

// beforeCut takes on trust what stood already where a shallow clone's history ends.
func (t *Verdicts) beforeCut(v records.HumanVerdict) (bool, error) {
	ends, err := t.cut()
	if err != nil {
		return false, err
	}
	for _, s := range ends {
		path := records.IDPath(v.Record)
		data, err := s.Content(path)
		if err != nil {
			return false, err
		}
		if data == nil {
			continue
		}
		r, err := records.Parse(path, data)
		var unreadable *records.SyntaxError
		switch {
		case errors.As(err, &unreadable):
		case err != nil:
			return false, err
		case slices.Contains(records.HumanVerdictsOf(r), v):
			return true, nil
		}
	}
	return false, nil
}

// namedIn collects what persons' verbs named in the commits of a history.
func namedIn(log func(func(*gitstore.Commit, error) bool)) (map[string]string, error) {
	named := make(map[string]string)
	for c, err := range log {
		if err != nil {
			return nil, err
		}
		addVerdicts(named, commitmsg.NewLogEntry(c))
	}
	return named, nil
}

// addVerdicts adds the verdicts that a commit names for a person. Those of a batch a person
// restored bear the names of who gave them first.
func addVerdicts(named map[string]string, e *commitmsg.LogEntry) {
	if e.MessageErr != nil || e.Message.Actor != records.Human || e.Message.Verb == "" {
		return
	}
	for _, v := range e.Message.Verdicts {
		if named[v.Digest] = e.Author.Name; e.Message.Verb == commitmsg.VerbApply || e.Message.Verb == commitmsg.VerbPromote {
			named[v.Digest] = ""
		}
	}
}

// namedSince collects what was named between two commits. The few commits of
// the usual case are read one by one, which spares a process.
func namedSince(ctx context.Context, repo *gitstore.Repo, from, to gitstore.OID) (map[string]string, error) {
	named := make(map[string]string)
	at := to
	for range few {
		if at == from {
			return named, nil
		}
		c, err := repo.ReadCommit(ctx, at)
		if err != nil || len(c.Parents) != 1 {
			break
		}
		addVerdicts(named, commitmsg.NewLogEntry(c))
		at = c.Parents[0]
	}
	return namedIn(repo.Log(ctx, gitstore.LogOptions{Tips: []gitstore.OID{to}, Exclude: []gitstore.OID{from}}))
}

// shallowEnds are the commits at which the clone's history ends; none where it is whole.
func shallowEnds(ctx context.Context, repo *gitstore.Repo) ([]*gitstore.Snapshot, error) {
	if !repo.Shallow() {
		return nil, nil
	}
	data, err := os.ReadFile(filepath.Join(repo.CommonDir(), "shallow"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var ends []*gitstore.Snapshot
	for _, oid := range strings.Fields(string(data)) {
		s, err := repo.Snapshot(ctx, oid)
		if err != nil {
			return nil, err
		}
		if _, err := s.OID(records.PolicyFile); err == nil { // the code's history ends somewhere too
			ends = append(ends, s)
		}
	}
	return ends, nil
}
