// Package purge takes records out of all history: it rewrites every ref of ours,
// drops the objects and what is kept beside them, and applies the receipts by
// which other clones do the same. It never touches what is not below refs/ctx,
// and it returns an error unless what it was to take out is gone.
package purge

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// A Purged tells what a purge did, or would do. It never holds what was purged.
type Purged struct {
	IDs []records.ID
	// Versions counts the files that are taken out, Commits those rewritten.
	Versions, Commits int
	Refs              []gitstore.RefUpdate // that moved
	// Objects counts what was taken out of the repository.
	Objects int
	// Quoted are the records that still hold a text of the purged ones, and
	// Elsewhere other objects that do.
	Quoted    []records.ID
	Elsewhere []gitstore.OID
	// Files are files beside git's objects that hold such a text.
	Files []string
	// Alternates are object directories that cannot be reached from here.
	Alternates []string
	// Remotes may hold the old history.
	Remotes []string
	// Kept counts the objects that stay, as something beside our refs reaches
	// them, and KeptBy names what does.
	Kept   int
	KeptBy []string
	// Faults are receipts that count for nothing.
	Faults []*ledger.ReceiptFault
}

// A ReachedError says that a ref of ours leads again to what is to be dropped.
type ReachedError struct{ Objects []gitstore.OID }

func (e *ReachedError) Error() string {
	return fmt.Sprintf("a ref below refs/ctx was moved meanwhile and reaches what is to be purged, as %s is: nothing was dropped", e.Objects[0].Short())
}

// KeptNote says what stays of a purge, and why.
func (r *Purged) KeptNote() string {
	return fmt.Sprintf("%d purged objects stay, as they are reached outside refs/ctx by: %s", r.Kept, strings.Join(r.KeptBy, ", "))
}

// Run takes records out of the whole history of every ref of ours: their
// files, what messages say of them, the indexes, reflogs and objects. It leaves
// tombstones and receipts, by which other clones do the same, and ends with a
// look at every object in the repository. Killed anywhere, it may be run again
// and finishes. With dry nothing is changed.
func Run(ctx context.Context, l *ledger.Ledger, names []string, reason string, dry bool) (*Purged, error) {
	if reason = strings.TrimSpace(reason); reason == "" {
		return nil, &grammar.ReasonError{Verb: ledger.VerbPurge}
	}
	if err := l.RefuseSecrets(&commitmsg.Message{Body: reason}); err != nil {
		return nil, err
	}
	signs, err := l.SignsPurges(ctx)
	if err != nil {
		return nil, err
	}
	release, err := l.LockAll(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	p := newPurging(l)
	p.signs = signs && !dry
	if err := p.find(ctx, names, reason); err != nil {
		return nil, err
	}
	// Of what others purged only what was confirmed here goes with it.
	if err := p.gather(ctx, nil); err != nil {
		return nil, err
	}
	p.rs = p.without(p.waits)
	if err := p.look(ctx); err != nil {
		return nil, err
	}
	if !dry {
		if err := confirm(l, p.doomed()); err != nil {
			return nil, err
		}
	}
	if err := p.rewrite(ctx, dry); err != nil || dry {
		return p.res, err
	}
	if err := p.clean(ctx); err != nil {
		return p.res, err
	}
	return p.res, p.prove(ctx)
}

func newPurging(l *ledger.Ledger) *purging {
	return &purging{l: l, res: &Purged{}, fresh: make(ledger.Receipts), graves: make(map[records.ID][]byte)}
}

// purging is one purge under way, or one application of receipts.
type purging struct {
	l   *ledger.Ledger
	res *Purged

	fresh  ledger.Receipts             // those that this purge makes
	graves map[records.ID][]byte       // and the tombstones to each
	rs     ledger.Receipts             // those that are to act, the fresh ones among them
	waits  []records.ID                // of the sound ones there are, what nobody confirmed here
	signs  bool                        // the fresh ones
	refs   []gitstore.Ref              // of ours, what symbolic ones stand for
	tips   []gitstore.OID              // of the refs, and others to rewrite
	asides []gitstore.Ref              // that keep what waits for a person
	listed map[gitstore.OID]records.ID // the blobs that are to go, and whose they are
	graph  *gitstore.ObjectGraph

	titles []string // of the purged, in all versions
	texts  []string // lines of theirs to look for
	moved  map[gitstore.OID]gitstore.OID
	kept   map[gitstore.OID]bool // of what is to go, what something of the user's reaches
	aside  bool                  // old tips are kept under refs of their own
}

// find resolves the records on the current branch and makes their tombstones.
func (p *purging) find(ctx context.Context, names []string, reason string) error {
	graves, by, err := p.l.Tombstones(ctx, ledger.VerbPurge, names, reason)
	if err != nil {
		return err
	}
	for _, grave := range graves {
		if p.graves[grave.ID], err = records.Format(grave); err != nil {
			return err
		}
		p.res.IDs = append(p.res.IDs, grave.ID)
		p.fresh[grave.ID] = &records.Receipt{ID: grave.ID, Reason: reason, By: by, Actor: p.l.Author().Actor, At: p.l.Now()}
	}
	return nil
}

// look finds every version of the records in any object, and refuses what cannot be done.
func (p *purging) look(ctx context.Context) error {
	if p.l.Repo().Shallow() {
		return errors.New("this clone has part of the history only, and would not rewrite it as others do; fetch the rest with 'git fetch --unshallow'")
	}
	for _, ref := range p.refs {
		if !p.local(ref.Name) {
			continue
		}
		if err := p.notCheckedOut(ctx, ref.Name); err != nil {
			return err
		}
	}
	p.listed = make(map[gitstore.OID]records.ID)
	names := make(map[string]bool)
	for _, id := range append(p.fresh.IDs(), p.rs.IDs()...) {
		names[fileName(id)] = true
	}
	known := p.rs.Blobs()
	var err error
	if p.graph, err = p.l.Repo().Graph(ctx, known, names); err != nil {
		return err
	}
	for name := range names {
		if err := p.versions(ctx, records.ID(strings.TrimSuffix(name, recordSuffix))); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(p.doomed(), func(oid gitstore.OID) bool { return !slices.Contains(known, oid) }) {
		// What holds these under other names is known only now.
		if p.graph, err = p.l.Repo().Graph(ctx, p.doomed(), names); err != nil {
			return err
		}
	}
	return p.readTexts(ctx)
}

const recordSuffix = ".ctx.yaml"

func fileName(id records.ID) string { return string(id) + recordSuffix }

// gather lists the refs of ours and what counts of their receipts. More are tips
// that no ref names.
func (p *purging) gather(ctx context.Context, more []gitstore.OID) error {
	refs, err := p.l.Repo().AllRefs(ctx, "refs/ctx/")
	if err != nil {
		return err
	}
	p.refs, p.tips, p.asides = nil, nil, nil
	for _, ref := range refs {
		switch {
		case ledger.IsClaimRef(ref.Name):
			continue
		case strings.HasPrefix(ref.Name, ledger.ReceivedRefs):
			p.asides = append(p.asides, ref)
			continue
		}
		if _, err := p.l.Repo().ReadCommit(ctx, ref.OID); err != nil {
			continue // fsck names it
		}
		target, err := p.l.Repo().SymbolicTarget(ctx, ref.Name)
		if err != nil {
			return err
		}
		if target != "" {
			ref.Name = target
		}
		if !slices.Contains(p.refs, ref) {
			p.refs, p.tips = append(p.refs, ref), append(p.tips, ref.OID)
		}
	}
	p.tips = append(p.tips, more...)
	slices.Sort(p.tips)
	p.tips = slices.Compact(p.tips)
	return p.gatherReceipts(ctx)
}

// gatherReceipts reads what counts of the receipts at the tips, and what of it waits.
func (p *purging) gatherReceipts(ctx context.Context) error {
	rs, faults, err := p.l.ReceiptsOf(ctx, p.tips...)
	if err != nil {
		return err
	}
	p.res.Faults = faults
	if len(p.fresh) == 0 {
		if present, err := p.l.Repo().Present(ctx, rs.Blobs()); err != nil || len(present) == 0 {
			return err // what they list is gone or never was here
		}
	}
	if p.rs, faults, err = p.l.SoundReceipts(ctx, rs, p.tips...); err != nil {
		return err
	}
	p.res.Faults = append(p.res.Faults, faults...)
	p.waits, err = waiting(ctx, p.l, p.rs)
	return err
}

// without returns the receipts of all but some records.
func (p *purging) without(ids []records.ID) ledger.Receipts {
	rs := maps.Clone(p.rs)
	maps.DeleteFunc(rs, func(id records.ID, _ *records.Receipt) bool { return slices.Contains(ids, id) })
	if rs == nil {
		rs = make(ledger.Receipts)
	}
	return rs
}

// notCheckedOut refuses a branch that somebody has checked out: it cannot be moved.
func (p *purging) notCheckedOut(ctx context.Context, ref string) error {
	dir, err := p.l.Repo().CheckedOut(ctx, ref)
	if err != nil || dir == "" {
		return err
	}
	branch := strings.TrimPrefix(strings.TrimPrefix(ref, p.l.HeadRefs()), ledger.CheckoutPrefix)
	return &ledger.BranchError{Branch: branch, Why: fmt.Sprintf("it is checked out in '%s', and its history is to be rewritten", dir),
		Hint: "commit there, then git ctx worktree remove " + dir}
}

// versions finds every version of a record that is not a tombstone, those of
// unreachable commits and those that no receipt lists too, and puts them on the
// receipt that is to be made.
func (p *purging) versions(ctx context.Context, id records.ID) error {
	var blobs []string
	for _, oid := range p.graph.Named(fileName(id)) {
		data, err := p.l.Repo().ReadBlob(ctx, oid)
		var missing *gitstore.MissingObjectError
		if errors.As(err, &missing) {
			continue // dropped before, and named by a tree that is not gone yet
		}
		if err != nil {
			return err
		}
		if r, err := records.Parse("", data); err == nil && r.Forgotten() || !ledger.IsVersion(id, data) {
			continue
		}
		p.listed[oid] = id
		blobs = append(blobs, string(oid))
	}
	known, err := confirmed(p.l)
	if err != nil {
		return err
	}
	old, fresh := p.rs[id], p.fresh[id]
	if old != nil {
		// Of what it lists only what stands under the record's own name, or did
		// when it was purged or confirmed here.
		for _, b := range old.Blobs {
			if oid := gitstore.OID(b); slices.Contains(p.graph.Named(fileName(id)), oid) || slices.Contains(known, oid) {
				p.listed[oid] = id
			}
		}
	}
	switch {
	case fresh == nil:
		return nil
	case old != nil && !slices.ContainsFunc(blobs, func(b string) bool { return !slices.Contains(old.Blobs, b) }):
		delete(p.fresh, id) // its receipt says all of it
		return nil
	}
	r := *fresh
	r.Blobs = blobs
	p.res.Versions += len(blobs)
	p.fresh[id] = &r
	return p.rs.Add(&r)
}

// doomed lists the blobs that are to go, sorted.
func (p *purging) doomed() []gitstore.OID { return slices.Sorted(maps.Keys(p.listed)) }

// readTexts gathers what the versions say, of those that are here.
func (p *purging) readTexts(ctx context.Context) error {
	present, err := p.l.Repo().Present(ctx, p.doomed())
	if err != nil {
		return err
	}
	for _, oid := range present {
		data, err := p.l.Repo().ReadBlob(ctx, oid)
		if err != nil {
			return err
		}
		r, err := records.Parse("", data)
		if err != nil {
			continue // its bytes go all the same
		}
		if r.Title != "" {
			p.titles = append(p.titles, r.Title)
		}
		p.texts = append(p.texts, textLines(r)...)
	}
	slices.Sort(p.titles)
	p.titles = slices.Compact(p.titles)
	slices.Sort(p.texts)
	p.texts = slices.Compact(p.texts)
	return nil
}

// longText is the number of characters from which a line is one of its own
// record, and not of any.
const longText = 16

// textLines are the lines of a record's texts that are long enough to tell it from others.
func textLines(r *records.Record) []string {
	var lines []string
	for field, t := range r.Texts() {
		switch {
		case field == "paths" || field == "anchors.path": // names of code, which many records give
			continue
		case strings.HasPrefix(field, "x-"):
			_, t, _ = strings.Cut(t, ": ") // behind its key
		}
		for line := range strings.Lines(t) {
			if line = strings.TrimSpace(line); len([]rune(line)) >= longText {
				lines = append(lines, line)
			}
		}
	}
	return lines
}
