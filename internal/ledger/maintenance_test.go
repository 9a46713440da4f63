package ledger_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/internal/setup"

	"github.com/git-ctx/git-ctx/internal/claim"
	"github.com/git-ctx/git-ctx/internal/gittest"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/records"
)

// TestWritesLetGitTidyUpAndReadsDoNot: the repository is over git's threshold
// all the time. Reads start nothing; of writes, one in some tens does.
func TestWritesLetGitTidyUpAndReadsDoNot(t *testing.T) {
	repo := gittest.New(t, gittest.Plain)
	runs := repo.MaintenanceRuns()
	l := open(t, repo, "agent/a")
	if _, err := setup.Init(t.Context(), l, setup.InitOptions{Review: records.ReviewAny}); err != nil {
		t.Fatal(err)
	}
	repo.Crowd(3)
	repo.Git("config", "gc.auto", "512")
	repo.Git("config", "gc.autoDetach", "false")
	repo.Git("config", "maintenance.auto", "true")
	l = open(t, repo, "agent/a") // configuration is read at most once a second
	for range 100 {
		view(t, l)
		if _, _, err := claim.List(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	if n := runs(); n != 0 {
		t.Errorf("%d runs after reads", n)
	}
	for i := 0; runs() == 0; i++ {
		if i == 500 {
			t.Fatal("500 writes over the threshold, and no run")
		}
		do(t, l, grammar.Op{Verb: "add", Kind: "task", Title: fmt.Sprintf("Task %d", i)})
	}
	// The run goes on apart; while it packs, fsck sees objects vanish.
	for i := 0; ; i++ {
		_, gc := os.Stat(filepath.Join(repo.Dir, ".git", "gc.pid"))
		_, task := os.Stat(filepath.Join(repo.Dir, ".git", "objects", "maintenance.lock"))
		if gc != nil && task != nil {
			break
		}
		if i == 600 {
			t.Fatal("the maintenance run does not end")
		}
		time.Sleep(50 * time.Millisecond)
	}
	repo.Fsck()
}
