package codelink

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/regfile"
	"github.com/git-ctx/git-ctx/records"
)

// An State says whether the lines that an anchor cites are still there.
type State string

// The states of anchors.
const (
	Current   State = "current"   // where it says
	Moved     State = "moved"     // at other lines, or in another file
	Stale     State = "stale"     // the file no longer has them
	Gone      State = "gone"      // there is no such file, and the lines are found in no other
	Unchecked State = "unchecked" // it has no digest, or a sparse checkout leaves out what would tell
)

// A Check is what the code says of an anchor.
type Check struct {
	Anchor records.Anchor
	State  State
	// Path and Lines are where the cited lines stand now; "" unless they are
	// current or moved. Lines of a whole file are "".
	Path, Lines string
}

// Lost reports whether what the anchor cites can no longer be found.
func (c Check) Lost() bool { return c.State == Stale || c.State == Gone }

// ErrNoWorktree says that there are no files to read.
var ErrNoWorktree = errors.New("this repository has no worktree")

// CheckAnchors compares anchors with the code, each file read once, and returns what it
// found in the same order. A file that git's index has as the recorded blob, and that is
// not changed since, has the lines as recorded, whatever a filter made of it. Of
// another file the digest alone tells: lines that moved within it are followed, the
// nearest first. A file that is not there is looked for under other names.
func CheckAnchors(ctx context.Context, repo *gitstore.Repo, as []records.Anchor) ([]Check, error) {
	root, err := OpenWorktree(repo)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	checks := make([]Check, len(as))
	byPath := make(map[string][]*Check)
	for i, a := range as {
		checks[i] = Check{Anchor: a, State: Unchecked}
		if a.SHA256 != "" {
			byPath[a.Path] = append(byPath[a.Path], &checks[i])
		}
	}
	files, err := indexedFiles(ctx, repo, sortedKeys(byPath))
	if err != nil {
		return nil, err
	}
	var missing []*Check
	for _, name := range sortedKeys(byPath) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		there, err := compare(root, name, files[name], byPath[name])
		if err != nil {
			return nil, err
		}
		if !there && !files[name].leftOut {
			missing = append(missing, byPath[name]...)
		}
	}
	return checks, checkMissing(ctx, repo, root, missing)
}

// compare compares anchors with a file, and reports whether it is there.
func compare(root *os.Root, name string, f indexedFile, cs []*Check) (bool, error) {
	var rest []*Check
	for _, c := range cs {
		if f.blob != "" && !f.changed && string(f.blob) == c.Anchor.Blob {
			c.at(name, c.Anchor.Lines)
		} else {
			rest = append(rest, c)
		}
	}
	if len(rest) == 0 {
		return true, nil
	}
	there, err := checkFile(root, name, rest)
	if err != nil {
		return false, fmt.Errorf("compare anchors with '%s': %w", name, err)
	}
	return there, nil
}

// at says where the cited lines stand.
func (c *Check) at(name, lines string) {
	c.State, c.Path, c.Lines = Moved, name, lines
	if records.PathKey(name) == records.PathKey(c.Anchor.Path) && lines == c.Anchor.Lines {
		c.State = Current
	}
}

// checkFile compares the anchors of one file with it, and reports whether it is there.
func checkFile(root *os.Root, name string, cs []*Check) (bool, error) {
	f, err := regfile.OpenIn(root, name)
	if errors.Is(err, fs.ErrPermission) {
		return false, err
	}
	if err != nil {
		return false, nil // not there, not a regular file, or a link that leaves the worktree
	}
	defer f.Close()
	var cited []*citation
	for _, c := range cs {
		cited = append(cited, newCitation(c.Anchor))
	}
	if err := findCited(f, cited); err != nil {
		return false, err
	}
	for i, c := range cs {
		c.State, c.Path, c.Lines = Stale, "", ""
		if at := cited[i]; at.found {
			c.at(name, at.lines())
		}
	}
	return true, nil
}

// checkMissing looks for the lines of files that are not there in other files: the same
// name in another Unicode form, the recorded blob, the cited lines, and then what git
// takes for renamed. Every clone has what it looks at, so every clone finds the same.
func checkMissing(ctx context.Context, repo *gitstore.Repo, root *os.Root, missing []*Check) error {
	if len(missing) == 0 {
		return nil
	}
	s, err := newCodeSearch(ctx, repo)
	if err != nil {
		return err
	}
	for _, c := range missing {
		s.byName(c)
		s.byBlob(c)
	}
	if err := s.byContent(ctx, missing, path.Base, 0); err != nil {
		return err
	}
	if err := s.byContent(ctx, missing, path.Ext, proof); err != nil {
		return err
	}
	if err := s.byHistory(ctx, missing); err != nil {
		return err
	}
	at := make(map[string][]*Check)
	for _, c := range missing {
		if c.State = Gone; s.partial {
			c.State = Unchecked
		}
		if p, ok := s.found[c]; ok {
			at[p.name] = append(at[p.name], c)
		}
	}
	now, err := indexedFiles(ctx, repo, sortedKeys(at))
	if err != nil {
		return err
	}
	for _, name := range sortedKeys(at) {
		f := now[name]
		var rest []*Check
		for _, c := range at[name] {
			if p := s.found[c]; p.read && !f.changed {
				c.at(name, p.lines(c.Anchor))
				continue
			}
			rest = append(rest, c)
			if f.leftOut {
				c.State = Unchecked // git has the file, a sparse checkout does not
			}
		}
		if _, err := compare(root, name, f, rest); err != nil {
			return err
		}
	}
	return nil
}

func sortedKeys(m map[string][]*Check) []string { return slices.Sorted(maps.Keys(m)) }
