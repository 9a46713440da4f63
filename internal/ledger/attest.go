package ledger

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
	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/records"
)

// A testimony tells which verdicts that claim a person's word were given by a
// verb: a commit that a person's verb made names the verdict by its digest. It
// reads no more of the history than it must.
type testimony struct {
	l *Ledger
	// near are the verdicts named since the commit that is known already, far
	// those of the whole history: digest to author.
	near, far func() (map[string]string, error)
	// cut are the commits at which a shallow clone's history ends.
	cut func() ([]*gitstore.Snapshot, error)
}

// newTestimony hears the history of a commit; what from, "" for nothing, reaches
// was heard before.
func (l *Ledger) newTestimony(ctx context.Context, from, to gitstore.OID) *testimony {
	t := &testimony{l: l, cut: sync.OnceValues(func() ([]*gitstore.Snapshot, error) { return l.shallowEnds(ctx) })}
	t.far = sync.OnceValues(func() (map[string]string, error) {
		return vouchedIn(l.repo.Log(ctx, gitstore.LogOptions{Tips: []gitstore.OID{to}, Grep: "^" + commitmsg.VerdictTrailer + ": "}))
	})
	t.near = t.far
	if from != "" {
		t.near = sync.OnceValues(func() (map[string]string, error) { return l.vouchedSince(ctx, from, to) })
	}
	return t
}

// attested reports whether the history bears a claim out. Only a claim that is
// new to the reader needs the whole of it.
func (t *testimony) attested(c index.Claim, far bool) (bool, error) {
	named, err := t.near()
	if err != nil {
		return false, err
	}
	if author, ok := named[c.Digest]; ok && SameAuthor(author, c.By) {
		return true, nil
	}
	if !far {
		return false, nil
	}
	if named, err = t.far(); err != nil {
		return false, err
	}
	if author, ok := named[c.Digest]; ok && SameAuthor(author, c.By) {
		return true, nil
	}
	return t.beforeCut(c)
}

// SameAuthor reports whether a commit's author answers for a verdict by that name;
// "" answers for any.
func SameAuthor(author, by string) bool {
	return author == "" || records.Normalize(author) == records.Normalize(by)
}

// beforeCut takes on trust what stood already where a shallow clone's history ends.
func (t *testimony) beforeCut(c index.Claim) (bool, error) {
	ends, err := t.cut()
	if err != nil {
		return false, err
	}
	for _, s := range ends {
		r, err := readable(s, records.IDPath(c.Record))
		if err != nil {
			return false, err
		}
		if r != nil && slices.Contains(claimsOf(r), c) {
			return true, nil
		}
	}
	return false, nil
}

// claimsOf lists what a record claims of persons.
func claimsOf(r *records.Record) []index.Claim { return slices.Collect(index.Claims(r)) }

// vouchedIn collects what persons' verbs named in the commits of a history.
func vouchedIn(log func(func(*gitstore.Commit, error) bool)) (map[string]string, error) {
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
		if named[v.Digest] = e.Author.Name; e.Message.Verb == VerbApply || e.Message.Verb == VerbPromote {
			named[v.Digest] = ""
		}
	}
}

// vouchedSince collects what was named between two commits. The few commits of
// the usual case are read one by one, which spares a process.
func (l *Ledger) vouchedSince(ctx context.Context, from, to gitstore.OID) (map[string]string, error) {
	named := make(map[string]string)
	at := to
	for range fewBehind {
		if at == from {
			return named, nil
		}
		c, err := l.repo.ReadCommit(ctx, at)
		if err != nil || len(c.Parents) != 1 {
			break
		}
		addVerdicts(named, commitmsg.NewLogEntry(c))
		at = c.Parents[0]
	}
	return vouchedIn(l.repo.Log(ctx, gitstore.LogOptions{Tips: []gitstore.OID{to}, Exclude: []gitstore.OID{from}}))
}

// shallowEnds are the commits at which the clone's history ends; none where it is whole.
func (l *Ledger) shallowEnds(ctx context.Context) ([]*gitstore.Snapshot, error) {
	if !l.repo.Shallow() {
		return nil, nil
	}
	data, err := os.ReadFile(filepath.Join(l.repo.CommonDir(), "shallow"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var ends []*gitstore.Snapshot
	for _, oid := range strings.Fields(string(data)) {
		s, err := l.repo.Snapshot(ctx, oid)
		if err != nil {
			return nil, err
		}
		if _, err := s.OID(records.PolicyFile); err == nil { // the code's history ends somewhere too
			ends = append(ends, s)
		}
	}
	return ends, nil
}

// vouchedBy lists the verdicts of a transaction that count on this person's
// word. They are read back as a reader will see them.
func (l *Ledger) vouchedBy(tx *Tx) ([]commitmsg.VerdictDigest, error) {
	if l.opts.Author.Actor != records.Human {
		return nil, nil
	}
	var out []commitmsg.VerdictDigest
	for _, id := range tx.Changed() {
		r, _ := tx.Overlay.Record(id)
		if len(claimsOf(r)) == 0 {
			continue
		}
		data, err := records.Format(r)
		if err == nil {
			r, err = records.Parse("", data)
		}
		if err != nil {
			return nil, err
		}
		var was []index.Claim
		if old, ok := tx.before.Record(id); ok {
			was = claimsOf(old)
		}
		for _, c := range claimsOf(r) {
			if !slices.Contains(was, c) {
				out = append(out, commitmsg.VerdictDigest{ID: id, Digest: c.Digest})
			}
		}
	}
	return out, nil
}

// provenanceOf tells of a verdict what the history's answer on a person's word tells.
func provenanceOf(attested func(records.ID, *records.Verdict) bool) func(*records.Record, *records.Verdict) records.Provenance {
	return func(r *records.Record, m *records.Verdict) records.Provenance {
		named := m.Actor == records.Human && (!records.NeedsProvenance(r.Kind, m.State) || attested(r.ID, m))
		return records.Provenance{Named: named}
	}
}

// attested is the judgement of a view on what its records claim of persons.
// A question that cannot be answered counts as no; [View.Err] then tells.
func (v *View) attested(id records.ID, verdict *records.Verdict) bool {
	if v.testimony == nil && len(v.unattested) == 0 {
		return true
	}
	c := index.ClaimOf(id, verdict)
	if v.testimony == nil {
		return !v.unattested[c.Digest]
	}
	ok, err := v.testimony.attested(c, true)
	if err != nil {
		v.failed.Store(&err)
	}
	return ok
}

// attested believes what this transaction itself lets a person say.
func (tx *Tx) attested(id records.ID, verdict *records.Verdict) bool {
	if tx.l.opts.Author.Actor == records.Human && tx.Overlay.Contains(id) {
		old, ok := tx.before.Record(id)
		if !ok || !slices.Contains(claimsOf(old), index.ClaimOf(id, verdict)) {
			return true
		}
	}
	return tx.before.attested(id, verdict)
}

// hear asks for those claims of a record laid over an index that the index has
// not judged.
func (v *View) hear(t *testimony, r *records.Record) error {
	var was []index.Claim
	if old, ok := v.snap.Record(r.ID); ok {
		was = claimsOf(old)
	}
	for _, c := range claimsOf(r) {
		if slices.Contains(was, c) {
			continue
		}
		ok, err := t.attested(c, true)
		if err != nil {
			return err
		}
		if v.unattested == nil {
			v.unattested = make(map[string]bool)
		}
		v.unattested[c.Digest] = !ok
	}
	return nil
}

// GivenIn returns the commit from which on a record has held its present
// verdict; "" when that cannot be told.
func (l *Ledger) GivenIn(ctx context.Context, tip gitstore.OID, r *records.Record) string {
	if r.Verdict == nil {
		return ""
	}
	commit := ""
	digest := records.VerdictDigest(r.ID, r.Verdict)
	for e, err := range l.History(ctx, HistoryQuery{From: []gitstore.OID{tip}, Record: r.ID}) {
		if err != nil {
			return ""
		}
		was, err := l.RecordAt(ctx, e.OID, r.ID)
		if err != nil || was == nil || was.Verdict == nil || records.VerdictDigest(was.ID, was.Verdict) != digest {
			break
		}
		commit = string(e.OID)
	}
	return commit
}
