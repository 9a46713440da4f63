package hooks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
)

// A State says what is the matter with one of git's hooks.
type State string

// The states.
const (
	Installed State = "installed"
	Absent    State = "absent"
	Outdated  State = "outdated"   // installed by another version
	Bypassed  State = "bypassed"   // installed where git no longer looks
	LeftAlone State = "left-alone" // the hook that is there is not ours to change
)

// A GitHook is one of git's hooks, as this repository has it.
type GitHook struct {
	Name string
	// Path is the file that git runs, or that holds our lines in vain.
	Path  string
	State State
	// Why explains a state that needs it.
	Why string
}

// gitHooks are the hooks that git ctx takes part in.
func gitHooks() []string { return []string{"post-merge"} }

// hookLines are our lines in a hook. They come first, because a hook may end
// itself anywhere; they read no input, keep the arguments, and cannot fail.
func hookLines(name string) string {
	return "# git ctx's part of this hook; 'git ctx hooks uninstall' takes it out.\n" +
		"if command -v git-ctx >/dev/null 2>&1; then\n" +
		"\tgit ctx hook " + name + " \"$@\" </dev/null || :\n" +
		"else\n" +
		"\techo 'git ctx is not on PATH: its part of the " + name + " hook is left out' >&2\n" +
		"fi\n"
}

// InstallGit puts our lines into git's hooks, where git looks for them, and
// returns what became of each. A hook that cannot take them is left alone.
func InstallGit(ctx context.Context, repo *gitstore.Repo) ([]GitHook, error) {
	return eachHook(ctx, repo, func(h *GitHook) error {
		if h.State != Absent && h.State != Outdated && h.State != Bypassed {
			return nil
		}
		if h.State == Bypassed { // the file that git does run
			if why := unfit(h.Path); why != "" {
				h.State, h.Why = LeftAlone, why
				return nil
			}
		}
		text, there, err := readText(h.Path)
		if err != nil {
			return err
		}
		if there {
			text = withBlock(text, hookLines(h.Name), afterShebang(text))
		} else {
			text = "#!/bin/sh\n" + blockCreated + withBlock("", hookLines(h.Name), 0)
		}
		if err := replaceFile(h.Path, text, 0o777); err != nil {
			return err
		}
		h.State, h.Why = Installed, ""
		return nil
	})
}

// UninstallGit takes our lines out of git's hooks, bypassed ones included, and
// removes the files that held nothing else.
func UninstallGit(ctx context.Context, repo *gitstore.Repo) ([]GitHook, error) {
	return eachHook(ctx, repo, func(h *GitHook) error {
		for _, file := range []string{h.Path, filepath.Join(repo.CommonDir(), "hooks", h.Name)} {
			text, there, err := readText(file)
			if err != nil {
				return err
			}
			left := withoutBlock(text)
			if !there || left == text {
				continue
			}
			if left == "#!/bin/sh\n"+blockCreated {
				err = os.Remove(file)
			} else {
				err = replaceFile(file, left, 0o777)
			}
			if err != nil {
				return err
			}
			h.State, h.Why = Absent, ""
		}
		return nil
	})
}

// StatusGit says what git does in each hook that git ctx takes part in.
func StatusGit(ctx context.Context, repo *gitstore.Repo) ([]GitHook, error) {
	return eachHook(ctx, repo, func(*GitHook) error { return nil })
}

func eachHook(ctx context.Context, repo *gitstore.Repo, do func(*GitHook) error) ([]GitHook, error) {
	out, err := repo.Git(ctx, nil, "rev-parse", "--path-format=absolute", "--git-path", "hooks")
	if err != nil {
		return nil, fmt.Errorf("find git's hooks: %w", err)
	}
	dir := strings.TrimSuffix(string(out), "\n")
	var hooks []GitHook
	for _, name := range gitHooks() {
		h, err := look(repo, dir, name)
		if err == nil {
			err = do(&h)
		}
		if err != nil {
			return hooks, fmt.Errorf("hook '%s': %w", h.Path, err)
		}
		hooks = append(hooks, h)
	}
	return hooks, nil
}

// look finds out about one hook.
func look(repo *gitstore.Repo, dir, name string) (GitHook, error) {
	h := GitHook{Name: name, Path: filepath.Join(dir, name), State: Absent}
	text, _, err := readText(h.Path)
	if err != nil {
		return h, err
	}
	usual, _, err := readText(filepath.Join(repo.CommonDir(), "hooks", name))
	if err != nil {
		return h, err
	}
	_, _, body, ours := findBlock(text)
	_, _, _, elsewhere := findBlock(usual)
	switch {
	case ours && body == hookLines(name):
		h.State = Installed
	case ours:
		h.State = Outdated
	case elsewhere:
		h.State = Bypassed
		h.Why = fmt.Sprintf("git runs the hooks of core.hooksPath, in '%s'", dir)
	}
	if why := unfit(h.Path); why != "" {
		h.State, h.Why = LeftAlone, why
		if ours {
			h.State = Bypassed
		}
	} else if !ours && !within(dir, repo.CommonDir()) && !within(dir, repo.WorkTree()) {
		h.State = LeftAlone
		h.Why = "core.hooksPath names a folder that other repositories may use too"
	}
	return h, nil
}

// isShell reports whether a program reads the language of our lines.
func isShell(program string) bool {
	return slices.Contains([]string{"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh"}, path.Base(program))
}

// unfit says why a hook file is not ours to change; "" when it is, or is not there.
func unfit(file string) string {
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ""
	case err != nil:
		return err.Error()
	case info.Mode()&fs.ModeSymlink != 0:
		return "it is a link to a file that may be used elsewhere too"
	case !info.Mode().IsRegular():
		return "it is no file"
	case info.Mode().Perm()&0o111 == 0 && runtime.GOOS != "windows":
		return "it may not be executed, so git does not run it"
	}
	text, _, err := readText(file)
	if err != nil {
		return err.Error()
	}
	line, _, _ := strings.Cut(text, "\n")
	command, ok := strings.CutPrefix(line, "#!")
	words := strings.Fields(command)
	if len(words) > 1 && path.Base(words[0]) == "env" {
		words = words[1:]
	}
	if ok && (len(words) == 0 || !isShell(words[0])) || strings.ContainsRune(text, 0) {
		return "it is no shell script"
	}
	return ""
}

func afterShebang(text string) int {
	if !strings.HasPrefix(text, "#!") {
		return 0
	}
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i + 1
	}
	return len(text)
}

func within(dir, parent string) bool {
	if parent == "" {
		return false
	}
	rel, err := filepath.Rel(parent, dir)
	return err == nil && filepath.IsLocal(rel)
}
