package doctor_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/git-ctx/git-ctx/internal/doctor"
	"github.com/git-ctx/git-ctx/records"
)

func TestDoctorLooksAtTheIndex(t *testing.T) {
	repo, _, a, _ := shop(t)
	count := func(s someone) int {
		t.Helper()
		v, err := s.View(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return v.Len()
	}
	check := func(fix bool) doctor.Finding {
		t.Helper()
		return finding(t, session(t, repo, repo.Dir, "", records.Human), fix, "index")
	}
	count(a)
	if c := check(false); c.Result != doctor.OK {
		t.Fatalf("a sound index: %+v", c)
	}
	// The index of a branch that is gone is clutter.
	dir := filepath.Join(repo.Dir, ".git", "ctx", "index")
	if err := os.Mkdir(filepath.Join(dir, "gone"), 0o755); err != nil {
		t.Fatal(err)
	}
	if c := check(false); c.Result != doctor.Warn {
		t.Errorf("an index without a branch: %+v", c)
	}
	if c := check(true); c.Result != doctor.OK || c.Fixed == "" {
		t.Errorf("after --fix: %+v", c)
	}
	if _, err := os.Stat(filepath.Join(dir, "gone")); err == nil {
		t.Error("it is still there")
	}
	// One that cannot be used is named, and everything works without it.
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "main"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if c := check(false); c.Result == doctor.Fail {
		t.Errorf("a file in its place: %+v", c)
	}
	if count(session(t, repo, repo.Dir, "", records.Human)) != 1 {
		t.Error("a file in the index's place hides the records")
	}
}
