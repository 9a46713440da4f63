package install

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"

	"github.com/git-ctx/git-ctx/internal/regfile"
)

// ReadText reads a file; absent is not there.
func ReadText(path string) (text string, there bool, err error) {
	data, err := regfile.Read(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // core.hooksPath may be /dev/null
		return "", false, nil
	}
	return string(data), err == nil, err
}

// ReplaceFile puts text in a file's place at once, so that no git reads half of
// it. The mode is that of the file that was there, or mode less the umask.
func ReplaceFile(path, text string, mode os.FileMode) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	temp := filepath.Join(filepath.Dir(path), fmt.Sprintf(".git-ctx-%016x", rand.Uint64()))
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if info, statErr := os.Stat(path); statErr == nil {
		err = f.Chmod(info.Mode().Perm())
	}
	_, writeErr := f.WriteString(text)
	if err = errors.Join(err, writeErr, f.Close()); err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		_ = os.Remove(temp)
	}
	return err
}

// Exists reports whether there is something at path.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Within reports whether dir is parent or below it; nothing is below "".
func Within(dir, parent string) bool {
	if parent == "" {
		return false
	}
	rel, err := filepath.Rel(parent, dir)
	return err == nil && filepath.IsLocal(rel)
}
