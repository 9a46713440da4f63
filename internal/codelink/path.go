package codelink

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
)

// TopPath turns a path given relative to where the command runs into one from
// the worktree's top. Where there is no worktree it is taken as it stands.
func TopPath(repo *gitstore.Repo, name string) (string, error) {
	top := repo.WorkTree()
	rel := path.Clean(filepath.ToSlash(name))
	if top != "" {
		var err error
		if rel, err = filepath.Rel(top, fullPath(repo, name)); err != nil {
			return "", fmt.Errorf("path '%s': %w", name, err)
		}
		rel = filepath.ToSlash(rel)
	}
	if rel == ".." || strings.HasPrefix(rel, "../") || path.IsAbs(rel) {
		return "", &OutsideError{Path: name, Top: top}
	}
	return rel, nil
}

// fullPath is the whole path of a name given where the command runs. From outside the
// worktree, as with GIT_WORK_TREE, a name counts from its top, as it does to git.
func fullPath(repo *gitstore.Repo, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	top, dir := repo.WorkTree(), repo.Dir()
	if rel, err := filepath.Rel(top, dir); err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		dir = top
	}
	return filepath.Join(dir, name)
}

// An OutsideError refuses a path that leaves the worktree.
type OutsideError struct {
	Path string
	Top  string // of the worktree, "" where there is none
}

func (e *OutsideError) Error() string {
	if e.Top == "" {
		return fmt.Sprintf("path '%s': it leaves the repository's top", e.Path)
	}
	return fmt.Sprintf("path '%s': it is outside the worktree '%s'", e.Path, e.Top)
}
