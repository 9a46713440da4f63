package ledger_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

func TestDoctorLooksAtTheIndex(t *testing.T) {
	l, repo := fresh(t, records.ReviewAny, records.Human)
	do(t, l, ledger.Op{Verb: "add", Kind: "goal", Title: "A goal"})
	check := func(fix bool) ledger.Checkup {
		t.Helper()
		for _, c := range open(t, repo, records.Human).Examine(t.Context(), fix) {
			if c.ID == "index" {
				return c
			}
		}
		t.Fatal("the doctor has no check of the index")
		return ledger.Checkup{}
	}
	view(t, l)
	if c := check(false); c.Result != ledger.HealthOK {
		t.Fatalf("a sound index: %+v", c)
	}
	// The index of a branch that is gone is clutter.
	dir := filepath.Join(repo.Dir, ".git", "ctx", "index")
	if err := os.Mkdir(filepath.Join(dir, "gone"), 0o755); err != nil {
		t.Fatal(err)
	}
	if c := check(false); c.Result != ledger.HealthWarn {
		t.Errorf("an index without a branch: %+v", c)
	}
	if c := check(true); c.Result != ledger.HealthOK || c.Fixed == "" {
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
	if c := check(false); c.Result == ledger.HealthFail {
		t.Errorf("a file in its place: %+v", c)
	}
	if view(t, open(t, repo, records.Human)).Len() != 1 {
		t.Error("a file in the index's place hides the records")
	}
}
