package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/regfile"
)

const (
	// A lock of git's lives for milliseconds. One that is younger than the first
	// may be at work, older than the second it is a dead process's.
	lockAtWork = 2 * time.Second
	lockStale  = 10 * time.Minute
	// leftoverAge is how old a file of an interrupted write must be to be swept away.
	leftoverAge = time.Hour
)

// A leftover is a file that a process may have left behind.
type leftover struct {
	path string
	age  time.Duration
}

func (c *checkContext) locks(context.Context) (Finding, error) {
	common := c.repo().CommonDir()
	var found []leftover
	look := func(path string) {
		if info, err := os.Lstat(path); err == nil && !info.IsDir() {
			if age := c.now.Sub(info.ModTime()); age > lockAtWork {
				found = append(found, leftover{path, age.Round(time.Second)})
			}
		}
	}
	look(filepath.Join(common, "packed-refs.lock"))
	look(filepath.Join(common, "reftable", "tables.list.lock"))
	for _, top := range []string{filepath.Join(common, "refs", "ctx"), filepath.Join(common, "logs", "refs", "ctx")} {
		if err := eachFile(top, func(path string, _ fs.DirEntry) {
			if strings.HasSuffix(path, ".lock") {
				look(path)
			}
		}); err != nil {
			return Finding{}, err
		}
	}
	if len(found) == 0 {
		return healthy("none")
	}
	f := Finding{Result: Warn, Fix: "see which git processes run here; a lock is left over, and can be deleted, when none does"}
	var words []string
	for _, l := range found {
		words = append(words, fmt.Sprintf("'%s' is %s old", l.path, l.age))
		if l.age > lockStale {
			f.Result = Fail
		}
	}
	f.Detail = strings.Join(words, ", ")
	return f, nil
}

// eachFile visits the files below a directory, which need not be there.
func eachFile(top string, visit func(path string, d fs.DirEntry)) error {
	return filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // gone while we look, or never there
		case err != nil:
			return err
		case !d.IsDir():
			visit(path, d)
		}
		return nil
	})
}

// ownDirs are the directories that hold files of ours: the shared one and that
// of each linked worktree.
func (c *checkContext) ownDirs() ([]string, error) {
	common := c.repo().CommonDir()
	dirs := []string{filepath.Join(common, "ctx")}
	linked, err := filepath.Glob(filepath.Join(escapeGlob(common), "worktrees", "*", "ctx"))
	return append(dirs, linked...), err
}

// escapeGlob makes a path stand for itself in a pattern.
func escapeGlob(path string) string {
	if filepath.Separator == '\\' {
		return path // there is no escape character where it is the separator
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// leftovers finds temporary files of ours, and packs whose writer died.
func (c *checkContext) leftovers(ctx context.Context) (Finding, error) {
	dirs, err := c.ownDirs()
	if err != nil {
		return Finding{}, err
	}
	if c.fix {
		// No write of ours is under way while the lock is held.
		unlock, err := c.repo().Lock(ctx, ledger.LockWait)
		if err != nil {
			return Finding{}, err
		}
		defer unlock()
	}
	var stale []string
	consider := func(path string) {
		if info, err := os.Lstat(path); err == nil && c.now.Sub(info.ModTime()) > leftoverAge {
			stale = append(stale, path)
		}
	}
	for _, dir := range dirs {
		if err := eachFile(dir, func(path string, d fs.DirEntry) {
			if strings.HasPrefix(d.Name(), ".tmp-") {
				consider(path)
			}
		}); err != nil {
			return Finding{}, err
		}
	}
	unfinished, err := c.repo().UnfinishedPacks()
	if err != nil {
		return Finding{}, err
	}
	for _, path := range unfinished {
		consider(path)
	}
	if len(stale) == 0 {
		return healthy("none")
	}
	if c.fix {
		for _, path := range stale {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return Finding{}, err
			}
		}
	}
	return c.swept(Finding{Detail: fmt.Sprintf("%d files, the first '%s'", len(stale), stale[0])},
		fmt.Sprintf("deleted %d files", len(stale))), nil
}

// sessions finds the memory of sessions whose worktree is gone.
func (c *checkContext) sessions(context.Context) (Finding, error) {
	dirs, err := c.ownDirs()
	if err != nil {
		return Finding{}, err
	}
	all, unused := 0, 0
	var orphans []string
	for i, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(escapeGlob(dir), "sessions", "*.json"))
		if err != nil {
			return Finding{}, err
		}
		all += len(files)
		if i > 0 && worktreeGone(filepath.Dir(dir)) {
			orphans = append(orphans, files...)
			continue
		}
		for _, f := range files {
			if info, err := os.Stat(f); err == nil && c.now.Sub(info.ModTime()) > 90*24*time.Hour {
				unused++
			}
		}
	}
	f := Finding{Result: OK, Detail: fmt.Sprintf("%d, of which %d unused for 90 days", all, unused)}
	if len(orphans) == 0 {
		return f, nil
	}
	f.Detail = fmt.Sprintf("%d of %d belong to worktrees that are gone", len(orphans), all)
	if c.fix {
		for _, path := range orphans {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return Finding{}, err
			}
		}
	}
	return c.swept(f, fmt.Sprintf("deleted %d files", len(orphans))), nil
}

// worktreeGone reports whether the worktree that owns a directory below
// worktrees/ is missing. A locked one may be on a disk that is not mounted.
func worktreeGone(gitDir string) bool {
	if _, err := os.Stat(filepath.Join(gitDir, "locked")); err == nil {
		return false
	}
	link, err := os.ReadFile(filepath.Join(gitDir, "gitdir"))
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	path := strings.TrimSpace(string(link))
	if !filepath.IsAbs(path) {
		path = filepath.Join(gitDir, path)
	}
	_, err = os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// mergeDriver looks at the two halves of the driver's set-up, which only work
// together. Reports only: the hooks command sets them.
func (c *checkContext) mergeDriver(ctx context.Context) (Finding, error) {
	driver, configured, err := c.repo().Config(ctx, "merge.ctx.driver")
	if err != nil {
		return Finding{}, err
	}
	attrs, err := regfile.Read(filepath.Join(c.repo().CommonDir(), "info", "attributes"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Finding{}, err
	}
	named := slices.ContainsFunc(strings.Split(string(attrs), "\n"), func(line string) bool {
		line = strings.TrimSpace(line)
		return !strings.HasPrefix(line, "#") && slices.Contains(strings.Fields(line), "merge=ctx")
	})
	switch {
	case configured && named:
		return healthy("%s", driver)
	case named:
		return Finding{Fail, "info/attributes names merge=ctx, and merge.ctx.driver is not set: git merges records as text",
			"set merge.ctx.driver, or take the line out of info/attributes", ""}, nil
	case configured:
		return Finding{Warn, "merge.ctx.driver is set, and info/attributes does not use it",
			"add the line '*.ctx.yaml merge=ctx' to info/attributes", ""}, nil
	}
	return healthy("not set up: a git merge of a checked-out context branch stops where both sides changed a record; git ctx merge does not need it")
}

func (c *checkContext) hooks(ctx context.Context) (Finding, error) {
	out, err := c.repo().Git(ctx, nil, "rev-parse", "--path-format=absolute", "--git-path", "hooks")
	if err != nil {
		return Finding{}, err
	}
	dir := strings.TrimSuffix(string(out), "\n")
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Finding{}, err
	}
	var ours, idle []string
	for _, d := range files {
		if d.IsDir() || strings.HasSuffix(d.Name(), ".sample") {
			continue
		}
		text, err := regfile.Read(filepath.Join(dir, d.Name()))
		if err != nil || !strings.Contains(string(text), "git ctx") && !strings.Contains(string(text), "git-ctx") {
			continue
		}
		ours = append(ours, d.Name())
		if info, err := d.Info(); err == nil && info.Mode().Perm()&0o111 == 0 {
			idle = append(idle, d.Name())
		}
	}
	switch {
	case len(idle) > 0:
		return Finding{Warn, fmt.Sprintf("git does not run %s: not executable", strings.Join(idle, ", ")),
			"chmod +x " + filepath.Join(dir, idle[0]), ""}, nil
	case len(ours) > 0:
		return healthy("%s", strings.Join(ours, ", "))
	}
	return healthy("none")
}

func (c *checkContext) remotes(ctx context.Context) (Finding, error) {
	all, err := c.repo().Remotes(ctx)
	if err != nil {
		return Finding{}, err
	}
	var words []string
	for _, m := range all {
		if m.WritesRef(c.led.HeadRefs()) {
			return Finding{Fail, fmt.Sprintf("a 'git fetch' from '%s' overwrites or deletes the context of this repository", m.Name),
				fmt.Sprintf("git config --add remote.%s.fetch '^refs/ctx/*'", m.Name), ""}, nil
		}
		known, err := c.repo().Refs(ctx, c.led.RemoteRefs()+m.Name+"/")
		switch {
		case err != nil:
			return Finding{}, err
		case m.Mirror:
			words = append(words, fmt.Sprintf("'%s' is a mirror: a git push to it carries the context and all scopes, git ctx sync does not use it", m.Name))
		case len(known) == 0:
			words = append(words, fmt.Sprintf("nothing is known of '%s': git ctx sync", m.Name))
		default:
			words = append(words, fmt.Sprintf("'%s', context branches known: %d", m.Name, len(known)))
		}
	}
	if len(words) == 0 {
		return healthy("none")
	}
	return healthy("%s", strings.Join(words, "; "))
}
