package ledger

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/git-ctx/git-ctx/gitstore"
)

// TestOwnFilesAreAsOpenAsOthers fails when a file of ours can be read by fewer
// than a plain new file: another user of the repository must find the branch.
func TestOwnFilesAreAsOpenAsOthers(t *testing.T) {
	dir := t.TempDir()
	ours, plain := filepath.Join(dir, "ctx", "HEAD"), filepath.Join(dir, "plain")
	if err := gitstore.WriteFile(ours, []byte("ref: refs/ctx/heads/main\n")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(plain, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	mode := func(name string) os.FileMode {
		fi, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		return fi.Mode()
	}
	if got, want := mode(ours), mode(plain); got != want {
		t.Errorf("mode %v, want %v", got, want)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "ctx", ".tmp-*")); len(names) > 0 {
		t.Errorf("left behind: %q", names)
	}
}
