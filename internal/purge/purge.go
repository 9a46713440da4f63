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
}

// A ReachedError says that something beside the context branches needs what is to be purged.
type ReachedError struct{ Objects []gitstore.OID }

func (e *ReachedError) Error() string {
	return fmt.Sprintf("%d objects to be purged are reached by a ref, HEAD or index outside refs/ctx, as %s is: purge rewrites context alone",
		len(e.Objects), e.Objects[0].Short())
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
	release, err := l.LockAll(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	p := &purging{l: l, res: &Purged{}, fresh: make(ledger.Receipts), graves: make(map[records.ID][]byte)}
	if err := p.find(ctx, names, reason); err != nil {
		return nil, err
	}
	if err := p.look(ctx, nil); err != nil {
		return nil, err
	}
	if err := p.rewrite(ctx, dry); err != nil || dry {
		return p.res, err
	}
	if err := p.clean(ctx); err != nil {
		return p.res, err
	}
	return p.res, p.prove(ctx)
}

// purging is one purge under way, or one application of receipts.
type purging struct {
	l   *ledger.Ledger
	res *Purged

	fresh  ledger.Receipts             // those that this purge makes
	graves map[records.ID][]byte       // and the tombstones to each
	rs     ledger.Receipts             // all that are known
	refs   []gitstore.Ref              // of ours, what symbolic ones stand for
	tips   []gitstore.OID              // of the refs, and others to rewrite
	listed map[gitstore.OID]records.ID // the blobs that are to go, and whose they are
	graph  *gitstore.ObjectGraph

	titles []string // of the purged, in all versions
	texts  []string // lines of theirs to look for
	moved  map[gitstore.OID]gitstore.OID
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

// look gathers the refs, the receipts there are, and every version of the
// records in any object, and refuses what cannot be done. More are tips that no
// ref names.
func (p *purging) look(ctx context.Context, more []gitstore.OID) error {
	if p.l.Repo().Shallow() {
		return errors.New("this clone has part of the history only, and would not rewrite it as others do; fetch the rest with 'git fetch --unshallow'")
	}
	if err := p.gather(ctx, more); err != nil {
		return err
	}
	known := p.rs.Blobs()
	p.listed = make(map[gitstore.OID]records.ID)
	names := make(map[string]bool)
	for id := range p.fresh {
		names[fileName(id)] = true
	}
	for id := range p.rs {
		names[fileName(id)] = true
	}
	var err error
	if p.graph, err = p.l.Repo().Graph(ctx, known, names); err != nil {
		return err
	}
	for name := range names {
		if err := p.versions(ctx, records.ID(strings.TrimSuffix(name, recordSuffix))); err != nil {
			return err
		}
	}
	if err := p.readTexts(ctx); err != nil {
		return err
	}
	held, err := p.l.Repo().Reached(ctx, setOf(p.doomed()), p.ourPatterns()...)
	if err != nil {
		return err
	}
	if len(held) > 0 {
		return &ReachedError{held}
	}
	return nil
}

const recordSuffix = ".ctx.yaml"

func fileName(id records.ID) string { return string(id) + recordSuffix }

func setOf(oids []gitstore.OID) map[gitstore.OID]bool {
	set := make(map[gitstore.OID]bool, len(oids))
	for _, oid := range oids {
		set[oid] = true
	}
	return set
}

// gather lists the refs of ours and their receipts. A branch that somebody has
// checked out cannot be moved.
func (p *purging) gather(ctx context.Context, more []gitstore.OID) error {
	refs, err := p.l.Repo().AllRefs(ctx, "refs/ctx/")
	if err != nil {
		return err
	}
	p.refs, p.tips = nil, slices.Clone(more)
	for _, ref := range refs {
		if ledger.IsClaimRef(ref.Name) {
			continue
		}
		if strings.HasPrefix(ref.Name, p.l.HeadRefs()) {
			if err := p.notCheckedOut(ctx, ref.Name); err != nil {
				return err
			}
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
	p.rs, err = p.l.ReceiptsOf(ctx, p.tips...)
	return err
}

func (p *purging) notCheckedOut(ctx context.Context, ref string) error {
	dir, err := p.l.Repo().CheckedOut(ctx, ref)
	if err != nil || dir == "" {
		return err
	}
	return &ledger.BranchError{Branch: strings.TrimPrefix(ref, p.l.HeadRefs()), Why: fmt.Sprintf("it is checked out in '%s', and its history is to be rewritten", dir),
		Hint: "commit there, then git ctx worktree remove " + dir}
}

// ourPatterns match the refs that are rewritten.
func (p *purging) ourPatterns() []string {
	patterns := []string{"refs/ctx/*"}
	for _, ref := range p.refs {
		if !strings.HasPrefix(ref.Name, "refs/ctx/") {
			patterns = append(patterns, ref.Name)
		}
	}
	return patterns
}

// versions finds every version of a record that is no tombstone, those of
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
		if r, err := records.Parse("", data); err == nil && r.Forgotten() {
			continue
		}
		p.listed[oid] = id
		blobs = append(blobs, string(oid))
	}
	old, fresh := p.rs[id], p.fresh[id]
	if old != nil {
		for _, b := range old.Blobs {
			p.listed[gitstore.OID(b)] = id
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
