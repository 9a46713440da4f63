package gitstore_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/gittest"
)

func TestOpenOutsideARepository(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "outside")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := gitstore.Open(context.Background(), gitstore.Options{Dir: dir, Env: gittest.Env(home)})
	if !errors.Is(err, gitstore.ErrNotRepository) {
		t.Errorf("got %v", err)
	}
	if left, err := os.ReadDir(dir); len(left) != 0 || err != nil {
		t.Errorf("something was created: %v, %v", left, err)
	}
	if _, err := gitstore.Open(context.Background(), gitstore.Options{Dir: filepath.Join(dir, "none")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent directory: %v", err)
	}
}

func TestOpenWrongOwner(t *testing.T) {
	repo := gittest.New(t, gittest.Plain)
	open(t, repo) // positive control
	env := append(repo.Env, "GIT_TEST_ASSUME_DIFFERENT_OWNER=1")
	_, err := gitstore.Open(context.Background(), gitstore.Options{Dir: repo.Dir, Env: env})
	var owner *gitstore.OwnershipError
	if !errors.As(err, &owner) || !strings.Contains(owner.Hint, "safe.directory") {
		t.Errorf("got %v", err)
	}
}

func TestOpenWithoutGit(t *testing.T) {
	repo := gittest.New(t, gittest.Plain)
	t.Setenv("PATH", t.TempDir())
	_, err := gitstore.Open(context.Background(), gitstore.Options{Dir: repo.Dir, Env: repo.Env})
	if !errors.Is(err, gitstore.ErrGitMissing) {
		t.Errorf("got %v", err)
	}
}

func TestOpenWithOldGit(t *testing.T) {
	bin := t.TempDir()
	// An old rev-parse echoes the flags it does not know.
	script := "#!/bin/sh\nshift\nfor a; do echo \"$a\"; done\n"
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	_, err := gitstore.Open(context.Background(), gitstore.Options{Dir: t.TempDir()})
	if !errors.Is(err, gitstore.ErrGitTooOld) {
		t.Errorf("got %v", err)
	}
}

func TestOpenByGitDir(t *testing.T) {
	repo := gittest.New(t, gittest.Plain)
	for _, opts := range []gitstore.Options{
		{Dir: filepath.Dir(repo.Main), GitDir: "repo/.git", Env: repo.Env},
		{Dir: filepath.Join(repo.Main, ".git"), Env: repo.Env},
	} {
		r, err := gitstore.Open(context.Background(), opts)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if r.GitDir() != filepath.Join(repo.Main, ".git") || r.CommonDir() != r.GitDir() {
			t.Errorf("git dir %q", r.GitDir())
		}
		if _, err := r.Snapshot(context.Background(), "HEAD"); err != nil {
			t.Error(err)
		}
	}
}

func TestUnknownRevision(t *testing.T) {
	r := open(t, gittest.New(t, gittest.Plain))
	for _, rev := range []string{"", "nonesuch", "refs/ctx/heads/none", "--all", "-x", "HEAD~9", "HEAD:top.txt", "a\nb", "HEAD^{tree}"} {
		if _, err := r.Snapshot(context.Background(), rev); !errors.Is(err, gitstore.ErrUnknownRevision) {
			t.Errorf("%q: %v", rev, err)
		}
	}
	if _, err := r.Snapshot(context.Background(), "HEAD~1"); err != nil {
		t.Errorf("positive control: %v", err)
	}
	var missing *gitstore.MissingObjectError
	if _, err := r.Snapshot(context.Background(), strings.Repeat("1", 40)); !errors.As(err, &missing) {
		t.Errorf("absent object: %v", err)
	}
}

func TestConfig(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t, gittest.Plain)
	path := filepath.Join(repo.Main, ".git", "config")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const own = "# a comment of the user's\n[ctx]\n\tbare-word\n\tmulti = a\n\tmulti = \"b\\nc\"\n[remote \"Or.Igin\"]\n\turl = x ; why\n"
	if err := os.WriteFile(path, append(b, own...), 0o644); err != nil {
		t.Fatal(err)
	}
	r := open(t, repo)
	for key, want := range map[string]string{
		"ctx.bare-word": "true", "CTX.Multi": "b\nc", "remote.Or.Igin.URL": "x", "user.name": "Ada Example",
	} {
		if got, ok, err := r.Config(ctx, key); got != want || !ok || err != nil {
			t.Errorf("%s = %q %v %v, want %q", key, got, ok, err, want)
		}
	}
	if _, ok, err := r.Config(ctx, "remote.or.igin.url"); ok || err != nil {
		t.Errorf("subsections keep their case: %v %v", ok, err)
	}
	if err := r.SetConfig(ctx, "ctx.new", "v 1"); err != nil {
		t.Fatal(err)
	}
	if got, _, _ := r.Config(ctx, "ctx.new"); got != "v 1" || repo.Git("config", "ctx.new") != "v 1" {
		t.Errorf("set: %q", got)
	}
	if err := r.SetConfig(ctx, "ctx.multi", "x"); err == nil {
		t.Error("one of several values was replaced")
	}
	if err := r.AddConfig(ctx, "ctx.new", "v 2"); err != nil {
		t.Fatal(err)
	}
	if all, err := r.ConfigAll(ctx, "ctx.new"); len(all) != 2 || err != nil {
		t.Errorf("add: %q, %v", all, err)
	}
	for range 2 {
		if err := r.UnsetConfig(ctx, "ctx.new"); err != nil {
			t.Fatal(err)
		}
	}
	after, err := os.ReadFile(path)
	if err != nil || string(after) != string(b)+own {
		t.Errorf("the rest of the file changed (%v):\n%s", err, after)
	}
}

func TestIdentity(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t, gittest.Plain)
	tests := []struct {
		name              string
		env               []string
		author, committer string // as name <email> unix zone
		unknown           bool
		fails             string
	}{
		{name: "config", author: "Ada Example <ada@example.com>", committer: "Ada Example <ada@example.com>"},
		{name: "environment", env: []string{"GIT_AUTHOR_NAME=Bo Example", "GIT_AUTHOR_EMAIL=bo@example.com", "GIT_AUTHOR_DATE=@1700000000 +0130"},
			author: "Bo Example <bo@example.com> 1700000000 +0130", committer: "Ada Example <ada@example.com>"},
		{name: "stripped by git", env: []string{"GIT_AUTHOR_NAME= Bo <x> "}, author: "Bo x <ada@example.com>", committer: "Ada Example <ada@example.com>"},
		{name: "loose date", env: []string{"GIT_AUTHOR_DATE=2026-11-30 10:00:00 +0200"},
			author: "Ada Example <ada@example.com> 1796025600 +0200", committer: "Ada Example <ada@example.com>"},
		{name: "hook", env: []string{"GIT_INDEX_FILE=.git/index", "GIT_AUTHOR_NAME=Bo Example", "GIT_AUTHOR_EMAIL=bo@example.com"},
			author: "Ada Example <ada@example.com>", committer: "Ada Example <ada@example.com>"},
		{name: "unknown", env: []string{"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_COUNT=1",
			"GIT_CONFIG_KEY_0=user.useConfigOnly", "GIT_CONFIG_VALUE_0=true"}, unknown: true},
		{name: "no date", env: []string{"GIT_COMMITTER_DATE=soon"}, fails: "GIT_COMMITTER_DATE is 'soon'"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := *repo
			in.Env = append(repo.Env[:len(repo.Env):len(repo.Env)], tt.env...)
			author, committer, err := open(t, &in).Identity(ctx)
			if tt.unknown {
				if !errors.Is(err, gitstore.ErrNoIdentity) {
					t.Errorf("got %v, %v", author, err)
				}
				return
			}
			if tt.fails != "" {
				if err == nil || errors.Is(err, gitstore.ErrNoIdentity) || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("got %v, %v", committer, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range []struct {
				got  gitstore.Signature
				want string
			}{{author, tt.author}, {committer, tt.committer}} {
				got := p.got.Name + " <" + p.got.Email + ">"
				if len(strings.Fields(p.want)) > len(strings.Fields(got)) {
					got += " " + unixZone(p.got.When)
				} else if time.Since(p.got.When) > time.Minute {
					t.Errorf("time %v", p.got.When)
				}
				if got != p.want {
					t.Errorf("got %s, want %s", got, p.want)
				}
			}
		})
	}
}

func TestIdentityIncludeIf(t *testing.T) {
	repo := gittest.New(t, gittest.Plain)
	repo.WriteFile("../work.config", "[user]\n\temail = ada@work.example.com\n")
	repo.Git("config", "--global", "includeIf.gitdir:"+repo.Main+"/.path", "work.config")
	author, _, err := open(t, repo).Identity(context.Background())
	if err != nil || author.Email != "ada@work.example.com" {
		t.Errorf("got %v, %v", author, err)
	}
}

func TestGitEnvironment(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t, gittest.Plain)
	leak := *repo
	leak.Env = append(repo.Env[:len(repo.Env):len(repo.Env)], "LC_ALL=de_DE.UTF-8", "GIT_LITERAL_PATHSPECS=1", "GIT_CONFIG="+os.DevNull)
	r := open(t, &leak)
	if v, ok, err := r.Config(ctx, "user.name"); v != "Ada Example" || !ok || err != nil {
		t.Errorf("GIT_CONFIG leaked: %q %v %v", v, ok, err)
	}
	// A replaced commit must still read as what its name says.
	head, err := r.Ref(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	repo.Git("replace", string(head), string(head)+"~1")
	repo.Git("repack", "-adq")
	c, err := r.ReadCommit(ctx, head)
	if err != nil || c.Message != "second\n" {
		t.Errorf("%q, %v", c.Message, err)
	}
	// Nor is a commit without the parents that its name says; git itself shows that the graft is one.
	repo.WriteFile(".git/info/grafts", string(head)+"\n")
	if n := strings.TrimSpace(repo.Git("--no-replace-objects", "rev-list", "--count", string(head))); n != "1" {
		t.Fatalf("git counts %s commits behind the graft", n)
	}
	if out, err := r.Git(ctx, nil, "rev-list", "--count", string(head)); err != nil || strings.TrimSpace(string(out)) != "2" {
		t.Errorf("%s commits, %v", out, err)
	}
	_, err = r.Git(ctx, nil, "-c", "a.b=c", "nonesuch-verb")
	var ge *gitstore.GitError
	if !errors.As(err, &ge) || ge.ExitCode != 1 || !strings.Contains(err.Error(), "git nonesuch-verb: ") {
		t.Errorf("got %v", err)
	}
}

func unixZone(at time.Time) string {
	return strconv.FormatInt(at.Unix(), 10) + at.Format(" -0700")
}
