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
	// Path is the file that holds our lines, or should.
	Path  string
	State State
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
		if h.State != Absent && h.State != Outdated && h.State != Bypassed {
			return nil
		}
		if why := p.unfit(); why != "" { // the file that git does run
			h.State, h.Why, h.Lines = LeftAlone, why, p.byHand
			return nil
		}
		text, there, err := readText(p.file)
		if err != nil {
			return err
		}
		if !there {
			text = p.head
		}
		if err := replaceFile(p.file, withBlock(text, p.lines, p.offset(text)), p.mode); err != nil {
			return err
		}
		h.State, h.Why = Installed, ""
		return nil
	})
}

// UninstallGit takes our lines out of git's hooks, bypassed ones included, and
// removes the files that held nothing else.
func UninstallGit(ctx context.Context, repo *gitstore.Repo) ([]GitHook, error) {
	return eachHook(ctx, repo, func(h *GitHook, p place) error {
		for _, file := range slices.Concat(p.past, p.remnants, []string{p.file}) {
			text, there, err := readText(file)
			if err != nil {
				return err
			}
			left := withoutBlock(text)
			if !there || left == text {
				continue
			}
			if left == shellHead || left == blockCreated {
				err = os.Remove(file)
			} else {
				err = replaceFile(file, left, 0o777)
			}
			if err != nil {
				return err
			}
		}
		if h.State != LeftAlone {
			h.State, h.Why = Absent, ""
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
	h := GitHook{Name: name, Path: p.file, Via: p.via, State: Absent}
	text, _, err := readText(p.file)
	if err != nil {
		return h, err
	}
	_, _, body, ours := findBlock(text)
	switch {
	case ours && p.holds(body):
		h.State = Installed
	case ours && p.via != lefthook: // whose file holds the lines of other hooks too
		h.State = Outdated
	default:
		if h.State, h.Why, err = r.elsewhere(p); err != nil {
			return h, err
		}
	}
	switch why := p.unfit(); {
	case why != "" && h.State == Installed:
		h.State, h.Why = Bypassed, why
	case why != "":
		h.State, h.Why, h.Lines = LeftAlone, why, p.byHand
	case !ours && !within(r.dir, r.repo.CommonDir()) && !within(r.dir, r.repo.WorkTree()):
		h.State, h.Lines = LeftAlone, p.byHand
		h.Why = "core.hooksPath names a folder that other repositories may use too"
	}
	return h, nil
}

// elsewhere finds our lines where git no longer comes to run them.
func (r room) elsewhere(p place) (State, string, error) {
	for _, file := range p.past {
		text, _, err := readText(file)
		if err != nil {
			return Absent, "", err
		}
		if _, _, _, ours := findBlock(text); !ours || file == p.file {
			continue
		}
		switch {
		case p.via != "":
			return Bypassed, fmt.Sprintf("git runs the hooks of %s, and not '%s'", p.via, file), nil
		case filepath.Dir(file) == r.dir:
			return Bypassed, fmt.Sprintf("another program put it aside, as '%s'", file), nil
		}
		return Bypassed, fmt.Sprintf("git runs the hooks of core.hooksPath, in '%s'", r.dir), nil
	}
	return Absent, "", nil
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
		return "it is no file"
	case executed && info.Mode().Perm()&0o111 == 0 && runtime.GOOS != "windows":
		return "it may not be executed, so git does not run it"
	}
	text, _, err := readText(file)
	if err != nil {
		return err.Error()
	}
	if executed && !shellScript(text) || strings.ContainsRune(text, 0) {
		return "it is no shell script"
	}
	return ""
}

func within(dir, parent string) bool {
	if parent == "" {
		return false
	}
	rel, err := filepath.Rel(parent, dir)
	return err == nil && filepath.IsLocal(rel)
}
