package ledger

import (
	"path/filepath"
	"strings"

	"github.com/git-ctx/git-ctx/internal/codelink"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/records"
)

// TopPath turns a path given relative to where the command runs into one from
// the worktree's top. Where there is no worktree it is taken as it stands.
func (l *Ledger) TopPath(name string) (string, error) {
	if records.Blank(name) {
		return "", &grammar.EmptyError{Field: "path", Value: name}
	}
	return codelink.TopPath(l.repo, name)
}

// TopGlob is [Ledger.TopPath] for a glob. A folder keeps the slash at its end,
// and the top itself stands for all below it.
func (l *Ledger) TopGlob(glob string) (string, error) {
	rel, err := l.TopPath(glob)
	switch {
	case err != nil:
		return "", err
	case rel == ".":
		return "**", nil
	case strings.HasSuffix(filepath.ToSlash(glob), "/"):
		rel += "/"
	}
	return rel, nil
}
