package hooks_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/git-ctx/git-ctx/hooks"
	"github.com/git-ctx/git-ctx/internal/gittest"
	"github.com/git-ctx/git-ctx/internal/install"
)

// A hook keeps its bytes and its mode, however it is written; twice is once.
func TestUninstallRestoresAwkwardHooks(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name, text string
		mode       os.FileMode
		state      install.State // after the install
	}{
		{"no final newline", "#!/bin/sh\nexit 0", 0o755, install.Installed},
		{"only a shebang", "#!/bin/sh", 0o700, install.Installed},
		{"no shebang", "exit 0\n", 0o711, install.Installed},
		{"empty", "", 0o755, install.Installed},
		{"CRLF", "#!/usr/bin/env bash\r\necho a\r\nexit 0\r\n", 0o775, install.Installed},
		{"made by no one we know", "#!/bin/sh\n# This file was made by git ctx.\necho mine\n", 0o755, install.Installed},
		{"invalid UTF-8", "#!/bin/sh\necho \xff\xfe\n", 0o755, install.Installed},
		{"not executable", "#!/bin/sh\nexit 0\n", 0o640, install.LeftAlone},
		{"another language", "#!/usr/bin/env python3\npass\n", 0o755, install.LeftAlone},
		{"a program", "\x7fELF\x00\x00", 0o755, install.LeftAlone},
	} {
		t.Run(c.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && c.name == "not executable" {
				t.Skip("files have no such mode here")
			}
			r := gittest.New(t, gittest.Plain)
			repo := open(t, r)
			file := filepath.Join(repo.CommonDir(), "hooks", "pre-push")
			if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(c.text), c.mode); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(file, c.mode); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				h := stateOf(t, "pre-push")(hooks.InstallGit(ctx, repo))
				if h.State != c.state || (h.State == install.LeftAlone) != (h.Lines != "") {
					t.Errorf("installed: %+v", h)
				}
			}
			with, err := os.ReadFile(file)
			if err != nil || bytes.Count(with, []byte("git-ctx hook pre-push")) != map[bool]int{true: 1}[c.state == install.Installed] {
				t.Errorf("the hook is %q (%v)", with, err)
			}
			if _, err := hooks.UninstallGit(ctx, repo); err != nil {
				t.Fatal(err)
			}
			after, err := os.ReadFile(file)
			if err != nil || string(after) != c.text {
				t.Errorf("%q came back as %q (%v)", c.text, after, err)
			}
			if info, err := os.Stat(file); err != nil || info.Mode().Perm() != c.mode {
				t.Errorf("mode %v came back as %v (%v)", c.mode, info.Mode(), err)
			}
		})
	}
}

// A link stays one, and what it leads to is not touched.
func TestLinkedHookIsLeftAlone(t *testing.T) {
	ctx := context.Background()
	r := gittest.New(t, gittest.Plain)
	repo := open(t, r)
	target := filepath.Join(r.Dir, "hook.sh")
	file := filepath.Join(repo.CommonDir(), "hooks", "pre-commit")
	if err := os.WriteFile(target, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, file); err != nil {
		t.Fatal(err)
	}
	if h := stateOf(t, "pre-commit")(hooks.InstallGit(ctx, repo)); h.State != install.LeftAlone || h.Lines != `git-ctx hook pre-commit "$@"` {
		t.Errorf("installed: %+v", h)
	}
	if _, err := hooks.UninstallGit(ctx, repo); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(file); err != nil || to != target {
		t.Errorf("the link leads to %q (%v)", to, err)
	}
	if data, err := os.ReadFile(target); err != nil || string(data) != "#!/bin/sh\n" {
		t.Errorf("its target is %q (%v)", data, err)
	}
}

// Where git's hooks folder is none, git runs no hook, and nothing is to be done.
func TestHooksFolderThatIsNone(t *testing.T) {
	ctx := context.Background()
	for name, spoil := range map[string]func(r *gittest.Repo, file string) error{
		"a file": func(_ *gittest.Repo, file string) error { return os.WriteFile(file, nil, 0o644) },
		"core.hooksPath": func(r *gittest.Repo, _ string) error {
			r.Git("config", "core.hooksPath", os.DevNull)
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && name == "core.hooksPath" {
				t.Skip("there is no such file here")
			}
			r := gittest.New(t, gittest.Plain)
			repo := open(t, r)
			dir := filepath.Join(repo.CommonDir(), "hooks")
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			if err := spoil(r, dir); err != nil {
				t.Fatal(err)
			}
			if h := stateOf(t, "pre-commit")(hooks.InstallGit(ctx, repo)); h.State != install.LeftAlone || !strings.Contains(h.Why, "is not a directory") {
				t.Errorf("installed: %+v", h)
			}
			if _, err := hooks.StatusGit(ctx, repo); err != nil {
				t.Error(err)
			}
			if _, err := hooks.UninstallGit(ctx, repo); err != nil {
				t.Error(err)
			}
		})
	}
}

func stateOf(t *testing.T, name string) func([]hooks.GitHook, error) hooks.GitHook {
	return func(found []hooks.GitHook, err error) hooks.GitHook {
		t.Helper()
		i := slices.IndexFunc(found, func(h hooks.GitHook) bool { return h.Name == name })
		if err != nil || i < 0 {
			t.Fatalf("no hook %s in %+v (%v)", name, found, err)
		}
		return found[i]
	}
}

// The manifest that the pre-commit framework reads names what this program runs.
func TestManifestOfThePreCommitFramework(t *testing.T) {
	data, err := os.ReadFile("../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var manifest []struct {
		ID, Name, Entry, Language string
		Stages                    []string
		PassFilenames             *bool `yaml:"pass_filenames"`
		AlwaysRun                 bool  `yaml:"always_run"`
	}
	if err := yaml.Unmarshal(data, &manifest); err != nil || len(manifest) == 0 {
		t.Fatal(manifest, err)
	}
	r := gittest.New(t, gittest.Plain)
	found, err := hooks.StatusGit(context.Background(), open(t, r))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range manifest {
		name, ok := strings.CutPrefix(m.Entry, "git-ctx hook ")
		if !ok || !slices.ContainsFunc(found, func(h hooks.GitHook) bool { return h.Name == name }) {
			t.Errorf("%s: '%s' runs no hook of ours", m.ID, m.Entry)
		}
		if m.Language != "golang" || m.ID == "" || m.Name == "" || !slices.Equal(m.Stages, []string{name}) || m.PassFilenames == nil || *m.PassFilenames || !m.AlwaysRun {
			t.Errorf("%+v", m)
		}
	}
}

func TestEnvironOfAHook(t *testing.T) {
	env := []string{"GIT_INDEX_FILE=.git/next-index", "GIT_DIR=.git", "GIT_AUTHOR_NAME=Bob Example"}
	want := []string{"GIT_DIR=.git", "GIT_TERMINAL_PROMPT=0"}
	if got := hooks.Environ("pre-push", env); !slices.Equal(got, want) {
		t.Errorf("pre-push: %q", got)
	}
	if got := hooks.Environ("pre-commit", env); !slices.Equal(got, append(want, "GIT_INDEX_FILE=.git/next-index")) {
		t.Errorf("pre-commit: %q", got)
	}
}
