package vendorbranch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/internal/ledger"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/provenance"
	"github.com/git-ctx/git-ctx/records"
)

// A vendorBranch is the branch of a source while an import adds to it.
type vendorBranch struct {
	source, ref string
	old, base   gitstore.OID // old is "" where the source never gave anything
	held        *gitstore.Snapshot
	last        *gitstore.Snapshot // of the last import: what counts as new
	others      []*vendorBranch    // of other sources
	parents     []gitstore.OID     // of others whose records this one takes on
	taken       map[string][]byte
	joined      map[string]bool // those of taken that a history of the source's has
	allowed     []commitmsg.AllowedSecret
	past        gitstore.OID // the last commit of the source's own history, when it is new
}

// openVendor reads the branch of a source, and those of the others.
func openVendor(ctx context.Context, l *ledger.Ledger, source string) (*vendorBranch, error) {
	w := &vendorBranch{source: source, ref: l.ImportRefs() + source, taken: make(map[string][]byte)}
	var err error
	if w.old, err = l.Repo().Ref(ctx, w.ref); err != nil && !errors.Is(err, gitstore.ErrRefNotFound) {
		return nil, err
	}
	if w.base, w.held, err = vendorBase(ctx, l, w.old); err != nil {
		return nil, err
	}
	w.last = w.held
	if _, err := provenance.ReadPolicy(w.held); err != nil {
		return nil, &provenance.PolicyError{Side: "'" + ledger.ShortRef(w.ref) + "'", Err: err}
	}
	refs, err := l.Repo().Refs(ctx, l.ImportRefs())
	if err != nil {
		return nil, err
	}
	for _, ref := range refs {
		if ref.Name == w.ref {
			continue
		}
		held, err := l.Repo().Snapshot(ctx, string(ref.OID))
		if err != nil {
			return nil, err
		}
		w.others = append(w.others, &vendorBranch{ref: ref.Name, old: ref.OID, held: held})
	}
	return w, nil
}

// before is the record as the source's last import gave it, or nil; one that cannot be read said nothing.
func (w *vendorBranch) before(id records.ID) *records.Record {
	path := records.IDPath(id)
	was, err := w.held.Content(path)
	if err != nil || was == nil {
		return nil
	}
	r, _ := records.Parse(path, was)
	return r
}

// elsewhere reports whether another source gave the record.
func (w *vendorBranch) elsewhere(id records.ID) bool { return w.otherOf(id) != nil }

func (w *vendorBranch) otherOf(id records.ID) *vendorBranch {
	for _, o := range w.others {
		if o.before(id) != nil {
			return o
		}
	}
	return nil
}

// records are all that the branch holds and that can be read.
func (w *vendorBranch) records() ([]*records.Record, error) {
	var out []*records.Record
	err := fs.WalkDir(w.held, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".ctx.yaml") {
			return err
		}
		data, err := fs.ReadFile(w.held, name)
		if err != nil {
			return err
		}
		if r, err := records.Parse(name, data); err == nil {
			out = append(out, r)
		}
		return nil
	})
	return out, err
}

// takeOn makes the branch a continuation of those of other sources that gave one
// of the records: bootstrap's of a decision file, then adr's. Their versions are the
// base of what this source says, and nothing of them is lost.
func (w *vendorBranch) takeOn(rs []*records.Record) error {
	for _, r := range rs {
		if w.before(r.ID) != nil {
			continue
		}
		o := w.otherOf(r.ID)
		if o == nil {
			continue
		}
		all, err := o.records()
		if err != nil {
			return err
		}
		w.parents = append(w.parents, o.old)
		for _, r := range all {
			if path := records.IDPath(r.ID); w.before(r.ID) == nil {
				if w.taken[path], err = o.held.Content(path); err != nil {
					return err
				}
			}
		}
		o.held = w.held // once
	}
	return nil
}

// vendor brings the source's vendor branch up to the given records.
func vendor(ctx context.Context, l *ledger.Ledger, v records.View, source string, rs []*records.Record, when time.Time, o ImportOptions, res *Imported) error {
	if err := l.RefuseMirror(ctx); err != nil {
		return err
	}
	unlock, err := l.Repo().Lock(ctx, ledger.LockWait)
	if err != nil {
		return err
	}
	defer unlock()
	w, err := openVendor(ctx, l, source)
	if err != nil {
		return err
	}
	if o.Reconcile != nil {
		held, err := w.records()
		if err != nil {
			return err
		}
		rs = o.Reconcile(held, rs)
	}
	rs = importable(l, v, w, rs, o, res)
	if !o.SkipTwins {
		if err := w.takeOn(rs); err != nil {
			return err
		}
	}
	if len(o.History) > 0 {
		if err := withHistory(ctx, l, w, o, res); err != nil {
			return err
		}
	}
	changes, err := w.changes(rs, o, res)
	if err != nil {
		return err
	}
	res.Records = rs
	if res.Vendor = w.old; o.DryRun || len(changes) == 0 && w.past == "" {
		return nil
	}
	if len(changes) == 0 {
		if res.Vendor = w.past; w.old == w.past {
			return nil
		}
		return l.Repo().UpdateRefs(ctx, "ctx: import the history of "+source, gitstore.RefUpdate{Name: w.ref, Old: w.old, New: w.past})
	}
	if prev, err := l.Repo().ReadCommit(ctx, w.base); err != nil {
		return err
	} else if when.Before(prev.Committer.When) {
		when = prev.Committer.When
	}
	who := ledger.StoreIdentity(when)
	m := &commitmsg.Message{
		Subject: fmt.Sprintf("import: %d records from %s", len(changes), source),
		Verb:    "import", Actor: cmp.Or(o.Actor, "agent/import"), Allowed: w.allowed,
	}
	if o.Again != "" {
		m.Body = "again: " + o.Again
	}
	if err := l.RefuseSecrets(m); err != nil {
		return err
	}
	c := gitstore.Commit{Parents: append([]gitstore.OID{w.base}, w.parents...), Author: who, Committer: who, Message: m.Format()}
	res.Vendor, err = l.Publish(ctx, c, w.base, w.withTaken(changes), "ctx: "+m.Subject, gitstore.RefUpdate{Name: w.ref, Old: w.old})
	return err
}

// withTaken adds what is taken on from other sources and does not change.
func (w *vendorBranch) withTaken(changes []gitstore.Change) []gitstore.Change {
	changed := make(map[string]bool, len(changes))
	for _, c := range changes {
		changed[c.Path] = true
	}
	for _, path := range slices.Sorted(maps.Keys(w.taken)) {
		if !changed[path] {
			changes = append(changes, gitstore.Change{Path: path, Data: w.taken[path]})
		}
	}
	return changes
}

// changes counts the records against those that the source's branch holds, and
// returns what is to be written of them.
func (w *vendorBranch) changes(rs []*records.Record, o ImportOptions, res *Imported) ([]gitstore.Change, error) {
	var changes []gitstore.Change
	for i, r := range rs {
		if o.Progress != nil {
			o.Progress(i+1, len(rs))
		}
		path := records.IDPath(r.ID)
		was, err := w.held.Content(path)
		if err != nil {
			return nil, err
		}
		if was == nil {
			was = w.taken[path]
		}
		before, _ := records.Parse(path, was) // one that cannot be read said nothing
		if before != nil && o.Renew != nil {
			r = o.Renew(before, r)
		}
		data, err := records.Format(r)
		if err != nil {
			return nil, fmt.Errorf("import %s '%s': %w", r.Kind, r.ID, err)
		}
		if err := w.count(path, was, data, res); err != nil {
			return nil, err
		}
		if string(was) == string(data) {
			continue
		}
		changes = append(changes, gitstore.Change{Path: path, Data: data})
	}
	return changes, nil
}

// count counts a record against the source's last import.
func (w *vendorBranch) count(path string, was, data []byte, res *Imported) error {
	if w.last != w.held || w.joined[path] {
		var err error
		if was, err = w.last.Content(path); err != nil {
			return err
		}
	}
	switch {
	case was == nil:
		res.New++
	case string(was) == string(data):
		res.Same++
	default:
		res.Changed++
	}
	return nil
}

// vendorBase is the commit an import builds on: the source's last one, or the
// root that all stores share.
func vendorBase(ctx context.Context, l *ledger.Ledger, old gitstore.OID) (gitstore.OID, *gitstore.Snapshot, error) {
	base := old
	if base == "" {
		def, err := l.DefaultBranch(ctx)
		if err != nil {
			return "", nil, err
		}
		out, err := l.Repo().Git(ctx, nil, "rev-list", "--max-parents=0", l.HeadRefs()+def, "--")
		if err != nil {
			return "", nil, fmt.Errorf("find the store's root: %w", err)
		}
		if len(out) < 40 {
			return "", nil, errors.New("find the store's root: the default branch has no root commit")
		}
		base = gitstore.OID(firstField(out))
	}
	snap, err := l.Repo().Snapshot(ctx, string(base))
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
