// Package regfile opens regular files and nothing else: a named pipe or a device
// in the place of a file is refused at once, where to open it would wait.
package regfile

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// A NotRegularError refuses what is not a regular file.
type NotRegularError struct {
	Name string
	Mode fs.FileMode
}

func (e *NotRegularError) Error() string { return fmt.Sprintf("'%s' %s", e.Name, e.What()) }

// What says what stands there.
func (e *NotRegularError) What() string {
	switch {
	case e.Mode.IsDir():
		return "is a directory, not a regular file"
	case e.Mode&fs.ModeNamedPipe != 0:
		return "is a named pipe, not a regular file"
	}
	return "is not a regular file"
}

// Open opens a regular file for reading, over links. Errors: *NotRegularError.
func Open(name string) (*os.File, error) { return open(os.OpenFile, name) }

// OpenIn is [Open] below a root.
func OpenIn(root *os.Root, name string) (*os.File, error) { return open(root.OpenFile, name) }

func open(openFile func(string, int, fs.FileMode) (*os.File, error), name string) (*os.File, error) {
	f, err := openFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // to open a pipe does not wait then
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &NotRegularError{name, info.Mode()}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// Read reads a regular file whole. Errors: *NotRegularError.
func Read(name string) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// Stoppable is f, whose reads end once ctx does.
func Stoppable(ctx context.Context, f io.Reader) io.Reader { return &stoppable{ctx, f} }

type stoppable struct {
	ctx context.Context
	r   io.Reader
}

func (s *stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}
