package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-ctx/git-ctx/internal/ledger/index"
)

// DropCaches removes what we keep beside git's objects and can make anew: every
// index, which holds texts, and what names commits that are gone.
func (l *Ledger) DropCaches() error {
	if err := l.Close(); err != nil && !errors.Is(err, index.ErrUnavailable) {
		return err
	}
	ours := os.DirFS(filepath.Join(l.repo.CommonDir(), "ctx"))
	for _, pattern := range []string{"index/*", "scopes/*/index/*"} {
		dirs, err := fs.Glob(ours, pattern)
		if err != nil {
			return fmt.Errorf("drop the indexes: %w", err)
		}
		for _, d := range dirs {
			if err := index.Remove(filepath.Join(l.repo.CommonDir(), "ctx", filepath.FromSlash(d))); err != nil {
				return err
			}
		}
	}
	if err := os.Remove(l.verifiedFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, pattern := range []string{"ctx/sessions/*.packet.json", "worktrees/*/ctx/sessions/*.packet.json"} {
		marks, err := fs.Glob(os.DirFS(l.repo.CommonDir()), pattern)
		if err != nil {
			return err
		}
		for _, m := range marks {
			if err := os.Remove(filepath.Join(l.repo.CommonDir(), m)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// IndexDir is the directory of the indexes of what the ledger is bound to.
func (l *Ledger) IndexDir() string { return filepath.Join(l.scopeDir(l.repo.CommonDir()), "index") }
