package codelink

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

// An Origin is what git knows of where a file of the code, or some of its
// lines, came from.
type Origin struct {
	// InGit tells that the code commit at HEAD has the file, under this name or
	// the one it was renamed from since.
	InGit bool
	// Commits are the code commits that lines stand from, by line; of a whole
	// file those that changed it, the newest first.
	Commits []Commit
	// Uncommitted are lines that stand in the worktree only: "A-B".
	Uncommitted []string
	// Names are other names that the file, or lines of it, had.
	Names []string
	// More tells that older commits were left aside.
	More bool
}

// A Commit is a commit of the code.
type Commit struct {
	OID     gitstore.OID
	Subject string
	Message string
	Lines   []string // of those asked for, the ones that stand from it: "A-B"
}

// fileCommits bounds how far back the commits of a whole file are followed.
const fileCommits = 500

// FindOrigin asks git where a file, named from the worktree's top, came from,
// over renames; with lines from to to, where these did, as git blame says:
// blame.ignoreRevsFile is honoured, and lines moved within the file or from
// files of the same commit are followed. A directory has the commits that changed
// what is below it now.
func FindOrigin(ctx context.Context, repo *gitstore.Repo, file string, from, to int) (*Origin, error) {
	o := &Origin{}
	name := file
	if name == "." {
		name = "" // as git names the top
	}
	kind, err := kindAtHead(ctx, repo, name)
	if err != nil {
		return nil, err
	}
	if kind == "" {
		if name = nameAtHead(ctx, repo, file); name == "" {
			return o, nil
		}
		o.Names = []string{name}
	}
	o.InGit = true
	switch {
	case kind == "tree" && from > 0:
		return nil, fmt.Errorf("'%s': is a directory, and has no lines", file)
	case kind == "tree":
		err = commitsBelow(ctx, repo, o, name)
	case from > 0:
		err = blame(ctx, repo, o, file, name, from, to)
	default:
		err = fileHistory(ctx, repo, o, name)
	}
	if err != nil {
		return nil, err
	}
	o.Names = slices.DeleteFunc(o.Names, func(n string) bool { return n == file })
	slices.Sort(o.Names)
	o.Names = slices.Compact(o.Names)
	for i, c := range o.Commits {
		commit, err := repo.ReadCommit(ctx, c.OID)
		if err != nil {
			return nil, err
		}
		o.Commits[i].Message = commit.Message
		o.Commits[i].Subject, _, _ = strings.Cut(commit.Message, "\n")
	}
	return o, nil
}

// kindAtHead returns what HEAD has at a path: "blob" or "tree"; "" for nothing.
func kindAtHead(ctx context.Context, repo *gitstore.Repo, name string) (string, error) {
	out, err := repo.Git(ctx, nil, "cat-file", "-t", "HEAD:"+name)
	var failed *gitstore.GitError
	if errors.As(err, &failed) {
		return "", nil
	}
	return strings.TrimSpace(string(out)), err
}

// nameAtHead is the name under which HEAD has a file that was renamed since, or "".
func nameAtHead(ctx context.Context, repo *gitstore.Repo, file string) string {
	if repo.WorkTree() == "" {
		return ""
	}
	for old, now := range renamedSince(ctx, repo, "HEAD") {
		if now == file {
			return old
		}
	}
	return ""
}

// fileHistory lists the commits that changed a file.
func fileHistory(ctx context.Context, repo *gitstore.Repo, o *Origin, name string) error {
	out, err := codeLog(ctx, repo, name, "--follow", "-M", "--name-status")
	if err != nil {
		return err
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
		case fields[i] != "":
			o.addCommit(fields[i])
		}
	}
	return nil
}

// commitsBelow lists the commits that changed a file below a directory.
func commitsBelow(ctx context.Context, repo *gitstore.Repo, o *Origin, dir string) error {
	out, err := codeLog(ctx, repo, dir)
	if err != nil {
		return err
	}
	for oid := range strings.SplitSeq(string(out), "\x00") {
		if oid != "" {
			o.addCommit(oid)
		}
	}
	return nil
}

// codeLog asks git for the commits that changed a path, one more than are wanted.
func codeLog(ctx context.Context, repo *gitstore.Repo, name string, options ...string) ([]byte, error) {
	args := append([]string{"log", "-z", "--no-relative", "--no-show-signature", "--format=%H", "-n", strconv.Itoa(fileCommits + 1)}, options...)
	out, err := repo.Git(ctx, nil, append(args, "HEAD", "--", ":(top,literal)"+name)...)
	if err != nil {
		return nil, fmt.Errorf("find the commits of '%s': %w", name, err)
	}
	return out, nil
}

// addCommit takes up a commit, unless there are enough.
func (o *Origin) addCommit(oid string) {
	if o.More = len(o.Commits) == fileCommits; !o.More {
		o.Commits = append(o.Commits, Commit{OID: gitstore.OID(oid)})
	}
}

// blame finds the commits that lines of a file stand from. Name is what HEAD
// calls it.
func blame(ctx context.Context, repo *gitstore.Repo, o *Origin, file, name string, from, to int) error {
	args := []string{"blame", "--porcelain", "-M", "-C", "-L", fmt.Sprintf("%d,%d", from, to)}
	switch top := repo.WorkTree(); {
	case top == "":
		args = append(args, "HEAD")
	case name != file:
		args = append(args, "--contents", filepath.Join(top, filepath.FromSlash(file)))
	default:
		if _, err := os.Lstat(filepath.Join(top, filepath.FromSlash(file))); err != nil {
			args = append(args, "HEAD") // deleted, or left out of a sparse checkout
		}
	}
	out, err := repo.Git(ctx, nil, append(args, "--", fromDir(repo, name))...)
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
		o.Commits = append(o.Commits, Commit{OID: oid, Lines: ranges(lines[oid])})
	}
	return nil
}

// fromDir names a file of the worktree as git takes it in the directory that
// git runs in.
func fromDir(repo *gitstore.Repo, file string) string {
	top := repo.WorkTree()
	rel, err := filepath.Rel(top, repo.Dir())
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
