package hooks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/install"
)

// A GitHook is one of git's hooks, as this repository has it.
type GitHook struct {
	Name string
	// Path is the file that holds our lines, or should.
	Path  string
	State install.State
	// Via names the program that git's hook belongs to and that comes to Path:
	// husky, lefthook or pre-commit; "" where git runs Path itself.
	Via string
	// Why explains a state that needs it.
	Why string
	// Lines is what to add by hand to a hook that is left alone.
	Lines string
}

// InstallGit puts our lines where git, or the program that manages the hook,
// comes to run them, and returns what became of each. A hook that cannot take
// them is left alone.
func InstallGit(ctx context.Context, repo *gitstore.Repo) ([]GitHook, error) {
	return eachHook(ctx, repo, func(h *GitHook, p place) error {
		if h.State != install.Absent && h.State != install.Outdated && h.State != install.Bypassed {
			return nil
		}
		if why := p.unfit(); why != "" { // the file that git does run
			h.State, h.Why, h.Lines = install.LeftAlone, why, p.byHand
			return nil
		}
		text, there, err := install.ReadText(p.file)
		if err != nil {
			return err
		}
		if !there {
			text = p.head
		}
		if err := install.ReplaceFile(p.file, install.Shell().With(text, p.lines, p.offset(text)), p.mode); err != nil {
			return err
		}
		h.State, h.Why = install.Installed, ""
		return nil
	})
}

// UninstallGit takes our lines out of git's hooks, bypassed ones included, and
// removes the files that held nothing else.
func UninstallGit(ctx context.Context, repo *gitstore.Repo) ([]GitHook, error) {
	return eachHook(ctx, repo, func(h *GitHook, p place) error {
		for _, file := range slices.Concat(p.past, p.remnants, []string{p.file}) {
			text, there, err := install.ReadText(file)
			if err != nil {
				return err
			}
			left := install.Shell().Without(text)
			if !there || left == text {
				continue
			}
			if left == shellHead || left == install.Created {
				err = os.Remove(file)
			} else {
				err = install.ReplaceFile(file, left, 0o777)
			}
			if err != nil {
				return err
			}
		}
		if h.State != install.LeftAlone {
			h.State, h.Why = install.Absent, ""
		}
		return nil
	})
}

// StatusGit says what git does in each hook that git ctx takes part in.
func StatusGit(ctx context.Context, repo *gitstore.Repo) ([]GitHook, error) {
	return eachHook(ctx, repo, func(*GitHook, place) error { return nil })
}

func eachHook(ctx context.Context, repo *gitstore.Repo, do func(*GitHook, place) error) ([]GitHook, error) {
	out, err := repo.Git(ctx, nil, "rev-parse", "--path-format=absolute", "--git-path", "hooks")
	if err != nil {
		return nil, fmt.Errorf("find git's hooks: %w", err)
	}
	r := room{repo, strings.TrimSuffix(string(out), "\n")}
	var hooks []GitHook
	for _, name := range gitHooks() {
		p, err := r.place(name)
		if err != nil {
			return hooks, fmt.Errorf("hook '%s': %w", name, err)
		}
		h, err := r.look(name, p)
		if err == nil {
			err = do(&h, p)
		}
		if err != nil {
			return hooks, fmt.Errorf("hook '%s': %w", h.Path, err)
		}
		hooks = append(hooks, h)
	}
	return hooks, nil
}

// look finds out about one hook.
func (r room) look(name string, p place) (GitHook, error) {
	h := GitHook{Name: name, Path: p.file, Via: p.via, State: install.Absent}
	text, _, err := install.ReadText(p.file)
	if err != nil {
		return h, err
	}
	_, _, body, ours := install.Shell().Find(text)
	switch {
	case ours && p.holds(body):
		h.State = install.Installed
	case ours && p.via != lefthook: // whose file holds the lines of other hooks too
		h.State = install.Outdated
	default:
		if h.State, h.Why, err = r.elsewhere(p); err != nil {
			return h, err
		}
	}
	switch why := p.unfit(); {
	case why != "" && h.State == install.Installed:
		h.State, h.Why = install.Bypassed, why
	case why != "":
		h.State, h.Why, h.Lines = install.LeftAlone, why, p.byHand
	case !ours && !install.Within(r.dir, r.repo.CommonDir()) && !install.Within(r.dir, r.repo.WorkTree()):
		h.State, h.Lines = install.LeftAlone, p.byHand
		h.Why = "core.hooksPath names a folder that other repositories may use too"
	}
	return h, nil
}

// elsewhere finds our lines where git no longer comes to run them.
func (r room) elsewhere(p place) (install.State, string, error) {
	for _, file := range p.past {
		text, _, err := install.ReadText(file)
		if err != nil {
			return install.Absent, "", err
		}
		if _, _, _, ours := install.Shell().Find(text); !ours || file == p.file {
			continue
		}
		switch {
		case p.via != "":
			return install.Bypassed, fmt.Sprintf("git runs the hooks of %s, and not '%s'", p.via, file), nil
		case filepath.Dir(file) == r.dir:
			return install.Bypassed, fmt.Sprintf("another program put it aside, as '%s'", file), nil
		}
		return install.Bypassed, fmt.Sprintf("git runs the hooks of core.hooksPath, in '%s'", r.dir), nil
	}
	return install.Absent, "", nil
}

// unfitFile says why a hook file is not ours to change; "" when it is, or is not there.
func unfitFile(file string, executed bool) string {
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return ""
	case err != nil:
		return err.Error()
	case info.Mode()&fs.ModeSymlink != 0:
		return "it is a link to a file that may be used elsewhere too"
	case !info.Mode().IsRegular():
		return "it is not a file"
	case executed && info.Mode().Perm()&0o111 == 0 && runtime.GOOS != "windows":
		return "it may not be executed, so git does not run it"
	}
	text, _, err := install.ReadText(file)
	if err != nil {
		return err.Error()
	}
	if executed && !shellScript(text) || strings.ContainsRune(text, 0) {
		return "it is not a shell script"
	}
	return ""
}
