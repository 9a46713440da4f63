// Package atomicfile replaces files at once, so that no reader ever sees half of
// one and a process that is killed leaves the old one in place.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Options say how a file is replaced.
type Options struct {
	// Perm is the mode, less the umask, of a file that was not there. One that was
	// there keeps its mode.
	Perm fs.FileMode
	// Follow writes to where a symbolic link leads, instead of in the link's place.
	Follow bool
	// Temp is the path of the temporary file, which must not exist: it is a lock
	// too. "" is a name of its own, .tmp-*, in the file's directory.
	Temp string
	// Written is called, where set, before the temporary file is renamed.
	Written func()
}

// Replace puts data in the place of the file at path and makes missing directories.
// It does not wait for the disk.
func Replace(path string, data []byte, o Options) error {
	if o.Follow {
		if target, err := filepath.EvalSymlinks(path); err == nil {
			path = target
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	if o.Temp == "" {
		// Not os.CreateTemp: its files are closed to the repository's other users.
		o.Temp = filepath.Join(filepath.Dir(path), fmt.Sprintf(".tmp-%016x", rand.Uint64()))
	}
	f, err := os.OpenFile(o.Temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, o.Perm)
	if err != nil {
		return err
	}
	if info, statErr := os.Stat(path); statErr == nil {
		err = f.Chmod(info.Mode().Perm())
	}
	_, writeErr := f.Write(data)
	if o.Written != nil {
		o.Written()
	}
	if err = errors.Join(err, writeErr, f.Close()); err == nil {
		err = os.Rename(o.Temp, path)
	}
	if err != nil {
		_ = os.Remove(o.Temp) // the error that counts is the first
	}
	return err
}
