package gitstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"
)

// ErrUnknownRevision reports a revision expression that names no commit.
var ErrUnknownRevision = errors.New("unknown revision")

// Snapshot is the tree of one commit as a read-only file system. It is safe
// for concurrent use, and reads objects when asked for them.
type Snapshot struct {
	repo   *Repo
	ctx    context.Context // fs.FS has no room for one in its methods
	commit *Commit
}

var (
	_ fs.ReadFileFS = (*Snapshot)(nil)
	_ fs.ReadDirFS  = (*Snapshot)(nil)
	_ fs.StatFS     = (*Snapshot)(nil)
)

// Snapshot resolves a full object ID, a full ref name or any revision
// expression to a commit and opens its tree; reads end when ctx does.
// Errors: ErrUnknownRevision, *MissingObjectError, *WrongKindError.
func (r *Repo) Snapshot(ctx context.Context, commitish string) (*Snapshot, error) {
	oid, err := r.ResolveCommit(ctx, commitish)
	if err != nil {
		return nil, err
	}
	c, err := r.ReadCommit(ctx, oid)
	if err != nil {
		return nil, err
	}
	return &Snapshot{repo: r, ctx: ctx, commit: c}, nil
}

// ResolveCommit returns the commit a revision expression names; a tag is
// peeled. It is ErrUnknownRevision when nothing has that name.
func (r *Repo) ResolveCommit(ctx context.Context, commitish string) (OID, error) {
	oid := OID(commitish)
	if i := strings.IndexAny(commitish+"^", "~^@:"); r.Hides(commitish[:i]) {
		return "", fmt.Errorf("%w '%s'", ErrUnknownRevision, commitish)
	}
	if strings.HasPrefix(commitish, "refs/") && ValidRefName(commitish) {
		var err error
		if oid, err = r.Ref(ctx, commitish); err != nil && !errors.Is(err, ErrRefNotFound) {
			return "", err
		}
	}
	var other *WrongKindError
	if validOID(r.objectFormat, string(oid)) {
		_, err := r.ReadCommit(ctx, oid)
		if err == nil {
			return oid, nil
		}
		var missing *MissingObjectError
		if errors.As(err, &missing) {
			return "", err
		}
		errors.As(err, &other)
	}
	if commitish == "" || strings.ContainsAny(commitish, "\x00\n") {
		return "", fmt.Errorf("%w '%s'", ErrUnknownRevision, commitish)
	}
	out, err := r.Git(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", commitish+"^{commit}")
	switch {
	case err != nil && other != nil && ctx.Err() == nil:
		return "", other
	case exitCode(err) == 1, exitCode(err) == 128:
		return "", fmt.Errorf("%w '%s'", ErrUnknownRevision, commitish)
	case err != nil:
		return "", fmt.Errorf("resolve '%s': %w", commitish, err)
	}
	return OID(strings.TrimSpace(string(out))), nil
}

// Commit returns the commit's ID.
func (s *Snapshot) Commit() OID { return s.commit.OID }

// Tree returns the root tree's ID.
func (s *Snapshot) Tree() OID { return s.commit.Tree }

// OID returns the object ID of the file or directory at a path; the error for
// an absent one satisfies errors.Is(err, fs.ErrNotExist).
func (s *Snapshot) OID(name string) (OID, error) {
	e, err := s.find("oid", name)
	return e.oid, err
}

// find walks down to a path. An unreadable tree on the way is an error of its
// own, never "does not exist".
func (s *Snapshot) find(op, name string) (treeEntry, error) {
	if !fs.ValidPath(name) {
		return treeEntry{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	at := treeEntry{name: ".", mode: modeTree, oid: s.commit.Tree}
	if name == "." {
		return at, nil
	}
	for part := range strings.SplitSeq(name, "/") {
		entries, err := s.list(op, name, at)
		if err != nil {
			return treeEntry{}, err
		}
		found := false
		for _, e := range entries {
			if e.name == part {
				at, found = e, true
				break
			}
		}
		if !found {
			return treeEntry{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
		}
	}
	return at, nil
}

func (s *Snapshot) list(op, name string, dir treeEntry) ([]treeEntry, error) {
	if !dir.isTree() {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	entries, err := s.repo.readTree(s.ctx, dir.oid)
	if err != nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: err}
	}
	return entries, nil
}

func (s *Snapshot) content(op, name string, e treeEntry) ([]byte, error) {
	if !e.isBlob() {
		return nil, &fs.PathError{Op: op, Path: name, Err: errors.New("is not a file")}
	}
	b, err := s.repo.ReadBlob(s.ctx, e.oid)
	if err != nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: err}
	}
	return b, nil
}

// ReadFile returns the content of a file; the caller owns it.
func (s *Snapshot) ReadFile(name string) ([]byte, error) {
	e, err := s.find("read", name)
	if err != nil {
		return nil, err
	}
	return s.content("read", name, e)
}

// Content returns the content of the file at name, nil when there is none.
func (s *Snapshot) Content(name string) ([]byte, error) {
	data, err := s.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if data == nil && err == nil {
		data = []byte{}
	}
	return data, err
}

// ReadDir lists a directory in order of file name without reading any file.
func (s *Snapshot) ReadDir(name string) ([]fs.DirEntry, error) {
	e, err := s.find("readdir", name)
	if err != nil {
		return nil, err
	}
	return s.dirEntries(name, e)
}

func (s *Snapshot) dirEntries(name string, dir treeEntry) ([]fs.DirEntry, error) {
	if !dir.isTree() {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errors.New("is not a directory")}
	}
	entries, err := s.list("readdir", name, dir)
	if err != nil {
		return nil, err
	}
	return s.sortedByName(name, entries), nil
}

// Stat describes a file or directory.
func (s *Snapshot) Stat(name string) (fs.FileInfo, error) {
	e, err := s.find("stat", name)
	if err != nil {
		return nil, err
	}
	return s.info(name, e)
}

func (s *Snapshot) info(name string, e treeEntry) (*fileInfo, error) {
	info := &fileInfo{entry: e, when: s.commit.Committer.When}
	if e.isBlob() {
		b, err := s.content("stat", name, e)
		if err != nil {
			return nil, err
		}
		info.size = int64(len(b))
	}
	return info, nil
}

// Open opens a file or directory.
func (s *Snapshot) Open(name string) (fs.File, error) {
	e, err := s.find("open", name)
	if err != nil {
		return nil, err
	}
	info := &fileInfo{entry: e, when: s.commit.Committer.When}
	if e.isTree() {
		entries, err := s.dirEntries(name, e)
		if err != nil {
			return nil, err
		}
		return &openDir{info: info, name: name, rest: entries}, nil
	}
	b, err := s.content("open", name, e)
	if err != nil {
		return nil, err
	}
	info.size = int64(len(b))
	return &openFile{info: info, Reader: *bytes.NewReader(b)}, nil
}

// fileInfo describes an entry; Sys returns its OID.
type fileInfo struct {
	entry treeEntry
	size  int64
	when  time.Time
}

func (i *fileInfo) Name() string       { return i.entry.name }
func (i *fileInfo) Size() int64        { return i.size }
func (i *fileInfo) ModTime() time.Time { return i.when }
func (i *fileInfo) IsDir() bool        { return i.entry.isTree() }
func (i *fileInfo) Sys() any           { return i.entry.oid }
func (i *fileInfo) Mode() fs.FileMode  { return fileMode(i.entry.mode) }

func fileMode(mode uint32) fs.FileMode {
	switch mode {
	case modeTree:
		return fs.ModeDir | 0o555
	case modeExec:
		return 0o555
	case modeSymlink:
		return fs.ModeSymlink | 0o444
	case modeGitlink:
		return fs.ModeIrregular | 0o444
	}
	return 0o444
}

type openFile struct {
	bytes.Reader
	info *fileInfo
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFile) Close() error               { return nil }

type openDir struct {
	info *fileInfo
	name string
	rest []fs.DirEntry
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *openDir) Close() error               { return nil }
func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.name, Err: errors.New("is a directory")}
}

// ReadDir returns the next n entries, or all that are left when n <= 0.
func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		n = len(d.rest)
	} else if len(d.rest) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.rest))
	out := d.rest[:n:n]
	d.rest = d.rest[n:]
	return out, nil
}
