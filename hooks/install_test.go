package hooks_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/hooks"
	"github.com/git-ctx/git-ctx/internal/gittest"
	"github.com/git-ctx/git-ctx/internal/install"
)

func open(t *testing.T, r *gittest.Repo) *gitstore.Repo {
	t.Helper()
	repo, err := gitstore.Open(context.Background(), gitstore.Options{Dir: r.Dir, Env: r.Env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = repo.Close() })
	return repo
}

// In every shape of repository git gives records to the driver, runs the hook,
// and has its files back afterwards.
func TestInstallInEveryShape(t *testing.T) {
	ctx := context.Background()
	for _, shape := range gittest.Shapes(t) {
		t.Run(string(shape), func(t *testing.T) {
			r := gittest.New(t, shape)
			repo := open(t, r)
			config, err := os.ReadFile(filepath.Join(repo.CommonDir(), "config"))
			if err != nil {
				t.Fatal(err)
			}
			attributes := filepath.Join(repo.CommonDir(), "info", "attributes")
			_, before := os.Stat(attributes)
			for range 2 {
				if err := hooks.InstallDriver(ctx, repo); err != nil {
					t.Fatal(err)
				}
				found, err := hooks.InstallGit(ctx, repo)
				if err != nil || len(found) == 0 {
					t.Fatal(found, err)
				}
				for _, h := range found {
					if h.State != install.Installed {
						t.Errorf("%+v", h)
					}
					if h.Path != r.Git("rev-parse", "--path-format=absolute", "--git-path", "hooks")+"/"+h.Name {
						t.Errorf("git does not look at %s", h.Path)
					}
				}
			}
			if got := r.Git("check-attr", "merge", "records/task/0/0/task-0000000000.ctx.yaml"); !strings.HasSuffix(got, ": ctx") {
				t.Errorf("attributes: %s", got)
			}
			if err := hooks.UninstallDriver(ctx, repo); err != nil {
				t.Fatal(err)
			}
			found, err := hooks.UninstallGit(ctx, repo)
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range found {
				if _, err := os.Stat(h.Path); !os.IsNotExist(err) || h.State != install.Absent {
					t.Errorf("left behind: %+v", h)
				}
			}
			after, err := os.ReadFile(filepath.Join(repo.CommonDir(), "config"))
			if err != nil || string(after) != string(config) {
				t.Errorf("configuration changed from\n%s\nto\n%s (%v)", config, after, err)
			}
			if _, err := os.Stat(attributes); os.IsNotExist(err) != os.IsNotExist(before) {
				t.Errorf("attributes file: before %v, after %v", before, err)
			}
		})
	}
}

func TestScrubbedLeavesTheRepositoryAndTheUser(t *testing.T) {
	keep := []string{"GIT_DIR=.git", "GIT_WORK_TREE=.", "HOME=/home", "GIT_COMMITTER_NAME=Ada Example"}
	drop := []string{"GIT_INDEX_FILE=i", "GIT_AUTHOR_NAME=Bob Example", "GIT_AUTHOR_DATE=1", "GITHEAD_abc=topic"}
	if got := hooks.Scrubbed(append(slices.Clone(keep), drop...)); !slices.Equal(got, keep) {
		t.Errorf("got %q", got)
	}
}
