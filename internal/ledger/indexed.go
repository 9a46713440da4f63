package ledger

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/internal/provenance"
	"github.com/git-ctx/git-ctx/records"
)

// indexDir is where the index of a context branch lives.
func (l *Ledger) indexDir(branch string) string {
	return filepath.Join(l.scopeDir(l.repo.CommonDir()), "index", url.PathEscape(branch))
}

// index returns the branch's index, opened once.
func (l *Ledger) index(branch string) (*index.DB, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if db, ok := l.indexes[branch]; ok {
		return db, nil
	}
	db, err := index.Open(l.indexDir(branch))
	if err != nil {
		return nil, err
	}
	if l.indexes == nil {
		l.indexes = make(map[string]*index.DB)
	}
	l.indexes[branch] = db
	return db, nil
}

// loadIndexed fills v from the index of its branch, bringing that up to v's
// commit first. It reports false when the index cannot be used now: git is read
// instead then.
func (l *Ledger) loadIndexed(ctx context.Context, v *View, forEdit bool) (bool, error) {
	db, err := l.index(v.Branch)
	if errors.Is(err, index.ErrUnavailable) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for range UpdateTries {
		snap, err := db.Begin(ctx)
		if err == nil && snap.Commit() == string(v.Commit) {
			var ok bool
			if ok, err = l.fromSnap(ctx, v, snap); ok {
				return true, nil
			}
		}
		if err == nil && forEdit {
			var ok bool
			if ok, err = l.overSnap(ctx, v, snap); ok {
				return true, nil
			}
		}
		if err == nil {
			err = l.catchUp(ctx, db, snap, v)
		}
		switch {
		case errors.Is(err, index.ErrUnavailable):
			return false, nil
		case err != nil && !errors.Is(err, index.ErrMoved):
			return false, err
		}
	}
	return false, nil // others keep moving it; git is slower and holds still
}

// fromSnap fills v from a snapshot that holds its commit. It reports false when
// the standings in it are for another policy than the one in force here, or for
// the signatures of others.
func (l *Ledger) fromSnap(ctx context.Context, v *View, snap *index.Snap) (bool, error) {
	note := noteOf(snap)
	if note == nil {
		return false, fmt.Errorf("%w: its note on the commit does not read", index.ErrUnavailable)
	}
	v.When = note.When
	v.Policy, v.PolicyErr = provenance.PolicyOf(note.Policy)
	v.hold(note.Loosened)
	review, err := l.policies.InForce(ctx, v.Policy)
	if err != nil || review != snap.Review() {
		return false, err
	}
	if signers, _, err := l.signatures.Counting(ctx, review); err != nil || signers != snap.Signers() {
		return false, err
	}
	if v.faults, err = snap.Faults(); err != nil {
		return false, err
	}
	bad, err := snap.Unreadable()
	if err != nil {
		return false, err
	}
	v.Unreadable = nil
	for _, u := range bad {
		v.Unreadable = append(v.Unreadable, Unreadable(u))
	}
	v.snap, v.View = snap, snap
	return true, nil
}

// loadTip reads a commit, through the index where it is the current branch's tip.
func (l *Ledger) loadTip(ctx context.Context, commit gitstore.OID) (*View, error) {
	branch, err := l.Branch(ctx)
	if err != nil {
		return nil, err
	}
	if tip, _, err := l.BranchTip(ctx, branch); err != nil || tip != commit {
		branch = ""
	}
	return l.Load(ctx, branch, commit)
}

// fewBehind is up to how many records an edit lays over an index that is
// behind rather than move it: the next reader moves it for all at once.
const fewBehind = 16

// overSnap fills v from a snapshot that is a few records behind its commit. It
// reports false when that is not so.
func (l *Ledger) overSnap(ctx context.Context, v *View, snap *index.Snap) (bool, error) {
	from := gitstore.OID(snap.Commit())
	if from == "" {
		return false, nil
	}
	old, err := l.repo.Snapshot(ctx, string(from))
	if err != nil {
		return false, nil // catchUp knows what to make of it
	}
	now, err := l.repo.Snapshot(ctx, string(v.Commit))
	if err != nil {
		return false, err
	}
	behind, policyMoved := 0, false
	err = l.repo.DiffTrees(ctx, old.Tree(), now.Tree(), func(path string, _, _ gitstore.OID) error {
		policyMoved = policyMoved || path == records.PolicyFile
		if behind++; behind > fewBehind {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) || policyMoved {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if follows, err := l.reachesFrom(ctx, from, v.Commit); err != nil || !follows {
		return false, err
	}
	if ok, err := l.fromSnap(ctx, v, snap); !ok || err != nil {
		return false, err
	}
	c, err := l.repo.ReadCommit(ctx, v.Commit)
	if err != nil {
		return false, err
	}
	if rested, err := l.policyRested(ctx, from, c); err != nil || !rested {
		return false, err
	}
	v.When = c.Committer.When
	over := records.NewOverlay(snap)
	verdicts, err := l.verdictsOf(ctx, v.Policy, from, v.Commit)
	if err != nil {
		return false, err
	}
	for c, err := range l.FileChanges(ctx, old.Tree(), now.Tree()) {
		if err != nil {
			return false, err
		}
		if err := l.lay(v, over, verdicts, c); err != nil {
			return false, err
		}
	}
	v.View, v.laid = over, true
	return true, nil
}

// lay lays one changed file over a view that is behind.
func (l *Ledger) lay(v *View, over *records.Overlay, verdicts *provenance.Verdicts, c index.Change) error {
	v.Unreadable = slices.DeleteFunc(v.Unreadable, func(u Unreadable) bool { return u.Path == c.Path })
	id, idErr := records.PathID(c.Path)
	r, err := ParseFile(c.Path, c.Data)
	switch {
	case c.Data != nil && err == nil:
		old, _ := v.snap.Record(r.ID)
		if err := v.faults.Ask(verdicts, r, old); err != nil {
			return err
		}
		over.Put(r)
		return nil
	case c.Data != nil:
		v.Unreadable = append(v.Unreadable, Unreadable{c.Path, err})
	}
	if idErr == nil {
		over.Drop(id)
	}
	return nil
}

// catchUp moves the index from the commit that snap holds to v's, and closes snap.
func (l *Ledger) catchUp(ctx context.Context, db *index.DB, snap *index.Snap, v *View) error {
	from, held := gitstore.OID(snap.Commit()), snap.Len()
	was := noteOf(snap)
	if err := snap.Close(); err != nil {
		return err
	}
	if from != "" {
		// What history proves of a record that did not change holds on as history grows.
		follows, err := l.reachesFrom(ctx, from, v.Commit)
		if err != nil {
			return err
		}
		if !follows {
			return db.Reset()
		}
		behind, err := l.differAtMost(ctx, from, v.Commit, held/2)
		if err != nil {
			return err
		}
		if !behind {
			return db.Reset() // most of it is new: to build anew is quicker
		}
	}
	return l.fillIndex(ctx, db, from, was, v)
}

// reachesFrom reports whether a commit reaches an earlier one. The few commits of the usual case are
// read one by one, which spares a process.
func (l *Ledger) reachesFrom(ctx context.Context, from, to gitstore.OID) (bool, error) {
	for at, n := to, 0; n < fewBehind; n++ {
		if at == from {
			return true, nil
		}
		c, err := l.repo.ReadCommit(ctx, at)
		if err != nil || len(c.Parents) != 1 {
			break
		}
		at = c.Parents[0]
	}
	if _, err := l.repo.ReadCommit(ctx, from); err != nil {
		return false, nil // it is gone from the repository
	}
	return l.repo.IsAncestor(ctx, from, to)
}

// differAtMost reports whether two commits differ at no more than n paths, or
// the first of them is gone from the repository.
func (l *Ledger) differAtMost(ctx context.Context, a, b gitstore.OID, n int) (bool, error) {
	from, err := l.repo.Snapshot(ctx, string(a))
	if err != nil {
		return true, nil // fillIndex knows what to make of it
	}
	to, err := l.repo.Snapshot(ctx, string(b))
	if err != nil {
		return false, err
	}
	count := 0
	err = l.repo.DiffTrees(ctx, from.Tree(), to.Tree(), func(string, gitstore.OID, gitstore.OID) error {
		if count++; count > n+fewBehind {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return false, nil
	}
	return err == nil, err
}

// fillIndex moves an index from a commit, "" when it holds nothing, to v's. Was is
// the note on the former.
func (l *Ledger) fillIndex(ctx context.Context, db *index.DB, from gitstore.OID, was *headNote, v *View) error {
	to, err := l.repo.Snapshot(ctx, string(v.Commit))
	if err != nil {
		return fmt.Errorf("read store commit %s: %w", v.Commit, err)
	}
	var fromTree gitstore.OID
	if from != "" {
		old, err := l.repo.Snapshot(ctx, string(from))
		var missing *gitstore.MissingObjectError
		if errors.As(err, &missing) || errors.Is(err, gitstore.ErrUnknownRevision) {
			return db.Reset() // what it holds is gone from the repository
		}
		if err != nil {
			return err
		}
		fromTree = old.Tree()
	}
	note, policy, err := l.headNote(ctx, from, was, v.Commit, to)
	if err != nil {
		return err
	}
	review, err := l.policies.InForce(ctx, policy)
	if err != nil {
		return err
	}
	verdicts, err := l.verdictsOf(ctx, policy, from, v.Commit)
	if err != nil {
		return err
	}
	head := index.Head{Commit: string(v.Commit), Note: note, History: verdicts}
	if head.Signers, head.Signed, err = l.signatures.Counting(ctx, review); err != nil {
		return err
	}
	return db.Update(ctx, string(from), head, review, l.FileChanges(ctx, fromTree, to.Tree()))
}

// errEnough ends a read whose reader wants no more.
var errEnough = errors.New("enough")

// fewBlobs is up to how many objects are read one by one, which spares the
// start of a process where they are loose.
const fewBlobs = 32

// withoutIndex makes later loads read git.
func (l *Ledger) withoutIndex() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opts.NoIndex = true
}

func (l *Ledger) indexAllowed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.opts.NoIndex
}

// track remembers a view for [Ledger.Close].
func (l *Ledger) track(v *View) {
	if v.snap == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.views = slices.DeleteFunc(l.views, func(o *View) bool { return o.snap.Closed() })
	l.views = append(l.views, v)
}

// Finish ends the use of the views that the ledger handed out. The error is that
// of a view which could not be read whole: what was answered from it may be
// wrong. The index stays open to the end of the process: to close it costs a
// write to disk, which a command that ends anyway need not wait for.
func (l *Ledger) Finish() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var errs []error
	for _, v := range l.views {
		errs = append(errs, v.Close())
	}
	l.views = nil
	l.signatures.Save()
	return errors.Join(errs...)
}

// Close is Finish for a process that goes on.
func (l *Ledger) Close() error {
	err := l.Finish()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, db := range l.indexes {
		_ = db.Close() // nothing in it is worth more than git's own
	}
	l.indexes = nil
	return err
}
