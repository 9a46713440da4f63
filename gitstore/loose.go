package gitstore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing/format/objfile"
)

// looseStore reads loose objects of one object directory, through
// go-git's object file format. The directory is the one git names, so a
// receiving git's quarantine is respected.
type looseStore struct {
	dir    string
	format string
}

func (s *looseStore) path(oid OID) string {
	return filepath.Join(s.dir, string(oid[:2]), string(oid[2:]))
}

// read returns a loose object after checking that its content has its name.
func (s *looseStore) read(oid OID) (objectKind, []byte, error) {
	f, err := os.Open(s.path(oid))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, errNotLoose
	}
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	zr, err := objfile.NewReader(f)
	if err != nil {
		return "", nil, fmt.Errorf("loose object %s: %w", oid, err)
	}
	defer zr.Close()
	t, size, err := zr.Header()
	if err != nil {
		return "", nil, fmt.Errorf("loose object %s: %w", oid, err)
	}
	content, err := io.ReadAll(zr)
	if err != nil {
		return "", nil, fmt.Errorf("loose object %s: %w", oid, err)
	}
	kind := objectKind(t.String())
	if int64(len(content)) != size || hashObject(s.format, kind, content) != oid {
		return "", nil, fmt.Errorf("loose object %s: content does not match its name", oid)
	}
	return kind, content, nil
}
