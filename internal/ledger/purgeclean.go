package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/records"
)

// clean takes away what still holds the listed blobs or what they said: our
// indexes and notes, reflogs, and every object that leads to one of them. It
// asks the repository alone what is left, so that it ends what a killed one began.
func (p *purging) clean(ctx context.Context) error {
	if err := p.l.dropCaches(); err != nil {
		return err
	}
	doomed := p.graph.Above(p.doomed())
	for old := range p.moved {
		doomed[old] = true
	}
	// What was written between the look and the move is found by another look.
	held, err := p.l.repo.Reached(ctx, doomed)
	if err != nil {
		return err
	}
	if len(held) > 0 {
		return &ReachedError{held}
	}
	var ours []string
	for _, ref := range p.refs {
		ours = append(ours, ref.Name)
	}
	if err := p.l.repo.ExpireReflogs(ctx, ours); err != nil {
		return err
	}
	if err := p.l.repo.DropTraces(doomed); err != nil {
		return err
	}
	gitstore.FaultPoint("purge-traces")
	before, err := p.l.repo.Present(ctx, oidsIn(doomed))
	if err != nil {
		return err
	}
	p.res.Objects = len(before)
	return p.l.repo.Drop(ctx, doomed)
}

func oidsIn(set map[gitstore.OID]bool) []gitstore.OID {
	oids := make([]gitstore.OID, 0, len(set))
	for oid := range set {
		oids = append(oids, oid)
	}
	slices.Sort(oids)
	return oids
}

// dropCaches removes what we keep beside git's objects and can make anew: every
// index, which holds texts, and what names commits that are gone.
func (l *Ledger) dropCaches() error {
	if err := l.Close(); err != nil && !errors.Is(err, index.ErrUnavailable) {
		return err
	}
	ours := os.DirFS(filepath.Join(l.repo.CommonDir(), "ctx"))
	for _, pattern := range []string{"index/*", "scopes/*/index/*"} {
		dirs, err := fs.Glob(ours, pattern)
		if err != nil {
			return fmt.Errorf("drop the indexes: %w", err)
		}
		for _, d := range dirs {
			if err := index.Remove(filepath.Join(l.repo.CommonDir(), "ctx", filepath.FromSlash(d))); err != nil {
				return err
			}
		}
	}
	if err := os.Remove(l.verifiedFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, pattern := range []string{"ctx/sessions/*.packet.json", "worktrees/*/ctx/sessions/*.packet.json"} {
		marks, err := fs.Glob(os.DirFS(l.repo.CommonDir()), pattern)
		if err != nil {
			return err
		}
		for _, m := range marks {
			if err := os.Remove(filepath.Join(l.repo.CommonDir(), m)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
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
	left, err := p.l.repo.Present(ctx, p.doomed())
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return &RemainsError{left}
	}
	quoting, err := p.l.repo.FindText(ctx, p.texts)
	if err != nil {
		return err
	}
	v, err := p.l.View(ctx)
	if err != nil {
		return err
	}
	defer v.Close()
	byBlob := make(map[gitstore.OID]records.ID)
	snap, err := p.l.repo.Snapshot(ctx, string(v.Commit))
	if err != nil {
		return err
	}
	if len(quoting) > 0 {
		es, err := p.l.entries(ctx, snap.Tree())
		if err != nil {
			return err
		}
		for _, e := range es {
			if id, err := records.PathID(e.path); err == nil {
				byBlob[e.oid] = id
			}
		}
	}
	for _, oid := range quoting {
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
	root := p.l.repo.CommonDir()
	made := filepath.Join(p.l.scopeDir(root), "index") // anew, by the look at the view
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
	file := filepath.Join(p.l.repo.CommonDir(), "objects", "info", "alternates")
	if data, err := os.ReadFile(file); err == nil {
		p.res.Alternates = strings.Fields(string(data))
	}
	remotes, err := p.l.repo.Remotes(ctx)
	for _, r := range remotes {
		p.res.Remotes = append(p.res.Remotes, r.Name)
	}
	return err
}
