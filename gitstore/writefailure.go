package gitstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/git-ctx/git-ctx/internal/atomicfile"
)

// ReadOnlyError reports that the repository cannot be written; Err is the
// cause, for which errors.Is(err, fs.ErrPermission) or EROFS holds.
type ReadOnlyError struct {
	Path string
	Err  error
}

// Error names the directory that refused the write.
func (e *ReadOnlyError) Error() string {
	return fmt.Sprintf("repository is read-only: cannot write in '%s'", e.Path)
}

// Unwrap returns the cause.
func (e *ReadOnlyError) Unwrap() error { return e.Err }

// DiskFullError reports that the device or quota that holds the repository has
// no room left; nothing was moved.
type DiskFullError struct {
	Path string
	Err  error
}

// Error names the directory that has no room.
func (e *DiskFullError) Error() string {
	return fmt.Sprintf("no space is left on the device that holds '%s'", e.Path)
}

// Unwrap returns the cause.
func (e *DiskFullError) Unwrap() error { return e.Err }

// writeFailure tells a repository that cannot be written, and a full disk, from
// other failures.
func writeFailure(path string, err error) error {
	if diskFull(err) {
		return &DiskFullError{Path: path, Err: err}
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return &ReadOnlyError{Path: path, Err: err}
	}
	var ge *GitError
	if errors.As(err, &ge) {
		switch {
		case strings.Contains(ge.Stderr, "Permission denied"):
			return &ReadOnlyError{Path: path, Err: errors.Join(err, fs.ErrPermission)}
		case strings.Contains(ge.Stderr, "Read-only file system"):
			return &ReadOnlyError{Path: path, Err: errors.Join(err, syscall.EROFS)}
		case strings.Contains(ge.Stderr, "couldn't write"), strings.Contains(ge.Stderr, "unable to write"):
			// git does not say why.
			if probe := probeRoom(path); diskFull(probe) {
				return &DiskFullError{Path: path, Err: errors.Join(err, probe)}
			}
		}
	}
	return err
}

// WriteFailure is what a failed write of a file of ours in the repository
// means: a *ReadOnlyError or *DiskFullError where it is one, else err itself.
func WriteFailure(path string, err error) error { return writeFailure(filepath.Dir(path), err) }

// probeRoom returns why a small file cannot be written in dir, nil when it can.
func probeRoom(dir string) error {
	f, err := os.CreateTemp(dir, ".tmp-room-")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, 4096))
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

func diskFull(err error) bool {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return true
	}
	var ge *GitError
	return errors.As(err, &ge) &&
		(strings.Contains(ge.Stderr, "No space left on device") || strings.Contains(ge.Stderr, "Disk quota exceeded"))
}

// WriteFile replaces a file of ours under the git directory at once. Errors:
// as of [WriteFailure].
func WriteFile(path string, data []byte) error {
	return WriteFailure(path, atomicfile.Replace(path, data, atomicfile.Options{
		Perm: 0o666, Written: func() { FaultPoint("session-file") },
	}))
}
