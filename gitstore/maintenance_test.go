package gitstore_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/gittest"
)

// looks and looksNot are commits after which the object directory is and is not looked at.
var (
	looks    = gitstore.OID(strings.Repeat("0", 40))
	looksNot = gitstore.OID(strings.Repeat("0", 39) + "1")
)

// TestMaintenanceStartsAtGitsThreshold: below it and where the user has turned
// it off nothing starts; above it one run does, and git packs the objects.
func TestMaintenanceStartsAtGitsThreshold(t *testing.T) {
	repo := gittest.New(t, gittest.Plain)
	runs := repo.MaintenanceRuns()
	set := func(kv ...string) {
		for i := 0; i < len(kv); i += 2 {
			repo.Git("config", kv[i], kv[i+1])
		}
	}
	after := func(commit gitstore.OID) { open(t, repo).MaintainAfter(t.Context(), commit) }
	set("gc.auto", "512", "maintenance.auto", "true", "gc.autoDetach", "false")
	repo.Crowd(2)
	after(looks) // at the threshold, not over it
	repo.Crowd(3)
	after(looksNot) // over it, not looked at
	set("maintenance.auto", "false")
	after(looks)
	set("maintenance.auto", "true", "gc.auto", "0")
	after(looks)
	set("gc.auto", "512")
	repo.Env = append(repo.Env, "GIT_INDEX_FILE="+filepath.Join(repo.Main, ".git", "index"))
	after(looks) // in a hook
	repo.Env = repo.Env[:len(repo.Env)-1]
	after(looks)
	repo.Wait("the one run that is due", func() bool { return runs() > 0 })
	if n := runs(); n != 1 {
		t.Errorf("%d runs, want 1", n)
	}
	if out := repo.Git("count-objects", "-v"); !strings.Contains(out, "packs: 1\n") {
		t.Errorf("nothing was packed:\n%s", out)
	}
	repo.Fsck()
}

func TestMaintenanceStartsAtManyPacks(t *testing.T) {
	repo := gittest.New(t, gittest.Plain)
	repo.Git("config", "gc.autoPackLimit", "2")
	repo.Git("config", "gc.autoDetach", "false")
	pack := func(n string) {
		repo.Commit("top.txt", n)
		repo.Git("repack", "-q")
	}
	pack("1")
	packs, err := filepath.Glob(filepath.Join(repo.Main, ".git", "objects", "pack", "*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatalf("packs %q, %v", packs, err)
	}
	if err := os.WriteFile(strings.TrimSuffix(packs[0], ".pack")+".keep", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	pack("2")
	pack("3")
	runs := repo.MaintenanceRuns()
	after := func() {
		repo.Git("config", "gc.auto", "6700")
		repo.Git("config", "maintenance.auto", "true") // off while this test commits
		open(t, repo).MaintainAfter(t.Context(), looks)
		repo.Git("config", "maintenance.auto", "false")
	}
	after() // two packs that nobody keeps
	pack("4")
	after()
	repo.Wait("the one run that is due", func() bool { return runs() > 0 })
	if n := runs(); n != 1 {
		t.Errorf("%d runs, want 1", n)
	}
}
