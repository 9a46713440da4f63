package gitstore

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// dirEntry reads its blob only when Info asks for the size.
type dirEntry struct {
	snap *Snapshot
	path string
	treeEntry
}

func (d *dirEntry) Name() string      { return d.name }
func (d *dirEntry) IsDir() bool       { return d.isTree() }
func (d *dirEntry) Type() fs.FileMode { return fileMode(d.mode).Type() }
func (d *dirEntry) String() string    { return fs.FormatDirEntry(d) }

// Info describes the entry.
func (d *dirEntry) Info() (fs.FileInfo, error) { return d.snap.info(d.path, d.treeEntry) }

func (s *Snapshot) sortedByName(dir string, entries []treeEntry) []fs.DirEntry {
	out := make([]fs.DirEntry, len(entries))
	for i, e := range entries {
		out[i] = &dirEntry{snap: s, path: path.Join(dir, e.name), treeEntry: e}
	}
	slices.SortFunc(out, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return out
}
