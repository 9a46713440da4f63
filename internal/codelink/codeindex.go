package codelink

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
)

// An indexedFile is a regular file as git's index has it.
type indexedFile struct {
	blob    gitstore.OID
	leftOut bool // of a sparse checkout
	changed bool // the worktree has something else, as git compares them: through its filters
}

// namesAsked bounds the names that one git process is given.
const namesAsked = 500

// indexedFiles returns what git's index has of files named from the worktree's top.
// A file in conflict is not among them.
func indexedFiles(ctx context.Context, repo *gitstore.Repo, names []string) (map[string]indexedFile, error) {
	files := make(map[string]indexedFile)
	for part := range slices.Chunk(names, namesAsked) {
		args := []string{"--cached", "--modified", "--"}
		for _, name := range part {
			args = append(args, ":(top,literal)"+name)
		}
		if err := listIndex(ctx, repo, files, args...); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// allIndexedFiles returns every file of git's index; whether it changed is not asked.
func allIndexedFiles(ctx context.Context, repo *gitstore.Repo) (map[string]indexedFile, error) {
	files := make(map[string]indexedFile)
	return files, listIndex(ctx, repo, files, "--", ":(top)")
}

// NotIndexed returns those of the files, named from the worktree's top, that git's index
// does not have under that name: where they went, [CheckAnchors] tells. Without a
// worktree it returns none.
func NotIndexed(ctx context.Context, repo *gitstore.Repo, names []string) (map[string]bool, error) {
	if repo.WorkTree() == "" {
		return nil, nil
	}
	files, err := indexedFiles(ctx, repo, names)
	if err != nil {
		return nil, err
	}
	missing := make(map[string]bool)
	for _, name := range names {
		if _, ok := files[name]; !ok {
			missing[name] = true
		}
	}
	return missing, nil
}

func listIndex(ctx context.Context, repo *gitstore.Repo, files map[string]indexedFile, args ...string) error {
	out, err := repo.Git(ctx, nil, append([]string{"ls-files", "-t", "--stage", "-z", "--full-name"}, args...)...)
	if err != nil {
		return fmt.Errorf("read git's index: %w", err)
	}
	for entry := range strings.SplitSeq(string(out), "\x00") { // H 100644 <blob> 0<tab>name
		info, name, _ := strings.Cut(entry, "\t")
		words := strings.Fields(info)
		if len(words) != 4 || words[3] != "0" || !strings.HasPrefix(words[1], "100") {
			continue
		}
		f := files[name]
		f.blob = gitstore.OID(words[2])
		f.leftOut = f.leftOut || words[0] == "S"
		f.changed = f.changed || words[0] == "C"
		files[name] = f
	}
	return nil
}
