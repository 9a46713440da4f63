// Package codelink connects records with the code: it makes anchors of files and
// lines, tells whether anchored lines are still there, and finds the commits that
// a line of code comes from.
//
// It owns anchors, staleness and blame, and reads the code's files, index and
// history. It refuses a path that leads out of the worktree, and writes nothing.
package codelink

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/lazyregexp"
	"github.com/git-ctx/git-ctx/internal/regfile"
	"github.com/git-ctx/git-ctx/records"
)

var lineRange = lazyregexp.New(`^(.+):(\d+)(?:-(\d+))?$`)

// NewAnchor makes an anchor of PATH[:A[-B]], a file of the worktree: the digest of
// the cited lines, the blob they stand in, and the code commit at HEAD.
func NewAnchor(ctx context.Context, repo *gitstore.Repo, spec string) (records.Anchor, error) {
	name, from, to, err := SplitLines(spec)
	if err != nil {
		return records.Anchor{}, fmt.Errorf("anchor '%s': %w", spec, err)
	}
	rel, data, err := readWorktree(ctx, repo, name)
	if err != nil {
		return records.Anchor{}, fmt.Errorf("anchor '%s': %w", spec, err)
	}
	a := records.Anchor{Path: rel}
	cited := data
	if from > 0 {
		lines := bytes.SplitAfter(data, []byte("\n"))
		if n := len(lines); n > 0 && len(lines[n-1]) == 0 {
			lines = lines[:n-1]
		}
		if to > len(lines) {
			return records.Anchor{}, fmt.Errorf("anchor '%s': the file has %d lines", spec, len(lines))
		}
		cited = bytes.Join(lines[from-1:to], nil)
		a.Lines = fmt.Sprintf("%d-%d", from, to)
	}
	a.SHA256 = LinesDigest(cited)
	out, err := repo.Git(ctx, bytes.NewReader(data), "hash-object", "--stdin", "--path="+rel)
	if err != nil {
		return records.Anchor{}, fmt.Errorf("anchor '%s': %w", spec, err)
	}
	a.Blob = strings.TrimSpace(string(out))
	_, head, err := repo.Head(ctx)
	a.Commit = string(head)
	return a, err
}

// SplitLines takes PATH[:A[-B]] apart; from is 0 where no lines are named.
func SplitLines(spec string) (name string, from, to int, err error) {
	m := lineRange.FindStringSubmatch(spec)
	if m == nil {
		return spec, 0, 0, nil
	}
	from, ferr := strconv.Atoi(m[2])
	to, terr := from, error(nil)
	if m[3] != "" {
		to, terr = strconv.Atoi(m[3])
	}
	if ferr != nil || terr != nil || from < 1 || to < from {
		return "", 0, 0, fmt.Errorf("lines run from %s to %s; give A-B with 1 ≤ A ≤ B", m[2], cmp.Or(m[3], m[2]))
	}
	return m[1], from, to, nil
}

// LinesDigest is the SHA-256 of cited lines with LF line ends and one final LF.
func LinesDigest(lines []byte) string {
	h := newLinesHash()
	h.write(lines)
	return h.sum()
}

// readWorktree reads a file of the worktree, given relative to the directory
// the command runs in, and returns its path from the top. A path that leaves
// the worktree or into the git directory, by a link too, is refused, and so is what
// is not a regular file.
func readWorktree(ctx context.Context, repo *gitstore.Repo, name string) (rel string, data []byte, err error) {
	top := repo.WorkTree()
	if top == "" {
		return "", nil, errors.New("this repository has no worktree to read it from")
	}
	if rel, err = filepath.Rel(top, fullPath(repo, name)); err != nil {
		return "", nil, err
	}
	rel = path.Clean(filepath.ToSlash(rel))
	if rel == ".." || strings.HasPrefix(rel, "../") {
		return "", nil, &OutsideError{Path: name, Top: top}
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return "", nil, err
	}
	defer root.Close()
	f, err := regfile.OpenIn(root, rel)
	var odd *regfile.NotRegularError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil, errors.New("no such file in the worktree")
	case errors.As(err, &odd):
		return "", nil, errors.New(odd.What())
	case err != nil:
		return "", nil, err
	}
	defer f.Close()
	if inGitDir(repo, top, filepath.FromSlash(rel)) {
		return "", nil, errors.New("it is inside the git directory")
	}
	data, err = io.ReadAll(regfile.Stoppable(ctx, f))
	return rel, data, err
}

// inGitDir reports whether a file below the worktree's top, links followed, is git's own.
func inGitDir(repo *gitstore.Repo, top, rel string) bool {
	top, err := filepath.EvalSymlinks(top)
	if err != nil {
		return true // it cannot be told
	}
	at, err := filepath.EvalSymlinks(filepath.Join(top, rel))
	for ; err == nil && at != top && at != filepath.Dir(at); at = filepath.Dir(at) {
		info, serr := os.Stat(at)
		if serr != nil || strings.EqualFold(filepath.Base(at), ".git") {
			return true
		}
		for _, dir := range []string{repo.GitDir(), repo.CommonDir()} {
			if git, err := os.Stat(dir); err == nil && os.SameFile(info, git) {
				return true
			}
		}
	}
	return err != nil
}
