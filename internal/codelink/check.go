package codelink

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/regfile"
	"github.com/git-ctx/git-ctx/records"
)

// An State says whether the lines that an anchor cites are still there.
type State string

// The states of anchors.
const (
	Current   State = "current"   // where it says
	Moved     State = "moved"     // at other lines, or in the file under another name
	Stale     State = "stale"     // the file no longer has them
	Gone      State = "gone"      // there is no such file, nor one that git takes for it renamed
	Unchecked State = "unchecked" // it has no digest, or a sparse checkout leaves the file out
)

// An Check is what the worktree says of an anchor.
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

// CheckAnchors compares anchors with the files of the worktree, each file read
// once, and returns what it found in the same order. The digest alone tells:
// lines that moved within the file are followed, the nearest first, and a file
// that git knows to be renamed since the anchor's commit is followed too.
func CheckAnchors(ctx context.Context, repo *gitstore.Repo, as []records.Anchor) ([]Check, error) {
	top := repo.WorkTree()
	if top == "" {
		return nil, ErrNoWorktree
	}
	root, err := os.OpenRoot(top)
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
	missing := make(map[string][]*Check)
	for name, cs := range byPath {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		there, err := checkFile(root, name, cs)
		if err != nil {
			return nil, fmt.Errorf("compare anchors with '%s': %w", name, err)
		}
		if !there {
			missing[name] = cs
		}
	}
	return checks, checkMissing(ctx, repo, root, missing)
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
		c.State = Stale
		if at := cited[i]; at.found {
			c.State, c.Path, c.Lines = Moved, name, at.lines()
			if name == c.Anchor.Path && c.Lines == c.Anchor.Lines {
				c.State = Current
			}
		}
	}
	return true, nil
}

// renamesAsked bounds how many commits are compared with the worktree for
// renames, a process each.
const renamesAsked = 16

// checkMissing looks for the files that are not there under other names.
func checkMissing(ctx context.Context, repo *gitstore.Repo, root *os.Root, missing map[string][]*Check) error {
	if len(missing) == 0 {
		return nil
	}
	sparse, err := leftOut(ctx, repo, missing)
	if err != nil {
		return err
	}
	renames := make(map[string]map[string]string) // by commit
	for _, name := range sortedKeys(missing) {
		for _, c := range missing[name] {
			if sparse[name] {
				continue
			}
			c.State = Gone
			commit := c.Anchor.Commit
			to, known := renames[commit]
			if !known && commit != "" && len(renames) < renamesAsked {
				to = renamedSince(ctx, repo, commit)
				renames[commit] = to
			}
			if to[name] == "" {
				continue
			}
			there, err := checkFile(root, to[name], []*Check{c})
			if err != nil {
				return fmt.Errorf("compare anchors with '%s': %w", to[name], err)
			}
			if !there {
				c.State = Unchecked // git has it, a sparse checkout does not
			}
		}
	}
	return nil
}

func sortedKeys(m map[string][]*Check) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// leftOut returns which files are not in the worktree because the checkout is sparse.
func leftOut(ctx context.Context, repo *gitstore.Repo, missing map[string][]*Check) (map[string]bool, error) {
	if on, ok, err := repo.Config(ctx, "core.sparseCheckout"); err != nil || !ok || on != "true" {
		return nil, err
	}
	args := []string{"ls-files", "-t", "-z", "--full-name", "--"}
	for _, name := range sortedKeys(missing) {
		args = append(args, ":(top,literal)"+name)
	}
	out, err := repo.Git(ctx, nil, args...)
	if err != nil {
		return nil, fmt.Errorf("see which files the checkout leaves out: %w", err)
	}
	sparse := make(map[string]bool)
	for entry := range strings.SplitSeq(string(out), "\x00") {
		if name, ok := strings.CutPrefix(entry, "S "); ok {
			sparse[name] = true
		}
	}
	return sparse, nil
}

// renamedSince returns the new names of files that git takes for renamed
// between a code commit and the worktree. A commit that is not here tells nothing.
func renamedSince(ctx context.Context, repo *gitstore.Repo, commit string) map[string]string {
	out, err := repo.Git(ctx, nil, "diff", "-M", "--diff-filter=R", "--name-status", "-z", "--no-relative", "--no-ext-diff", "--no-textconv",
		"--ignore-submodules", commit, "--")
	if err != nil {
		return nil
	}
	to := make(map[string]string)
	for fields := strings.Split(string(out), "\x00"); len(fields) >= 3; fields = fields[3:] { // R100, from, to
		to[fields[1]] = fields[2]
	}
	return to
}
