package gitstore_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/gittest"
)

// TestSymbolicRefIsNotFollowed deletes and moves an alias of a branch: the
// branch that it stands for stays what it was.
func TestSymbolicRefIsNotFollowed(t *testing.T) {
	ctx := context.Background()
	const alias = "refs/ctx/heads/alias"
	for _, tt := range []struct {
		name string
		move func(one, two gitstore.OID) gitstore.RefUpdate
		ok   bool
		left string // what the alias is then, "two" its own value
	}{
		{"delete", func(one, _ gitstore.OID) gitstore.RefUpdate { return gitstore.RefUpdate{Name: alias, Old: one} }, true, ""},
		{"move", func(one, two gitstore.OID) gitstore.RefUpdate {
			return gitstore.RefUpdate{Name: alias, Old: one, New: two}
		}, true, "two"},
		{"stale", func(one, two gitstore.OID) gitstore.RefUpdate {
			return gitstore.RefUpdate{Name: alias, Old: two, New: one}
		}, false, branch},
	} {
		t.Run(tt.name, func(t *testing.T) {
			repo := gittest.New(t, gittest.Plain)
			r := open(t, repo)
			one := mustCommit(t, r, branch, file("f", "1"))
			two := mustCommit(t, r, "refs/ctx/heads/other", file("f", "2"))
			repo.Git("symbolic-ref", alias, branch)
			err := r.UpdateRefs(ctx, "test", tt.move(one, two))
			if (err == nil) != tt.ok {
				t.Fatalf("the update: %v", err)
			}
			if got, err := r.Ref(ctx, branch); err != nil || got != one {
				t.Errorf("the branch is now %s, %v; want %s", got, err, one)
			}
			target, err := r.SymbolicTarget(ctx, alias)
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := r.Ref(ctx, alias); tt.left == "two" && got == two {
				target = "two"
			}
			if target != tt.left {
				t.Errorf("the alias is %q, want %q", target, tt.left)
			}
			repo.Fsck()
		})
	}
}

// TestOpenWithLineFeedInPath opens repositories whose path git's answer, a line
// a fact, cannot hold.
func TestOpenWithLineFeedInPath(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t, gittest.Plain)
	dir := filepath.Join(filepath.Dir(repo.Main), "one\nline\n")
	repo.GitIn(filepath.Dir(repo.Main), "init", "--quiet", dir)
	repo.GitIn(filepath.Dir(repo.Main), "init", "--quiet", "--bare", dir+"bare")
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ from, gitDir, workTree string }{
		{dir, filepath.Join(dir, ".git"), dir},
		{filepath.Join(dir, "sub"), filepath.Join(dir, ".git"), dir},
		{dir + "bare", dir + "bare", ""},
	} {
		r, err := gitstore.Open(ctx, gitstore.Options{Dir: tt.from, Env: repo.Env})
		if err != nil {
			t.Errorf("open %q: %v", tt.from, err)
			continue
		}
		if r.GitDir() != tt.gitDir || r.CommonDir() != tt.gitDir || filepath.Clean("/"+r.WorkTree()) != filepath.Clean("/"+tt.workTree) {
			t.Errorf("open %q: git directory %q, common %q, work tree %q", tt.from, r.GitDir(), r.CommonDir(), r.WorkTree())
		}
		mustCommit(t, r, branch, file("f", "1"))
		_ = r.Close()
	}
}

// TestSoundRefsSetsDamageApart lists what is sound beside what is not.
func TestSoundRefsSetsDamageApart(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t, gittest.Plain)
	r := open(t, repo)
	mustCommit(t, r, branch, file("f", "1"))
	heads := filepath.Join(repo.Main, ".git", "refs", "ctx", "heads")
	if err := os.WriteFile(filepath.Join(heads, "torn"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	repo.Git("symbolic-ref", "refs/ctx/heads/nowhere", "refs/ctx/heads/none")
	refs, broken, err := r.SoundRefs(ctx, "refs/ctx/")
	if err != nil || len(refs) != 1 || refs[0].Name != branch {
		t.Errorf("sound: %v, %v", refs, err)
	}
	var names []string
	for _, b := range broken {
		names = append(names, strings.TrimPrefix(b.Ref, "refs/ctx/heads/"))
	}
	if got := strings.Join(names, " "); got != "nowhere torn" || !broken[0].Dangling || broken[1].Dangling {
		t.Errorf("broken: %s", got)
	}
	if _, err := r.Refs(ctx, "refs/ctx/"); err == nil {
		t.Error("a listing that lost a branch is not an error")
	}
}

// TestGitErrorIsOneLine: what git says in several lines is one error.
func TestGitErrorIsOneLine(t *testing.T) {
	err := &gitstore.GitError{Args: []string{"-c", "a=b", "worktree", "add"}, ExitCode: 128, Stderr: "fatal: one\nerror: two\n\nPlease make sure."}
	if got, want := err.Error(), "git worktree: one; two"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
