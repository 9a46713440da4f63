package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
)

// A CodeOrigin is what git knows of where a file of the code, or some of its
// lines, came from.
type CodeOrigin struct {
	// InGit tells that the code commit at HEAD has the file, under this name or
	// the one it was renamed from since.
	InGit bool
	// Commits are the code commits that lines stand from, by line; of a whole
	// file those that changed it, the newest first.
	Commits []CodeCommit
	// Uncommitted are lines that stand in the worktree only: "A-B".
	Uncommitted []string
	// Names are other names that the file, or lines of it, had.
	Names []string
	// More tells that older commits were left aside.
	More bool
}

// A CodeCommit is a commit of the code.
type CodeCommit struct {
	OID     gitstore.OID
	Subject string
	Message string
	Lines   []string // of those asked for, the ones that stand from it: "A-B"
}

// fileCommits bounds how far back the commits of a whole file are followed.
const fileCommits = 500

// CodeOrigin asks git where a file, named from the worktree's top, came from,
// over renames; with lines from to to, where these did, as git blame says:
// blame.ignoreRevsFile is honoured, and lines moved within the file or from
// files of the same commit are followed.
func (l *Ledger) CodeOrigin(ctx context.Context, file string, from, to int) (*CodeOrigin, error) {
	o := &CodeOrigin{}
	name := file
	if _, err := l.repo.Git(ctx, nil, "cat-file", "-e", "HEAD:"+file); err != nil {
		var failed *gitstore.GitError
		if !errors.As(err, &failed) {
			return nil, err
		}
		if name = l.nameAtHead(ctx, file); name == "" {
			return o, nil
		}
		o.Names = []string{name}
	}
	o.InGit = true
	find := l.fileHistory
	if from > 0 {
		find = func(ctx context.Context, o *CodeOrigin, name string) error {
			return l.blame(ctx, o, file, name, from, to)
		}
	}
	if err := find(ctx, o, name); err != nil {
		return nil, err
	}
	o.Names = slices.DeleteFunc(o.Names, func(n string) bool { return n == file })
	slices.Sort(o.Names)
	o.Names = slices.Compact(o.Names)
	for i, c := range o.Commits {
		commit, err := l.repo.ReadCommit(ctx, c.OID)
		if err != nil {
			return nil, err
		}
		o.Commits[i].Message = commit.Message
		o.Commits[i].Subject, _, _ = strings.Cut(commit.Message, "\n")
	}
	return o, nil
}

// nameAtHead is the name under which HEAD has a file that was renamed since, or "".
func (l *Ledger) nameAtHead(ctx context.Context, file string) string {
	if l.repo.WorkTree() == "" {
		return ""
	}
	for old, now := range l.renamedSince(ctx, "HEAD") {
		if now == file {
			return old
		}
	}
	return ""
}

// fileHistory lists the commits that changed a file.
func (l *Ledger) fileHistory(ctx context.Context, o *CodeOrigin, name string) error {
	out, err := l.repo.Git(ctx, nil, "log", "--follow", "-M", "--name-status", "-z", "--no-relative", "--no-show-signature", "--format=%H",
		"-n", strconv.Itoa(fileCommits+1), "HEAD", "--", ":(top,literal)"+name)
	if err != nil {
		return fmt.Errorf("find the commits of '%s': %w", name, err)
	}
	fields := strings.Split(string(out), "\x00")
	for i := 0; i < len(fields); i++ {
		status, changed := strings.CutPrefix(fields[i], "\n")
		switch {
		case changed && strings.ContainsAny(status, "RC") && i+2 < len(fields): // R100, from, to
			o.Names = append(o.Names, fields[i+1])
			i += 2
		case changed:
			i++
		case fields[i] == "":
		case len(o.Commits) == fileCommits:
			o.More = true
			return nil
		default:
			o.Commits = append(o.Commits, CodeCommit{OID: gitstore.OID(fields[i])})
		}
	}
	return nil
}

// blame finds the commits that lines of a file stand from. Name is what HEAD
// calls it.
func (l *Ledger) blame(ctx context.Context, o *CodeOrigin, file, name string, from, to int) error {
	args := []string{"blame", "--porcelain", "-M", "-C", "-L", fmt.Sprintf("%d,%d", from, to)}
	switch top := l.repo.WorkTree(); {
	case top == "":
		args = append(args, "HEAD")
	case name != file:
		args = append(args, "--contents", filepath.Join(top, filepath.FromSlash(file)))
	default:
		if _, err := os.Lstat(filepath.Join(top, filepath.FromSlash(file))); err != nil {
			args = append(args, "HEAD") // deleted, or left out of a sparse checkout
		}
	}
	out, err := l.repo.Git(ctx, nil, append(args, "--", l.fromDir(name))...)
	if err != nil {
		return fmt.Errorf("find the commits of '%s:%d-%d': %w", file, from, to, err)
	}
	lines := make(map[gitstore.OID][]int)
	var order []gitstore.OID
	for line := range bytes.SplitSeq(out, []byte("\n")) {
		if was, ok := bytes.CutPrefix(line, []byte("filename ")); ok {
			if n, err := strconv.Unquote(string(was)); err == nil { // git quotes names with odd characters as C does
				was = []byte(n)
			}
			o.Names = append(o.Names, string(was))
			continue
		}
		words := bytes.Fields(line)
		if len(words) < 3 || len(words[0]) < 40 || line[0] == '\t' {
			continue
		}
		n, err := strconv.Atoi(string(words[2]))
		if oid := gitstore.OID(words[0]); err == nil && strings.Trim(string(oid), "0123456789abcdef") == "" {
			if lines[oid] == nil {
				order = append(order, oid)
			}
			lines[oid] = append(lines[oid], n)
		}
	}
	for _, oid := range order {
		if oid.IsZero() {
			o.Uncommitted = ranges(lines[oid])
			continue
		}
		o.Commits = append(o.Commits, CodeCommit{OID: oid, Lines: ranges(lines[oid])})
	}
	return nil
}

// fromDir names a file of the worktree as git takes it in the directory that
// git runs in.
func (l *Ledger) fromDir(file string) string {
	top := l.repo.WorkTree()
	rel, err := filepath.Rel(top, l.repo.Dir())
	if top == "" || err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return file
	}
	if rel, err = filepath.Rel(rel, filepath.FromSlash(file)); err != nil {
		return file
	}
	return filepath.ToSlash(rel)
}

// ranges writes ascending line numbers as "A-B", one for each run.
func ranges(lines []int) []string {
	var out []string
	for i := 0; i < len(lines); {
		j := i
		for j+1 < len(lines) && lines[j+1] == lines[j]+1 {
			j++
		}
		out = append(out, fmt.Sprintf("%d-%d", lines[i], lines[j]))
		i = j + 1
	}
	return out
}
