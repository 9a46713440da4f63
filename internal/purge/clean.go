package purge

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
	"github.com/git-ctx/git-ctx/records"
)

// clean takes away what still holds the listed blobs or what they said: our
// indexes and notes, reflogs, and every object that leads to one of them. It
// asks the repository alone what is left, so that it ends what a killed one began.
func (p *purging) clean(ctx context.Context) error {
	if err := p.l.DropCaches(); err != nil {
		return err
	}
	doomed := p.graph.Above(p.doomed())
	for old := range p.moved {
		doomed[old] = true
	}
	// What was written between the look and the move is found by another look.
	held, err := p.l.Repo().Reached(ctx, doomed)
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
	if err := p.l.Repo().ExpireReflogs(ctx, ours); err != nil {
		return err
	}
	if err := p.l.Repo().DropTraces(doomed); err != nil {
		return err
	}
	gitstore.FaultPoint("purge-traces")
	before, err := p.l.Repo().Present(ctx, oidsIn(doomed))
	if err != nil {
		return err
	}
	p.res.Objects = len(before)
	return p.l.Repo().Drop(ctx, doomed)
}

func oidsIn(set map[gitstore.OID]bool) []gitstore.OID {
	oids := make([]gitstore.OID, 0, len(set))
	for oid := range set {
		oids = append(oids, oid)
	}
	slices.Sort(oids)
	return oids
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
