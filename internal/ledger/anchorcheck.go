package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// An AnchorState says whether the lines that an anchor cites are still there.
type AnchorState string

// The states of anchors.
const (
	AnchorCurrent   AnchorState = "current"   // where it says
	AnchorMoved     AnchorState = "moved"     // at other lines, or in the file under another name
	AnchorStale     AnchorState = "stale"     // the file no longer has them
	AnchorGone      AnchorState = "gone"      // there is no such file, nor one that git takes for it renamed
	AnchorUnchecked AnchorState = "unchecked" // it has no digest, or a sparse checkout leaves the file out
)

// An AnchorCheck is what the worktree says of an anchor.
type AnchorCheck struct {
	Anchor records.Anchor
	State  AnchorState
	// Path and Lines are where the cited lines stand now; "" unless they are
	// current or moved. Lines of a whole file are "".
	Path, Lines string
}

// Lost reports whether what the anchor cites can no longer be found.
func (c AnchorCheck) Lost() bool { return c.State == AnchorStale || c.State == AnchorGone }

// ErrNoWorktree says that there are no files to read.
var ErrNoWorktree = errors.New("this repository has no worktree")

// CheckAnchors compares anchors with the files of the worktree, each file read
// once, and returns what it found in the same order. The digest alone tells:
// lines that moved within the file are followed, the nearest first, and a file
// that git knows to be renamed since the anchor's commit is followed too.
func (l *Ledger) CheckAnchors(ctx context.Context, as []records.Anchor) ([]AnchorCheck, error) {
	top := l.repo.WorkTree()
	if top == "" {
		return nil, ErrNoWorktree
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	checks := make([]AnchorCheck, len(as))
	byPath := make(map[string][]*AnchorCheck)
	for i, a := range as {
		checks[i] = AnchorCheck{Anchor: a, State: AnchorUnchecked}
		if a.SHA256 != "" {
			byPath[a.Path] = append(byPath[a.Path], &checks[i])
		}
	}
	missing := make(map[string][]*AnchorCheck)
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
	return checks, l.checkMissing(ctx, root, missing)
}

// checkFile compares the anchors of one file with it, and reports whether it is there.
func checkFile(root *os.Root, name string, cs []*AnchorCheck) (bool, error) {
	f, err := root.Open(name)
	if errors.Is(err, fs.ErrPermission) {
		return false, err
	}
	if err != nil {
		return false, nil // not there, or a link that leaves the worktree
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return false, err
	}
	var cited []*citation
	for _, c := range cs {
		cited = append(cited, newCitation(c.Anchor))
	}
	if err := findCited(f, cited); err != nil {
		return false, err
	}
	for i, c := range cs {
		c.State = AnchorStale
		if at := cited[i]; at.found {
			c.State, c.Path, c.Lines = AnchorMoved, name, at.lines()
			if name == c.Anchor.Path && c.Lines == c.Anchor.Lines {
				c.State = AnchorCurrent
			}
		}
	}
	return true, nil
}

// renamesAsked bounds how many commits are compared with the worktree for
// renames, a process each.
const renamesAsked = 16

// checkMissing looks for the files that are not there under other names.
func (l *Ledger) checkMissing(ctx context.Context, root *os.Root, missing map[string][]*AnchorCheck) error {
	if len(missing) == 0 {
		return nil
	}
	sparse, err := l.leftOut(ctx, missing)
	if err != nil {
		return err
	}
	renames := make(map[string]map[string]string) // by commit
	for _, name := range sortedKeys(missing) {
		for _, c := range missing[name] {
			if sparse[name] {
				continue
			}
			c.State = AnchorGone
			commit := c.Anchor.Commit
			to, known := renames[commit]
			if !known && commit != "" && len(renames) < renamesAsked {
				to = l.renamedSince(ctx, commit)
				renames[commit] = to
			}
			if to[name] == "" {
				continue
			}
			there, err := checkFile(root, to[name], []*AnchorCheck{c})
			if err != nil {
				return fmt.Errorf("compare anchors with '%s': %w", to[name], err)
			}
			if !there {
				c.State = AnchorUnchecked // git has it, a sparse checkout does not
			}
		}
	}
	return nil
}

func sortedKeys(m map[string][]*AnchorCheck) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// leftOut returns which files are not in the worktree because the checkout is sparse.
func (l *Ledger) leftOut(ctx context.Context, missing map[string][]*AnchorCheck) (map[string]bool, error) {
	if on, ok, err := l.repo.Config(ctx, "core.sparseCheckout"); err != nil || !ok || on != "true" {
		return nil, err
	}
	args := []string{"ls-files", "-t", "-z", "--full-name", "--"}
	for _, name := range sortedKeys(missing) {
		args = append(args, ":(top,literal)"+name)
	}
	out, err := l.repo.Git(ctx, nil, args...)
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
func (l *Ledger) renamedSince(ctx context.Context, commit string) map[string]string {
	out, err := l.repo.Git(ctx, nil, "diff", "-M", "--diff-filter=R", "--name-status", "-z", "--no-relative", "--no-ext-diff", "--no-textconv",
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

// Anchored returns the records that have anchors, sorted.
func (v *View) Anchored() ([]records.ID, error) {
	if v.snap != nil && !v.laid {
		return v.snap.Anchored()
	}
	var ids []records.ID
	for r := range v.All() {
		if len(r.Anchors) > 0 {
			ids = append(ids, r.ID)
		}
	}
	slices.Sort(ids)
	return ids, v.Err()
}

// FollowAnchors rewrites the anchors of a record that moved, so that they name
// where the cited lines stand now. A judged record is left as it is: where the
// lines stand is part of what was judged. It returns nil when nothing moved.
func (tx *Tx) FollowAnchors(id records.ID, checks []AnchorCheck) (*records.Record, error) {
	old, err := tx.Find(string(id))
	if err != nil || old.Judged() || old.Disputed() {
		return nil, err
	}
	moved := false
	r, err := tx.EditRecord("edit", string(id), func(r *records.Record) error {
		for _, c := range checks {
			i := slices.Index(r.Anchors, c.Anchor)
			if i < 0 || c.State != AnchorMoved {
				continue
			}
			spec := filepath.Join(tx.l.repo.WorkTree(), filepath.FromSlash(c.Path))
			if c.Lines != "" {
				spec += ":" + c.Lines
			}
			now, err := tx.l.Anchor(tx.ctx, spec)
			if err != nil {
				return err
			}
			if now.SHA256 == c.Anchor.SHA256 { // else the file changed meanwhile
				r.Anchors[i], moved = now, true
			}
		}
		return nil
	})
	if !moved {
		return nil, err
	}
	return r, err
}
