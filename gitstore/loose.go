package gitstore

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/objfile"
)

// looseStore reads and writes loose objects in one object directory, through
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

// write stores an object. One that is there already gets a new modification
// time, so that a collection running now does not prune it as old garbage.
func (s *looseStore) write(kind objectKind, content []byte) (OID, error) {
	oid := hashObject(s.format, kind, content)
	path := s.path(oid)
	if refreshed(path) {
		return oid, nil
	}
	packed, err := deflate(kind, content)
	if err != nil {
		return "", fmt.Errorf("write %s %s: %w", kind, oid, err)
	}
	// `git prune` removes an empty fan-out directory between our mkdir and
	// create; the temporary file then keeps it.
	for try := 0; ; try++ {
		err = s.place(path, packed)
		if err == nil {
			FaultPoint("wrote-" + string(kind))
			return oid, nil
		}
		if try == 3 || !errors.Is(err, fs.ErrNotExist) {
			return "", writeFailure(s.dir, fmt.Errorf("write %s %s: %w", kind, oid, err))
		}
	}
}

// refreshed reports whether a sound-looking object file exists and now has the
// current time. A file of another user that we may not touch, or an empty one
// that a crash left, is written again instead.
func refreshed(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Size() == 0 {
		return false
	}
	now := time.Now()
	return os.Chtimes(path, now, now) == nil
}

// place writes the file beside its final name and renames it, as git does;
// git's own prune knows the temporary name.
func (s *looseStore) place(path string, packed []byte) (err error) {
	dir := filepath.Dir(path)
	perm, err := mkdirLike(s.dir, dir)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, "tmp_obj_")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(tmp.Name())
		}
	}()
	_, err = tmp.Write(packed)
	if err == nil {
		err = tmp.Chmod(perm & 0o444)
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	FaultPoint("object-file")
	return os.Rename(tmp.Name(), path)
}

func deflate(kind objectKind, content []byte) ([]byte, error) {
	t, err := plumbing.ParseObjectType(string(kind))
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	w := objfile.NewWriter(&buf)
	if err := w.WriteHeader(t, int64(len(content))); err != nil {
		return nil, err
	}
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// mkdirLike makes dir with the permissions of the directory model, which git
// set up by core.sharedRepository and the umask; it returns them.
func mkdirLike(model, dir string) (fs.FileMode, error) {
	info, err := os.Stat(model)
	if err != nil {
		return 0, err
	}
	perm := info.Mode() & (fs.ModePerm | fs.ModeSetgid)
	switch err := os.Mkdir(dir, 0o777); {
	case errors.Is(err, fs.ErrExist):
		return perm, nil
	case err != nil:
		return 0, err
	}
	if made, err := os.Stat(dir); err == nil && made.Mode()&perm != perm {
		if err := os.Chmod(dir, perm); err != nil {
			return 0, err
		}
	}
	return perm, nil
}
