package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/lazyregexp"
	"github.com/git-ctx/git-ctx/records"
)

// An Imported tells what an import did.
type Imported struct {
	// Vendor is the tip of refs/ctx/imports/<source> after it.
	Vendor gitstore.OID
	// New and Changed count the records against the source's last import.
	New, Changed, Same int
	// Forgotten are the records that were left out, as they are forgotten here.
	Forgotten []records.ID
	// Twins are those that were left out as the branch holds their text already;
	// see [ImportOptions.SkipTwins].
	Twins []Twin
	// Merged is nil in a dry run, and where the source has never given a record.
	*Merged
}

var sourceName = lazyregexp.New(`^[a-z0-9][a-z0-9-]*$`)

// A Twin is a record that an import left out, and the one that has its text.
type Twin struct {
	ID, Of records.ID
	State  records.State // of the latter; records.Forgotten when it is forgotten
}

// ImportOptions are the choices of an import.
type ImportOptions struct {
	DryRun bool
	// Again is the reason to take over what was ruled out here.
	Again string
	// Actor is who imports; "" is agent/import.
	Actor records.Actor
	// SkipTwins leaves new records out whose text another record of their kind has
	// on the branch, in force or ruled out.
	SkipTwins bool
	// Renew gives what to commit of a record that the source's last import gave
	// before: was itself when there is nothing new. Nil takes the new one as it is.
	Renew func(was, now *records.Record) *records.Record
}

// Import commits records on their source's vendor branch, with the source's
// own time, and merges that branch into the current one. The same records
// change nothing; a record changed at the source meets local edits in the merge.
// The vendor commit depends on the records alone, so clones that import the
// same agree.
func (l *Ledger) Import(ctx context.Context, source string, rs []*records.Record, when time.Time, o ImportOptions) (*Imported, error) {
	if !sourceName.MatchString(source) {
		return nil, fmt.Errorf("import source '%s': a name is of small letters, digits and hyphens", source)
	}
	branch, err := l.Branch(ctx)
	if err != nil {
		return nil, err
	}
	tip, _, err := l.BranchTip(ctx, branch)
	if err != nil {
		return nil, err
	}
	if err := l.formatAllowsWrites(ctx, tip); err != nil { // before anything is written, the source's branch included
		return nil, err
	}
	res := &Imported{}
	if rs, err = l.importable(ctx, branch, tip, rs, o, res); err != nil {
		return nil, err
	}
	if err := l.vendor(ctx, source, rs, when, o, res); err != nil {
		return nil, err
	}
	if o.DryRun || res.Vendor == "" { // the source gave nothing, and never did
		return res, nil
	}
	res.Merged, err = l.Merge(ctx, l.ImportRefs()+source, MergeOptions{Subject: fmt.Sprintf("import: %s into %s", source, branch)})
	return res, err
}

// importable leaves out the records that are forgotten on the branch, so that
// their text does not come back by the vendor branch either, and refuses those
// that are new and say what was ruled out.
func (l *Ledger) importable(ctx context.Context, branch string, tip gitstore.OID, rs []*records.Record, o ImportOptions, res *Imported) ([]*records.Record, error) {
	v, err := l.load(ctx, branch, tip)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	var kept []*records.Record
	for _, r := range rs {
		old, known := v.Record(r.ID)
		if known && old.Forgotten() {
			res.Forgotten = append(res.Forgotten, r.ID)
			continue
		}
		if !known && o.SkipTwins {
			if twin := twinOf(v, r); twin != nil {
				res.Twins = append(res.Twins, *twin)
				continue
			}
		}
		if !known && o.Again == "" {
			if err := refuseRuledOut(v, r); err != nil {
				return nil, fmt.Errorf("import %s '%s': %w", r.Kind, r.ID, err)
			}
		}
		kept = append(kept, r)
	}
	return kept, v.Err()
}

// twinOf finds another record with the text of r, one that is ruled out first; nil when there is none.
func twinOf(v records.View, r *records.Record) *Twin {
	if dead := ruledOut(v, r); len(dead) > 0 {
		if dead[0].Forgotten() {
			return &Twin{r.ID, dead[0].ID, records.Forgotten}
		}
		return &Twin{r.ID, dead[0].ID, stateIn(v, dead[0])}
	}
	for _, id := range v.Titled(r.Kind, records.Normalize(r.Title)) {
		if o, ok := v.Record(id); ok && id != r.ID && !o.Forgotten() {
			return &Twin{r.ID, id, stateIn(v, o)}
		}
	}
	return nil
}

// vendor brings the source's vendor branch up to the given records.
func (l *Ledger) vendor(ctx context.Context, source string, rs []*records.Record, when time.Time, o ImportOptions, res *Imported) error {
	if err := l.RefuseMirror(ctx); err != nil {
		return err
	}
	unlock, err := l.repo.Lock(ctx, LockWait)
	if err != nil {
		return err
	}
	defer unlock()
	ref := l.ImportRefs() + source
	old, err := l.repo.Ref(ctx, ref)
	if err != nil && !errors.Is(err, gitstore.ErrRefNotFound) {
		return err
	}
	base, held, err := l.vendorBase(ctx, old)
	if err != nil {
		return err
	}
	if _, err := ReadPolicy(held); err != nil {
		return &PolicyError{Side: "'" + ShortRef(ref) + "'", Err: err}
	}
	scan := l.scanSecrets()
	changes, err := vendorChanges(held, rs, o.Renew, scan, res)
	if err != nil {
		return err
	}
	if err := scan.err(); err != nil {
		return err
	}
	if res.Vendor = old; len(changes) == 0 || o.DryRun {
		return nil
	}
	if prev, err := l.repo.ReadCommit(ctx, base); err != nil {
		return err
	} else if when.Before(prev.Committer.When) {
		when = prev.Committer.When
	}
	who := storeIdentity(when)
	m := &commitmsg.Message{
		Subject: fmt.Sprintf("import: %d records from %s", len(changes), source),
		Verb:    "import", Actor: cmp.Or(o.Actor, "agent/import"),
	}
	if o.Again != "" {
		m.Body = "again: " + o.Again
	}
	m.Allowed = scan.allowed
	if err := l.RefuseSecrets(m); err != nil {
		return err
	}
	c := gitstore.Commit{Parents: []gitstore.OID{base}, Author: who, Committer: who, Message: m.Format()}
	res.Vendor, err = l.publish(ctx, c, base, changes, "ctx: "+m.Subject, gitstore.RefUpdate{Name: ref, Old: old})
	return err
}

// vendorChanges counts the records against those that the source's branch
// holds, and returns what is to be written of them, after it has scanned that.
func vendorChanges(held *gitstore.Snapshot, rs []*records.Record, renew func(was, now *records.Record) *records.Record, scan *secretScan, res *Imported) ([]gitstore.Change, error) {
	var changes []gitstore.Change
	for _, r := range rs {
		path := records.IDPath(r.ID)
		was, err := contentOf(held, path)
		if err != nil {
			return nil, err
		}
		before, _ := records.Parse(path, was) // one that cannot be read said nothing
		if before != nil && renew != nil {
			r = renew(before, r)
		}
		data, err := records.Format(r)
		switch {
		case err != nil:
			return nil, fmt.Errorf("import %s '%s': %w", r.Kind, r.ID, err)
		case was == nil:
			res.New++
		case string(was) == string(data):
			res.Same++
			continue
		default:
			res.Changed++
		}
		scan.record(r, before)
		changes = append(changes, gitstore.Change{Path: path, Data: data})
	}
	return changes, nil
}

// vendorBase is the commit an import builds on: the source's last one, or the
// root that all stores share.
func (l *Ledger) vendorBase(ctx context.Context, old gitstore.OID) (gitstore.OID, *gitstore.Snapshot, error) {
	base := old
	if base == "" {
		def, err := l.DefaultBranch(ctx)
		if err != nil {
			return "", nil, err
		}
		out, err := l.repo.Git(ctx, nil, "rev-list", "--max-parents=0", l.HeadRefs()+def, "--")
		if err != nil {
			return "", nil, fmt.Errorf("find the store's root: %w", err)
		}
		if len(out) < 40 {
			return "", nil, errors.New("find the store's root: the default branch has no root commit")
		}
		base = gitstore.OID(firstField(out))
	}
	snap, err := l.repo.Snapshot(ctx, string(base))
	return base, snap, err
}

func firstField(b []byte) string {
	for i, c := range b {
		if c == '\n' || c == ' ' {
			return string(b[:i])
		}
	}
	return string(b)
}
