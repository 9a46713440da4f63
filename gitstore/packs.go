package gitstore

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// openPacks is how many packs are held open at most: in a repository of more,
// git's child answers for the rest.
const openPacks = 128

// packStore reads objects from the packs of one object directory, through
// go-git's pack reader. It looks at the directory again when an object is not
// where it was, so that it survives a repack. It reads no SHA-256 packs, which
// go-git cannot.
type packStore struct {
	dir    string
	format string

	mu    sync.Mutex
	packs []*openPack // the newest first
}

type openPack struct {
	base  string // path without the suffix
	index *packIndex
	file  *packfile.Packfile // opened at the first object
}

// errNotPacked says that no pack here holds an object.
var errNotPacked = errors.New("no packed object")

// read returns an object after checking that its content has its name.
func (s *packStore) read(oid OID) (objectKind, []byte, error) {
	if s.format != formatSHA1 {
		return "", nil, errNotPacked
	}
	raw, err := hex.DecodeString(string(oid))
	if err != nil {
		return "", nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	packs := s.packs
	for range 2 {
		for _, p := range packs {
			if kind, content, err := p.read(plumbing.Hash(raw)); err == nil && hashObject(s.format, kind, content) == oid {
				return kind, content, nil
			}
		}
		if packs, err = s.rescan(); err != nil {
			return "", nil, err
		}
	}
	return "", nil, errNotPacked
}

// rescan opens the packs that have come, which it returns, and closes those
// that are gone.
func (s *packStore) rescan() ([]*openPack, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	known := make(map[string]*openPack, len(s.packs))
	for _, p := range s.packs {
		known[p.base] = p
	}
	type found struct {
		*openPack
		when int64
	}
	var here []found
	var fresh []*openPack
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".idx")
		info, err := e.Info()
		if !ok || err != nil {
			continue
		}
		p := known[filepath.Join(s.dir, name)]
		delete(known, filepath.Join(s.dir, name))
		if p == nil {
			p = &openPack{base: filepath.Join(s.dir, name)}
		}
		here = append(here, found{p, info.ModTime().UnixNano()})
	}
	slices.SortStableFunc(here, func(a, b found) int { return int(b.when - a.when) })
	s.packs = nil
	for _, f := range here[:min(len(here), openPacks)] {
		if f.index == nil {
			if f.index, err = openPackIndex(f.base+".idx", s.format); err != nil {
				continue // of another version, or gone again: git knows
			}
			fresh = append(fresh, f.openPack)
		}
		s.packs = append(s.packs, f.openPack)
	}
	for _, p := range known {
		p.close()
	}
	return fresh, nil
}

// close closes all packs; the next read opens them again.
func (s *packStore) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.packs {
		p.close()
	}
	s.packs = nil
}

func (p *openPack) close() {
	if p.index != nil {
		_ = p.index.Close()
	}
	if p.file != nil {
		_ = p.file.Close()
	}
}

func (p *openPack) read(h plumbing.Hash) (objectKind, []byte, error) {
	if has, err := p.index.Contains(h); err != nil || !has {
		return "", nil, errNotPacked
	}
	if p.file == nil {
		f, err := os.Open(p.base + ".pack")
		if err != nil {
			return "", nil, err
		}
		p.file = packfile.NewPackfileWithCache(p.index, nil, billyFile{f}, nil, 0)
	}
	o, err := p.file.Get(h)
	if err != nil {
		return "", nil, fmt.Errorf("pack '%s': %w", p.base, err)
	}
	r, err := o.Reader()
	if err != nil {
		return "", nil, err
	}
	content, err := io.ReadAll(r)
	return objectKind(o.Type().String()), content, err
}

// billyFile is a file as go-git's pack reader takes it, which locks none.
type billyFile struct{ *os.File }

func (billyFile) Lock() error   { return nil }
func (billyFile) Unlock() error { return nil }
