// Package gittest makes hermetic git repositories for tests: real git, in the
// shapes people have, untouched by the machine's configuration.
package gittest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Repo is a repository made for one test and removed with it.
type Repo struct {
	Dir   string   // where a user of this shape would stand
	Env   []string // environment for git and for the program under test
	Main  string   // the repository that owns the refs: differs from Dir in a sub-directory or worktree
	Other string   // the repository it was cloned from or is part of, where the shape has one
	Shape Shape

	t testing.TB
}

// Env returns an environment in which git reads no configuration but the
// repository's, knows one fixed identity, and keeps its home in home.
func Env(home string) []string {
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		switch {
		case strings.HasPrefix(name, "GIT_"), strings.HasPrefix(name, "LC_"), strings.HasPrefix(name, "XDG_"),
			name == "HOME", name == "LANG", name == "LANGUAGE", name == "EMAIL", name == "PWD":
		default:
			env = append(env, kv)
		}
	}
	return append(env,
		"HOME="+home,
		"XDG_CONFIG_HOME="+filepath.Join(home, ".config"),
		"LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL="+filepath.Join(home, ".gitconfig"),
		"GIT_CEILING_DIRECTORIES="+filepath.Dir(home),
		"GIT_TERMINAL_PROMPT=0",
	)
}

// GlobalConfig is the user configuration of a hermetic home; scripts may write
// it to $HOME/.gitconfig themselves.
const GlobalConfig = `[user]
	name = Ada Example
	email = ada@example.com
[init]
	defaultBranch = main
[gc]
	auto = 0
[maintenance]
	auto = false
[protocol "file"]
	allow = always
[advice]
	detachedHead = false
`

// WithDates returns env with both of git's dates fixed, in any form git reads.
func WithDates(env []string, date string) []string {
	return append(env[:len(env):len(env)], "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
}

// New makes a repository of the shape, with one code commit unless the shape
// says otherwise.
func New(t testing.TB, shape Shape) *Repo {
	t.Helper()
	home := t.TempDir()
	// git reports resolved paths; so do tests.
	home, err := filepath.EvalSymlinks(home)
	if err != nil {
		t.Fatal(err)
	}
	r := &Repo{t: t, Shape: shape, Env: Env(home)}
	r.Main = filepath.Join(home, "repo")
	r.Dir = r.Main
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(GlobalConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	r.build(home)
	return r
}

// Git runs git in Dir and returns its output without the last line feed.
func (r *Repo) Git(args ...string) string {
	r.t.Helper()
	return r.GitIn(r.Dir, args...)
}

// GitIn runs git in another directory with the same environment.
func (r *Repo) GitIn(dir string, args ...string) string {
	r.t.Helper()
	out, err := r.run(dir, "", args...)
	if err != nil {
		r.t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// GitInput runs git in Dir with standard input.
func (r *Repo) GitInput(stdin string, args ...string) string {
	r.t.Helper()
	out, err := r.run(r.Dir, stdin, args...)
	if err != nil {
		r.t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// TryGit runs git in Dir; its error holds what git said.
func (r *Repo) TryGit(args ...string) (string, error) { return r.run(r.Dir, "", args...) }

func (r *Repo) run(dir, stdin string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, r.Env
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = errors.New(exit.String() + ": " + strings.TrimSpace(string(exit.Stderr)))
	}
	return strings.TrimSuffix(string(out), "\n"), err
}

// WriteFile writes a file below Dir.
func (r *Repo) WriteFile(name, content string) {
	r.t.Helper()
	writeFile(r.t, filepath.Join(r.Dir, filepath.FromSlash(name)), content)
}

// Commit writes a file below Dir and commits it to the code branch.
func (r *Repo) Commit(name, content string) {
	r.t.Helper()
	r.WriteFile(name, content)
	r.Git("add", "--", name)
	r.Git("commit", "--quiet", "-m", "change "+name)
}

// Fsck fails the test unless `git fsck --strict` finds nothing wrong.
func (r *Repo) Fsck() {
	r.t.Helper()
	if out, err := r.TryGit("fsck", "--strict", "--no-dangling"); err != nil {
		r.t.Errorf("git fsck: %v\n%s", err, out)
	}
	if out, err := r.TryGit("for-each-ref"); err != nil {
		r.t.Errorf("git for-each-ref: %v\n%s", err, out)
	}
}

// Untouched fails the test when the work tree or index differ from HEAD.
func (r *Repo) Untouched() {
	r.t.Helper()
	if r.Git("rev-parse", "--is-inside-work-tree") != "true" {
		return
	}
	if out := r.Git("status", "--porcelain"); out != "" {
		r.t.Errorf("git status is not clean:\n%s", out)
	}
}

func writeFile(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
