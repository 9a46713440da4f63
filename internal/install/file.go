package install

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/git-ctx/git-ctx/internal/atomicfile"
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
	return atomicfile.Replace(path, []byte(text), atomicfile.Options{Perm: mode, Follow: true})
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
