package codelink

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/regfile"
	"github.com/git-ctx/git-ctx/records"
)

// A Change is a diff of the code, read once.
type Change struct {
	repo  *gitstore.Repo
	Files []FileChange
	// worktree tells that the new side is the worktree's files.
	worktree bool
}

// A FileChange is what a diff does to one file.
type FileChange struct {
	Old, New string // "" where that side has no such file
	// Hunks are the runs of removed and inserted lines, in order.
	Hunks []Hunk
	// Whole tells that the diff does not say which lines changed, as for a binary file.
	Whole bool
	// Added are the lines that the new side has, without line ends.
	Added            []string
	oldBlob, newBlob gitstore.OID
}

// A Hunk is Count lines of the old side that are gone, from line From; with a Count of 0
// lines were inserted after line From.
type Hunk struct{ From, Count int }

// Names are those of the file on both sides.
func (f *FileChange) Names() []string {
	if f.Old == "" || f.New == f.Old {
		return []string{f.New}
	}
	if f.New == "" {
		return []string{f.Old}
	}
	return []string{f.Old, f.New}
}

// touches reports whether lines from to to of the old side were changed, or something was inserted between them.
func (f *FileChange) touches(from, to int) bool {
	if f.Whole {
		return true
	}
	for _, h := range f.Hunks {
		if h.Count > 0 && h.From <= to && h.From+h.Count > from || h.Count == 0 && h.From >= from && h.From < to {
			return true
		}
	}
	return false
}

// StagedChange is the code index against HEAD.
func StagedChange(ctx context.Context, repo *gitstore.Repo) (*Change, error) {
	return diffChange(ctx, repo, "--cached")
}

// WorktreeChange is the files that git tracks in the worktree against HEAD.
func WorktreeChange(ctx context.Context, repo *gitstore.Repo) (*Change, error) {
	head := "HEAD"
	if _, oid, err := repo.Head(ctx); err != nil {
		return nil, err
	} else if oid == "" { // no commit yet: all is new
		out, err := repo.Git(ctx, nil, "hash-object", "-t", "tree", "--stdin")
		if err != nil {
			return nil, fmt.Errorf("read the change: %w", err)
		}
		head = strings.TrimSpace(string(out))
	}
	c, err := diffChange(ctx, repo, head)
	if err == nil {
		c.worktree = true
	}
	return c, err
}

// RangeChange is a range of code commits as git diff takes it: A..B, A...B, or A for A..HEAD.
func RangeChange(ctx context.Context, repo *gitstore.Repo, spec string) (*Change, error) {
	if !strings.Contains(spec, "..") {
		spec += "..HEAD"
	}
	return diffChange(ctx, repo, "--end-of-options", spec)
}

func diffChange(ctx context.Context, repo *gitstore.Repo, args ...string) (*Change, error) {
	if repo.WorkTree() == "" && args[0] == "--cached" {
		return &Change{repo: repo}, nil
	}
	args = append(append([]string{"-c", "core.quotePath=false", "diff", "-p", "-U0", "-M", "--full-index", "--no-color", "--no-ext-diff", "--no-textconv",
		"--no-relative", "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", "--ignore-submodules=dirty"}, args...), "--")
	out, err := repo.Git(ctx, nil, args...)
	if err != nil {
		return nil, fmt.Errorf("read the change: %w", err)
	}
	return parseChange(repo, out)
}

// PatchChange is a patch as git diff and git format-patch write it, taken to apply to HEAD.
func PatchChange(ctx context.Context, repo *gitstore.Repo, patch io.Reader) (*Change, error) {
	data, err := io.ReadAll(patch)
	if err != nil {
		return nil, fmt.Errorf("read the patch: %w", err)
	}
	c, err := parseChange(repo, data)
	if err != nil {
		return nil, err
	}
	if len(c.Files) == 0 && len(bytes.TrimSpace(data)) > 0 {
		return nil, fmt.Errorf("read the patch: it has no file header, as 'git diff' and 'git format-patch' write them")
	}
	head, err := repo.Snapshot(ctx, "HEAD")
	for i := range c.Files {
		f := &c.Files[i]
		f.oldBlob, f.newBlob = "", "" // what the patch was made from says nothing of HEAD
		if err == nil && f.Old != "" {
			f.oldBlob, _ = head.OID(f.Old) // absent there: its lines cannot be touched
		}
	}
	return c, nil
}

// A Touch is a cited place that a change touches.
type Touch struct {
	Anchor records.Anchor
	File   *FileChange
	Lines  string // on the old side; "" for the whole file
}

// Touches returns what the change touches of the anchors. The digest finds the cited lines on
// the old side; what is not there was changed before, and what the new side still has only moved.
func (c *Change) Touches(ctx context.Context, as []records.Anchor) ([]Touch, error) {
	byName := make(map[string]*FileChange, len(c.Files))
	for i := range c.Files {
		byName[records.PathKey(c.Files[i].Old)] = &c.Files[i]
	}
	var out []Touch
	for _, a := range as {
		f := byName[records.PathKey(a.Path)]
		if f == nil || f.Old == "" {
			continue
		}
		at, ok, err := c.onOldSide(ctx, f, a)
		if err != nil {
			return nil, err
		}
		if !ok || at.from > 0 && !f.touches(at.from, at.from+at.count-1) || at.from == 0 && !f.Whole && len(f.Hunks) == 0 {
			continue
		}
		if moved, err := c.onNewSide(ctx, f, a); err != nil {
			return nil, err
		} else if !moved {
			out = append(out, Touch{Anchor: a, File: f, Lines: at.lines()})
		}
	}
	return out, nil
}

// onOldSide finds what an anchor cites in the file before the change.
func (c *Change) onOldSide(ctx context.Context, f *FileChange, a records.Anchor) (*citation, bool, error) {
	at := newCitation(a)
	if f.oldBlob == "" || string(f.oldBlob) == a.Blob || a.SHA256 == "" {
		return at, f.oldBlob != "" || a.SHA256 == "", nil
	}
	data, err := c.repo.ReadBlob(ctx, f.oldBlob)
	if err != nil {
		return nil, false, fmt.Errorf("read '%s' before the change: %w", f.Old, err)
	}
	err = findCited(bytes.NewReader(data), []*citation{at})
	return at, at.found, err
}

// onNewSide reports whether the file still has the cited lines after the change.
func (c *Change) onNewSide(ctx context.Context, f *FileChange, a records.Anchor) (bool, error) {
	if f.New == "" || a.SHA256 == "" {
		return false, nil
	}
	var data []byte
	var err error
	switch {
	case c.worktree:
		var root *os.Root
		if root, err = OpenWorktree(c.repo); err != nil {
			return false, err
		}
		defer root.Close()
		file, ferr := regfile.OpenIn(root, f.New)
		if ferr != nil {
			return false, nil
		}
		defer file.Close()
		data, err = io.ReadAll(regfile.Stoppable(ctx, file))
	case f.newBlob != "":
		data, err = c.repo.ReadBlob(ctx, f.newBlob)
	default:
		return false, nil // a patch: only its lines are known
	}
	if err != nil {
		return false, fmt.Errorf("read '%s' after the change: %w", f.New, err)
	}
	at := newCitation(a)
	err = findCited(bytes.NewReader(data), []*citation{at})
	return at.found, err
}

// A patchReader reads a diff line by line.
type patchReader struct {
	files []FileChange
	// oldLeft and newLeft are how many lines of a hunk are to come, old and now where they stand.
	oldLeft, newLeft, old int
	run                   bool // the last line was a removed or inserted one
}

func parseChange(repo *gitstore.Repo, data []byte) (*Change, error) {
	var p patchReader
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		if err := p.line(strings.TrimSuffix(line, "\n")); err != nil {
			return nil, fmt.Errorf("read the patch: line %d: %w", n, err)
		}
	}
	return &Change{repo: repo, Files: p.files}, nil
}

func (p *patchReader) file() *FileChange {
	if len(p.files) == 0 {
		p.files = append(p.files, FileChange{})
	}
	return &p.files[len(p.files)-1]
}

func (p *patchReader) line(s string) error {
	if p.oldLeft > 0 || p.newLeft > 0 {
		return p.body(s)
	}
	before, rest, _ := strings.Cut(s, " ")
	switch {
	case strings.HasPrefix(s, "diff --git "):
		f := FileChange{}
		f.Old, f.New = bothNames(s[len("diff --git "):])
		p.files = append(p.files, f)
	case before == "---" && (len(p.files) == 0 || len(p.file().Hunks) > 0 || p.file().Whole):
		if !strings.ContainsAny(rest, "/.") {
			return nil // the line between a mail's message and its patch
		}
		p.files = append(p.files, FileChange{Old: patchName(rest, "a/")})
	case len(p.files) == 0:
	case before == "---":
		p.file().Old = patchName(rest, "a/")
	case before == "+++":
		p.file().New = patchName(rest, "b/")
	case before == "@@":
		return p.hunk(s)
	default:
		p.header(s)
	}
	return nil
}

// header reads a line of git's extended header.
func (p *patchReader) header(s string) {
	f := p.file()
	cut := func(prefix string) (string, bool) { return strings.CutPrefix(s, prefix) }
	if name, ok := cut("rename from "); ok {
		f.Old = unquoted(name)
	} else if name, ok := cut("rename to "); ok {
		f.New = unquoted(name)
	} else if _, ok := cut("new file mode "); ok {
		f.Old = ""
	} else if _, ok := cut("deleted file mode "); ok {
		f.New = ""
	} else if oids, ok := cut("index "); ok {
		oids, _, _ = strings.Cut(oids, " ")
		old, now, _ := strings.Cut(oids, "..")
		f.oldBlob, f.newBlob = knownBlob(old), knownBlob(now)
	} else if _, ok := cut("Binary files "); ok || s == "GIT binary patch" {
		f.Whole = true
	}
}

func knownBlob(oid string) gitstore.OID {
	if strings.Trim(oid, "0") == "" {
		return ""
	}
	return gitstore.OID(oid)
}

// hunk reads @@ -A[,B] +C[,D] @@.
func (p *patchReader) hunk(s string) error {
	fields := strings.Fields(s)
	if len(fields) < 3 {
		return fmt.Errorf("'%s' is not a hunk header", s)
	}
	var err error
	if p.old, p.oldLeft, err = span(fields[1], "-"); err != nil {
		return err
	}
	if _, p.newLeft, err = span(fields[2], "+"); err != nil {
		return err
	}
	if p.oldLeft == 0 {
		p.old++ // the lines come after the one that is named
	}
	p.run = false
	return nil
}

func span(s, sign string) (from, count int, err error) {
	first, n, ok := strings.Cut(strings.TrimPrefix(s, sign), ",")
	if from, err = strconv.Atoi(first); err != nil || from < 0 {
		return 0, 0, fmt.Errorf("'%s' is not a range of lines", s)
	}
	if count = 1; ok {
		if count, err = strconv.Atoi(n); err != nil || count < 0 {
			return 0, 0, fmt.Errorf("'%s' is not a range of lines", s)
		}
	}
	return from, count, nil
}

// body reads a line of a hunk; p.old is the next line of the old side.
func (p *patchReader) body(s string) error {
	f := p.file()
	switch {
	case strings.HasPrefix(s, "-"):
		if !p.run {
			f.Hunks = append(f.Hunks, Hunk{From: p.old})
		}
		h := &f.Hunks[len(f.Hunks)-1]
		if h.Count == 0 {
			h.From = p.old
		}
		h.Count++
		p.old, p.oldLeft, p.run = p.old+1, p.oldLeft-1, true
	case strings.HasPrefix(s, "+"):
		if !p.run {
			f.Hunks = append(f.Hunks, Hunk{From: p.old - 1})
		}
		f.Added = append(f.Added, s[1:])
		p.newLeft, p.run = p.newLeft-1, true
	case strings.HasPrefix(s, " "), s == "", s == "\r":
		p.old, p.oldLeft, p.newLeft, p.run = p.old+1, p.oldLeft-1, p.newLeft-1, false
	case strings.HasPrefix(s, `\`):
	default:
		return fmt.Errorf("'%.40s' is not a line of a hunk", s)
	}
	return nil
}

// patchName reads a name of a --- or +++ line; "" is not a file.
func patchName(s, prefix string) string {
	name, _, _ := strings.Cut(s, "\t")
	if name = unquoted(name); name == "/dev/null" {
		return ""
	}
	return strings.TrimPrefix(name, prefix)
}

// bothNames reads the two names of a diff --git line, which are the same where no other line says them.
func bothNames(s string) (old, now string) {
	if half := len(s) / 2; len(s)%2 == 1 && s[half] == ' ' {
		return patchName(s[:half], "a/"), patchName(s[half+1:], "b/")
	}
	return "", ""
}

// unquoted reads a name that git wrote in quotes.
func unquoted(s string) string {
	if strings.HasPrefix(s, `"`) {
		if name, err := strconv.Unquote(s); err == nil {
			return name
		}
	}
	return s
}
