//go:build unix

package index

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// Where nothing may be written an index is read as it stands, with and without
// a log; one that is not there is unavailable.
func TestReadOnlyDirectory(t *testing.T) {
	for _, inUse := range []bool{false, true} {
		// Outside of t.TempDir, which other users may not enter.
		root := must(os.MkdirTemp("", "index"))
		t.Cleanup(func() { _ = os.RemoveAll(root) })
		dir := filepath.Join(root, "main")
		if err := countUp(dir, 1); err != nil {
			t.Fatal(err)
		}
		if inUse { // another process has it open, so there is a log and a lock file
			db, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() })
			end(t, begin(t, db))
		}
		exe := filepath.Join(root, "test")
		if err := os.WriteFile(exe, must(os.ReadFile(must(os.Executable()))), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, d := range []string{dir, root} {
			if err := os.Chmod(d, 0o555); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(d, 0o755) })
		}
		cmd := exec.Command(exe)
		cmd.Env = []string{childVar + "=read", childDir + "=" + dir}
		if os.Geteuid() == 0 { // root may write anywhere
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("in use %v: %v\n%s", inUse, err, out)
		}
	}
}
