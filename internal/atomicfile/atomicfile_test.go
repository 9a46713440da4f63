package atomicfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-ctx/git-ctx/internal/atomicfile"
)

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "a", "b", "file"), filepath.Join(dir, "link")
	replace := func(path, text string, o atomicfile.Options) {
		t.Helper()
		if err := atomicfile.Replace(path, []byte(text), o); err != nil {
			t.Fatal(err)
		}
	}
	replace(file, "one", atomicfile.Options{Perm: 0o644})
	if err := os.Chmod(file, 0o755); err != nil {
		t.Fatal(err)
	}
	replace(file, "two", atomicfile.Options{Perm: 0o644})
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o755 || content(t, file) != "two" {
		t.Errorf("the mode is not kept: %v, %v, %q", info.Mode(), err, content(t, file))
	}

	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	replace(link, "three", atomicfile.Options{Perm: 0o644, Follow: true})
	if content(t, file) != "three" {
		t.Errorf("the link was not followed: %q", content(t, file))
	}
	replace(link, "four", atomicfile.Options{Perm: 0o644})
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink != 0 || content(t, file) != "three" {
		t.Errorf("the link was followed: %v, %v, %q", info.Mode(), err, content(t, file))
	}
}

func TestReplaceLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	lock := file + ".lock"
	if err := os.WriteFile(lock, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	err := atomicfile.Replace(file, []byte("new"), atomicfile.Options{Perm: 0o644, Temp: lock})
	if _, statErr := os.Stat(lock); !errors.Is(err, fs.ErrExist) || content(t, file) != "old" || statErr != nil {
		t.Errorf("another's lock: %v, the file is %q, the lock %v", err, content(t, file), statErr)
	}

	full := filepath.Join(dir, "full") // a directory cannot be replaced by a file
	if err := os.MkdirAll(filepath.Join(full, "inner"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Replace(full, []byte("new"), atomicfile.Options{Perm: 0o644}); err == nil {
		t.Error("a directory was replaced")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".tmp-*")); len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}
