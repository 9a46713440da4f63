package gitstore

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
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

// readOnly marks an error as "read-only" when that is what it is.
func readOnly(path string, err error) error {
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
		}
	}
	return err
}
