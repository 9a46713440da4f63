package purge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// clean takes away what still holds the listed blobs or what they said: our
// indexes and notes, reflogs, and every object that leads to one of them. What
// something of the user's reaches stays and is named. It asks the repository
// alone what is left, so that it ends what a killed one began.
func (p *purging) clean(ctx context.Context) error {
	if err := p.l.DropCaches(); err != nil {
		return err
	}
	if err := p.dropAsides(ctx); err != nil {
		return err
	}
	doomed := p.graph.Above(append(p.doomed(), slices.Collect(maps.Keys(p.moved))...))
	repo := p.l.Repo()
	// What was written between the look and the move is found by another look.
	names, tips, err := p.ourRefs(ctx)
	if err != nil {
		return err
	}
	again, err := repo.ReachedFrom(ctx, doomed, tips)
	if err != nil {
		return err
	}
	if len(again) > 0 {
		return &ReachedError{again}
	}
	if err := repo.ExpireReflogs(ctx, names); err != nil {
		return err
	}
	if err := p.keep(ctx, doomed); err != nil {
		return err
	}
	if err := repo.DropTraces(doomed); err != nil {
		return err
	}
	gitstore.FaultPoint("purge-traces")
	before, err := repo.Present(ctx, slices.Sorted(maps.Keys(doomed)))
	if err != nil {
		return err
	}
	p.res.Objects = len(before)
	return repo.Drop(ctx, doomed)
}

// dropAsides deletes the refs that keep what waited for a person, once nothing waits.
func (p *purging) dropAsides(ctx context.Context) error {
	if len(p.waits) > 0 {
		return nil
	}
	var updates []gitstore.RefUpdate
	for _, ref := range p.asides {
		updates = append(updates, gitstore.RefUpdate{Name: ref.Name, Old: ref.OID})
	}
	p.asides = nil
	return p.l.Repo().UpdateRefs(ctx, "ctx: purge", updates...)
}

// ourRefs are our refs, those that symbolic ones stand for too, and what they name now.
func (p *purging) ourRefs(ctx context.Context) (names []string, tips []gitstore.OID, err error) {
	refs, err := p.l.Repo().AllRefs(ctx, "refs/ctx/")
	for _, ref := range refs {
		if p.ours(ref.Name) {
			names, tips = append(names, ref.Name), append(tips, ref.OID)
		}
	}
	for _, ref := range p.refs {
		if !slices.Contains(names, ref.Name) {
			names = append(names, ref.Name)
		}
	}
	return names, tips, err
}

// keep takes out of the doomed objects what the user's refs, HEADs, indexes and
// reflogs reach, and what waits for a person, and names what reaches it.
func (p *purging) keep(ctx context.Context, doomed map[gitstore.OID]bool) error {
	kept, by, err := p.l.Repo().ReachedBeside(ctx, doomed, p.ours)
	if err != nil {
		return err
	}
	p.kept = make(map[gitstore.OID]bool, len(kept))
	for _, oid := range kept {
		p.kept[oid] = true
		delete(doomed, oid)
	}
	by = slices.DeleteFunc(by, func(name string) bool { return strings.HasPrefix(name, ledger.ReceivedRefs) })
	if len(p.asides) == 0 || len(by) > 0 {
		p.res.Kept, p.res.KeptBy = len(kept), by
	}
	return nil
}

// ours reports whether a ref is rewritten.
func (p *purging) ours(ref string) bool {
	return strings.HasPrefix(ref, "refs/ctx/") && !strings.HasPrefix(ref, ledger.ReceivedRefs) ||
		slices.ContainsFunc(p.refs, func(r gitstore.Ref) bool { return r.Name == ref })
}

// A RemainsError says that a purge did not reach everything.
type RemainsError struct{ Objects []gitstore.OID }

func (e *RemainsError) Error() string {
	return fmt.Sprintf("%d purged objects are still in the repository, as %s is; where it borrows objects from another, purge that one too", len(e.Objects), e.Objects[0].Short())
}

// prove looks at every object in the repository, and at the files beside them:
// none of the listed blobs may be there, and where a text of the purged records
// is, it is told, without the text.
func (p *purging) prove(ctx context.Context) error {
	left, err := p.l.Repo().Present(ctx, p.doomed())
	if err != nil {
		return err
	}
	left = slices.DeleteFunc(left, func(oid gitstore.OID) bool { return p.kept[oid] })
	if len(left) > 0 {
		return &RemainsError{left}
	}
	quoting, err := p.l.Repo().FindText(ctx, p.texts)
	if err != nil {
		return err
	}
	v, err := p.l.View(ctx)
	if err != nil {
		return err
	}
	defer v.Close()
	byBlob := make(map[gitstore.OID]records.ID)
	snap, err := p.l.Repo().Snapshot(ctx, string(v.Commit))
	if err != nil {
		return err
	}
	if len(quoting) > 0 {
		err := p.l.Repo().DiffTrees(ctx, "", snap.Tree(), func(path string, _, oid gitstore.OID) error {
			if id, err := records.PathID(path); err == nil {
				byBlob[oid] = id
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, oid := range quoting {
		if p.kept[oid] {
			continue
		}
		if id, ok := byBlob[oid]; ok {
			p.res.Quoted = append(p.res.Quoted, id)
		} else {
			p.res.Elsewhere = append(p.res.Elsewhere, oid)
		}
	}
	slices.Sort(p.res.Quoted)
	if p.res.Files, err = p.filesWithText(); err != nil {
		return err
	}
	return p.beyond(ctx)
}

// maxScanned bounds the size of a file beside git's objects that is looked into.
const maxScanned = 64 << 20

// filesWithText lists the files of the repository's directory, objects apart,
// that hold a text of the purged records.
func (p *purging) filesWithText() ([]string, error) {
	var found []string
	root := p.l.Repo().CommonDir()
	made := p.l.IndexDir() // anew, by the look at the view
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if rel == "objects" || path == made {
				return fs.SkipDir
			}
			return nil
		}
		if info, err := d.Info(); err != nil || !info.Mode().IsRegular() || info.Size() > maxScanned {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil // not ours to read
		}
		if slices.ContainsFunc(p.texts, func(t string) bool { return bytes.Contains(data, []byte(t)) }) {
			found = append(found, rel)
		}
		return nil
	})
	return found, err
}

// beyond names what cannot be reached from here.
func (p *purging) beyond(ctx context.Context) error {
	file := filepath.Join(p.l.Repo().CommonDir(), "objects", "info", "alternates")
	if data, err := os.ReadFile(file); err == nil {
		p.res.Alternates = strings.Fields(string(data))
	}
	remotes, err := p.l.Repo().Remotes(ctx)
	for _, r := range remotes {
		p.res.Remotes = append(p.res.Remotes, r.Name)
	}
	return err
}
