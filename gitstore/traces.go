package gitstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/internal/atomicfile"
)

// ExpireReflogs removes every entry from the reflogs of the given refs, whose
// messages repeat what was committed.
func (r *Repo) ExpireReflogs(ctx context.Context, refs []string) error {
	logged := slices.DeleteFunc(slices.Clone(refs), func(ref string) bool {
		if r.refFormat == refFormatFiles {
			_, err := os.Stat(filepath.Join(r.commonDir, "logs", filepath.FromSlash(ref)))
			return err != nil
		}
		_, err := r.Git(ctx, nil, "reflog", "exists", ref)
		return err != nil
	})
	const atOnce = 200
	for len(logged) > 0 {
		n := min(len(logged), atOnce)
		args := append([]string{"reflog", "expire", "--expire=all", "--expire-unreachable=all"}, logged[:n]...)
		if _, err := r.Git(ctx, nil, args...); err != nil {
			return fmt.Errorf("expire reflogs: %w", err)
		}
		logged = logged[n:]
	}
	return nil
}

// DropTraces removes the lines that name one of the commits from reflogs of
// other refs and of HEAD, and from git's notes of its last work (FETCH_HEAD,
// ORIG_HEAD and their like), in every worktree. It covers reflogs in files; with
// another ref storage they go by themselves, as git expires what leads nowhere.
func (r *Repo) DropTraces(doomed map[OID]bool) error {
	files, err := r.traceFiles()
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := dropLines(f, doomed); err != nil {
			return fmt.Errorf("drop traces in '%s': %w", f, err)
		}
	}
	return nil
}

// traceFiles lists the reflogs that are files, and git's notes of its last work,
// of every worktree.
func (r *Repo) traceFiles() ([]string, error) {
	var files []string
	dirs := []string{r.commonDir}
	if r.gitDir != r.commonDir {
		dirs = append(dirs, r.gitDir)
	}
	linked, err := filepath.Glob(filepath.Join(globQuote(r.commonDir), "worktrees", "*"))
	if err != nil {
		return nil, err
	}
	for _, dir := range append(dirs, linked...) {
		heads, err := filepath.Glob(filepath.Join(globQuote(dir), "*_HEAD"))
		if err != nil {
			return nil, err
		}
		files = append(files, heads...)
		err = filepath.WalkDir(filepath.Join(dir, "logs"), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				files = append(files, path)
			}
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("list reflogs: %w", err)
		}
	}
	return files, nil
}

// reflogsNaming names the reflogs, of those that are files, that name one of some objects.
func (r *Repo) reflogsNaming(oids []OID) ([]string, error) {
	files, err := r.traceFiles()
	if err != nil {
		return nil, err
	}
	named := make(map[OID]bool, len(oids))
	for _, oid := range oids {
		named[oid] = true
	}
	var logs []string
	for _, f := range files {
		_, ref, isLog := strings.Cut(filepath.ToSlash(f), "/logs/")
		data, err := os.ReadFile(f)
		if errors.Is(err, fs.ErrNotExist) || !isLog {
			continue
		}
		if err != nil {
			return nil, err
		}
		if name := "the reflog of " + ref; slices.ContainsFunc(strings.Fields(string(data)), func(w string) bool { return named[OID(w)] }) && !slices.Contains(logs, name) {
			logs = append(logs, name)
		}
	}
	return logs, nil
}

// dropLines removes the lines of a file that have one of the object IDs among
// their words; a file with no line left is deleted unless it is a log.
func dropLines(file string, doomed map[OID]bool) error {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var kept bytes.Buffer
	for line := range bytes.Lines(data) {
		drop := false
		for _, w := range strings.Fields(string(line)) {
			drop = drop || doomed[OID(w)]
		}
		if !drop {
			kept.Write(line)
		}
	}
	switch {
	case kept.Len() == len(data):
		return nil
	case kept.Len() == 0 && strings.HasSuffix(file, "_HEAD"):
		return os.Remove(file)
	}
	// The temporary file is git's own lock of a file that it rewrites.
	return atomicfile.Replace(file, kept.Bytes(), atomicfile.Options{Perm: 0o644, Temp: file + ".lock"})
}
