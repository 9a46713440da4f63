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

// Verdicts tells what the history of a commit proves about the verdicts of records:
// who gave them, and whether they stand where a later or weightier one stood. It reads no more
// of the history than it must, and is safe for concurrent use.
type Verdicts struct {
	ctx  context.Context
	repo *gitstore.Repo
	o    VerdictOptions
	// near is what is named since the commit that is known already, far what the
	// whole history names.
	near, far func() (namings, error)
}

// VerdictOptions say of which history to tell, and whose word counts.
type VerdictOptions struct {
	// To is the commit; what From, "" for nothing, reaches is known already.
	From, To gitstore.OID
	// Cache is a file that keeps what the history names, "" for none.
	Cache string
	// Review is the policy in force.
	Review records.Review
	// Signed reports whether a verdict bears a signature that counts; nil knows none.
	Signed func(*records.Record, *records.Verdict) bool
}

// NewVerdicts returns what tells of a history. It reads nothing yet.
func NewVerdicts(ctx context.Context, repo *gitstore.Repo, o VerdictOptions) *Verdicts {
	t := &Verdicts{ctx: ctx, repo: repo, o: o}
	t.far = sync.OnceValues(func() (namings, error) { return namedBy(ctx, repo, o.Cache, o.To) })
	t.near = sync.OnceValues(func() (namings, error) {
		if o.From == "" {
			return nil, nil
		}
		return namedSince(ctx, repo, o.From, o.To)
	})
	return t
}

// Named tells which records are named since the commit that is known already, and of
// each whether a verdict of it is.
func (t *Verdicts) Named() (map[records.ID]bool, error) {
	near, err := t.near()
	named := make(map[records.ID]bool, len(near))
	for id, list := range near {
		named[id] = slices.ContainsFunc(list, naming.isVerdict)
	}
	return named, err
}

// Provenance tells what the history proves about one verdict of a record.
func (t *Verdicts) Provenance(r *records.Record, m *records.Verdict) (records.Provenance, error) {
	digest := records.VerdictDigest(r.ID, m)
	near, err := t.near()
	if err != nil {
		return records.Provenance{}, err
	}
	if t.fresh(near[r.ID], r, m, digest) {
		return records.Provenance{Named: m.Actor == records.Human}, nil
	}
	far, err := t.far()
	if err != nil {
		return records.Provenance{}, err
	}
	var p records.Provenance
	list := far[r.ID]
	for i, n := range list {
		if !n.names(m, digest) {
			continue
		}
		p.Named = m.Actor == records.Human
		if p.Displaced == "" {
			if p.Displaced, err = t.displaced(list[:i], n, r, m); err != nil {
				return p, err
			}
		}
		if m.Actor != records.Human && !n.brings() {
			break // an import gives the verdict of its source again where the source does
		}
	}
	if p.Displaced == "" && !t.persons(r, m, p.Named) {
		p.Over, err = t.over(list, r, m, digest)
	}
	return p, err
}

// fresh reports whether a verb gave the verdict among the few commits since the one that
// is known. Such a verdict has a nonce of its own, and the verb was bound by the table of who may
// move what. Under signed only signatures count, so that is not relied on.
func (t *Verdicts) fresh(near []naming, r *records.Record, m *records.Verdict, digest string) bool {
	if len(near) == 0 || t.o.Review == records.ReviewSigned {
		return false
	}
	n := near[0]
	if n.names(m, digest) && n.verb != "" {
		return !n.brings()
	}
	birth := m.Asks == "" && m.Actor != records.Human && m.State == r.Kind.Schema().Birth()
	return birth && len(near) == 1 && n.digest == "" && n.verb == "add"
}

// persons reports whether a verdict counts as a person's under the policy.
func (t *Verdicts) persons(r *records.Record, m *records.Verdict, named bool) bool {
	if t.o.Review == records.ReviewSigned {
		return t.o.Signed != nil && t.o.Signed(r, m)
	}
	return named
}

// displaced returns the first commit after n that names another verdict of the record,
// of the same weight at least.
func (t *Verdicts) displaced(later []naming, n naming, r *records.Record, m *records.Verdict) (string, error) {
	for _, d := range slices.Backward(later) {
		if !d.isVerdict() || d.commit == n.commit || d.digest == n.digest || t.persons(r, m, true) && !d.person() {
			continue
		}
		if after, err := t.repo.IsAncestor(t.ctx, n.commit, d.commit); err != nil || !after {
			if err != nil {
				return "", err
			}
			continue
		}
		at, v, err := t.bundle(r.ID, d)
		if err != nil {
			return "", err
		}
		if v != nil && (!t.persons(r, m, m.Actor == records.Human) || t.persons(at, v, true)) {
			return string(d.commit), nil
		}
	}
	return "", nil
}

// over returns the commit that put a verdict of lower rank where a person's stood,
// though the table of who may move what does not let it.
func (t *Verdicts) over(list []naming, r *records.Record, m *records.Verdict, digest string) (string, error) {
	own := slices.IndexFunc(list, func(n naming) bool { return n.names(m, digest) })
	for i, p := range list {
		if !p.isVerdict() || !p.person() {
			continue
		}
		at, v, err := t.bundle(r.ID, p)
		if err != nil {
			return "", err
		}
		if v == nil || !t.persons(at, v, true) {
			continue
		}
		asked := m.Asks != "" && v.Of != "" && v.Of != r.Digest() // the content changed since
		if asked || records.OverHigher(r.Kind, v.State, m.State) == records.Acts || hasVerdict(r, p.digest) {
			return "", nil
		}
		if own >= 0 && own < i {
			after, err := t.repo.IsAncestor(t.ctx, p.commit, list[own].commit)
			if err != nil || !after {
				return "", err
			}
			return string(list[own].commit), nil
		}
		return t.brought(r.ID, digest)
	}
	return "", nil
}

func hasVerdict(r *records.Record, digest string) bool {
	for m := range records.Verdicts(r) {
		if records.VerdictDigest(r.ID, m) == digest {
			return true
		}
	}
	return false
}

// bundle reads the verdict that a commit names, and its record; nil where it has none such.
func (t *Verdicts) bundle(id records.ID, n naming) (*records.Record, *records.Verdict, error) {
	r, err := recordAt(t.ctx, t.repo, n.commit, id)
	if r == nil || err != nil {
		return nil, nil, err
	}
	for m := range records.Verdicts(r) {
		if records.VerdictDigest(id, m) == n.digest {
			return r, m, nil
		}
	}
	return nil, nil, nil
}

// brought finds the commit from which on a record has had a verdict.
func (t *Verdicts) brought(id records.ID, digest string) (string, error) {
	commit := t.o.To
	for c, err := range t.repo.Log(t.ctx, gitstore.LogOptions{Tips: []gitstore.OID{t.o.To}, Paths: []string{records.IDPath(id)}}) {
		if err != nil {
			return "", err
		}
		r, err := recordAt(t.ctx, t.repo, c.OID, id)
		if err != nil {
			return "", err
		}
		if r == nil || !hasVerdict(r, digest) {
			break
		}
		commit = c.OID
	}
	return string(commit), nil
}

// recordAt reads a record of a commit; nil where it has none that decodes.
func recordAt(ctx context.Context, repo *gitstore.Repo, commit gitstore.OID, id records.ID) (*records.Record, error) {
	s, err := repo.Snapshot(ctx, string(commit))
	if err != nil {
		return nil, err
	}
	path := records.IDPath(id)
	data, err := s.Content(path)
	if err != nil || data == nil {
		return nil, err
	}
	r, err := records.Parse(path, data)
	var unreadable *records.SyntaxError
	if errors.As(err, &unreadable) {
		return nil, nil
	}
	return r, err
}

// Loss tells whether a record's tombstone is one that nobody who may put there; nil where
// it is sound or there is none.
func (t *Verdicts) Loss(r *records.Record) (*records.Loss, error) {
	if r.Tombstone == nil {
		return nil, nil
	}
	digest := records.TombstoneDigest(r)
	near, err := t.near()
	if err != nil {
		return nil, err
	}
	forgot := func(n naming) bool { return n.digest == digest && n.as == commitmsg.AsTombstone && n.verb != "" }
	if slices.ContainsFunc(near[r.ID], forgot) {
		return nil, nil
	}
	far, err := t.far()
	if err != nil || slices.ContainsFunc(far[r.ID], forgot) {
		return nil, err
	}
	commit := t.o.To
	for c, err := range t.repo.Log(t.ctx, gitstore.LogOptions{Tips: []gitstore.OID{t.o.To}, Paths: []string{records.IDPath(r.ID)}}) {
		if err != nil {
			return nil, err
		}
		was, err := recordAt(t.ctx, t.repo, c.OID, r.ID)
		if err != nil {
			return nil, err
		}
		if was == nil || was.Tombstone == nil {
			break
		}
		commit = c.OID
	}
	return &records.Loss{Rule: records.RuleTombstone, Commit: string(commit)}, nil
}

// SameAuthor reports whether a commit's author answers for a verdict by that name;
// "" answers for any.
func SameAuthor(author, by string) bool {
	return author == "" || records.Normalize(author) == records.Normalize(by)
}

// namedSince collects what was named between two commits. The few commits of
// the usual case are read one by one, which spares a process.
func namedSince(ctx context.Context, repo *gitstore.Repo, from, to gitstore.OID) (namings, error) {
	g := make(namings)
	at := to
	for range few {
		if at == from {
			return g, nil
		}
		c, err := repo.ReadCommit(ctx, at)
		if err != nil || len(c.Parents) != 1 {
			break
		}
		g.add(commitmsg.NewLogEntry(c))
		at = c.Parents[0]
	}
	g = make(namings)
	return g, g.read(repo.Log(ctx, gitstore.LogOptions{Tips: []gitstore.OID{to}, Exclude: []gitstore.OID{from}, Grep: interesting}))
}

// shallowEnds are the commits at which the clone's history ends; none where it is whole.
func shallowEnds(ctx context.Context, repo *gitstore.Repo) ([]gitstore.OID, error) {
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
	var ends []gitstore.OID
	for _, oid := range strings.Fields(string(data)) {
		s, err := repo.Snapshot(ctx, oid)
		if err != nil {
			return nil, err
		}
		if _, err := s.OID(records.PolicyFile); err == nil { // the code's history ends somewhere too
			ends = append(ends, gitstore.OID(oid))
		}
	}
	return ends, nil
}
