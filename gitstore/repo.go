// Package gitstore stores bytes in a git repository: objects, snapshots and
// the one ref update. It knows git and nothing of records.
//
// It owns where the repository is, how objects get in and out, and how a ref
// moves. It refuses to touch the index, the work tree and anything outside the
// refs it is told to move. Its invariant: an object is in place before a ref
// names it, and a ref moves only from the value the caller has seen.
package gitstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// ErrNotRepository reports that the directory is in no git repository.
var ErrNotRepository = errors.New("not a git repository")

// ErrGitTooOld reports a git older than 2.31, which cannot answer what Open asks.
var ErrGitTooOld = errors.New("git is too old, 2.31 or newer is needed")

// OwnershipError reports a repository that belongs to another user and that
// git refuses to use (safe.directory).
type OwnershipError struct {
	Dir  string
	Hint string // git's own advice
}

// Error names the directory; the advice is in Hint.
func (e *OwnershipError) Error() string {
	return fmt.Sprintf("repository at '%s' belongs to another user", e.Dir)
}

// Options say which repository to open, as git's own flags and environment do.
type Options struct {
	Dir    string   // like -C; "" is the current directory
	GitDir string   // like --git-dir; relative to Dir
	Env    []string // environment of the git children; nil is the process's
}

// Repo is an open git repository. It is safe for concurrent use and stays
// valid while other processes repack, collect garbage and move refs.
type Repo struct {
	dir, gitDirFlag string
	env             []string

	gitDir, commonDir, objectsDir, workTree string
	bare, shallow                           bool
	objectFormat, refFormat                 string

	loose  *looseStore
	packs  *packStore
	child  catFile
	trees  treeCache
	packed packedCache
	moved  atomic.Bool
	hidden []string // patterns of refs that do not exist for callers

	configMu    sync.Mutex
	config      map[string][]string
	configUntil time.Time
	early       func() ([]byte, error) // of the first read, begun in Open
}

// Open finds the repository with one git call, beside which it reads the
// configuration, and creates nothing. Errors:
// ErrNotRepository, *OwnershipError, ErrGitMissing, ErrGitTooOld, *GitError.
func Open(ctx context.Context, opts Options) (*Repo, error) {
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return nil, fmt.Errorf("open repository: %w", err)
	}
	// git reports paths with symbolic links resolved; "../" counts from there.
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, fmt.Errorf("open repository: %w", err)
	}
	env := opts.Env
	if env == nil {
		env = os.Environ()
	}
	r := &Repo{dir: dir, gitDirFlag: opts.GitDir, env: gitEnv(env, dir)}
	early := readEarly(ctx, r)
	out, err := r.Git(ctx, nil, "rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir",
		"--git-path", "objects", "--is-bare-repository", "--is-shallow-repository",
		"--show-object-format", "--show-ref-format", "--show-cdup")
	if err != nil {
		return nil, openError(dir, err)
	}
	lines, err := r.rereadPaths(ctx, strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"))
	if err != nil {
		return nil, openError(dir, err)
	}
	if err := r.describe(lines); err != nil {
		return nil, fmt.Errorf("open repository '%s': %w", dir, err)
	}
	r.loose = &looseStore{dir: r.objectsDir, format: r.objectFormat}
	r.packs = &packStore{dir: filepath.Join(r.objectsDir, "pack"), format: r.objectFormat}
	r.child.repo = r
	r.early = early
	return r, nil
}

// rereadPaths mends an answer of the rev-parse call in Open that has more lines
// than were asked for, as a path holds a line feed: each path is asked for alone.
func (r *Repo) rereadPaths(ctx context.Context, lines []string) ([]string, error) {
	if len(lines) <= answerLines || strings.HasPrefix(lines[0], "--path-format") {
		return lines, nil
	}
	var mended []string
	for _, ask := range [][]string{{"--git-dir"}, {"--git-common-dir"}, {"--git-path", "objects"}} {
		out, err := r.Git(ctx, nil, append([]string{"rev-parse", "--path-format=absolute"}, ask...)...)
		if err != nil {
			return nil, err
		}
		mended = append(mended, strings.TrimSuffix(string(out), "\n"))
	}
	out, err := r.Git(ctx, nil, "rev-parse", "--is-bare-repository", "--is-shallow-repository", "--show-object-format", "--show-ref-format", "--show-cdup")
	if err != nil {
		return nil, err
	}
	return append(mended, strings.SplitN(strings.TrimSuffix(string(out), "\n"), "\n", answerLines-len(mended))...), nil
}

// answerLines is how many lines git answers in Open; the last one is absent
// outside a work tree.
const answerLines = 8

// describe reads the answer of the rev-parse call in Open.
func (r *Repo) describe(lines []string) error {
	if strings.HasPrefix(lines[0], "--path-format") {
		return ErrGitTooOld // rev-parse echoes the flags it does not know
	}
	if len(lines) != answerLines && len(lines) != answerLines-1 {
		return fmt.Errorf("unexpected answer of git rev-parse: %q", lines)
	}
	r.gitDir, r.commonDir, r.objectsDir = lines[0], lines[1], lines[2]
	r.bare, r.shallow = lines[3] == "true", lines[4] == "true"
	r.objectFormat, r.refFormat = lines[5], lines[6]
	if r.objectFormat != formatSHA1 && r.objectFormat != formatSHA256 {
		return fmt.Errorf("unknown object format '%s'", r.objectFormat)
	}
	if strings.HasPrefix(r.refFormat, "--") {
		r.refFormat = refFormatFiles // a git without this flag knows no other
	}
	if len(lines) == answerLines && !r.bare {
		r.workTree = lines[7]
		if !filepath.IsAbs(r.workTree) {
			r.workTree = filepath.Join(r.dir, r.workTree)
		}
	}
	return nil
}

func openError(dir string, err error) error {
	var ge *GitError
	if !errors.As(err, &ge) {
		return fmt.Errorf("open repository '%s': %w", dir, err)
	}
	switch {
	case strings.Contains(ge.Stderr, "dubious ownership"), strings.Contains(ge.Stderr, "unsafe repository"):
		return &OwnershipError{Dir: dir, Hint: ge.Stderr}
	case strings.Contains(ge.Stderr, "not a git repository"):
		return fmt.Errorf("'%s': %w", dir, ErrNotRepository)
	}
	return fmt.Errorf("open repository '%s': %w", dir, err)
}

// Close ends the object reader's child process and closes the packs.
func (r *Repo) Close() error {
	r.packs.close()
	return r.child.close()
}

// GitDir returns the absolute path of this worktree's git directory.
func (r *Repo) GitDir() string { return r.gitDir }

// CommonDir returns the absolute path of the directory all worktrees share.
func (r *Repo) CommonDir() string { return r.commonDir }

// WorkTree returns the top of the work tree, "" when bare or when opened from
// outside a work tree.
func (r *Repo) WorkTree() string { return r.workTree }

// Dir returns the directory the repository was opened from, links resolved.
func (r *Repo) Dir() string { return r.dir }

// Bare reports whether the repository has no work tree.
func (r *Repo) Bare() bool { return r.bare }

// Shallow reports whether history was cut when the repository was opened.
func (r *Repo) Shallow() bool { return r.shallow }

// ObjectFormat returns "sha1" or "sha256".
func (r *Repo) ObjectFormat() string { return r.objectFormat }

// RefFormat returns git's name of the ref storage, "files" or "reftable".
func (r *Repo) RefFormat() string { return r.refFormat }
