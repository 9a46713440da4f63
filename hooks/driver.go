package hooks

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/install"
)

const (
	driverName = "git ctx: merge records by meaning"
	// driverCommand names git's own sub-command, so that it runs wherever git
	// finds git ctx, and has no path that a moved program would leave dangling.
	driverCommand  = "git ctx merge-driver %O %A %B %L %P"
	driverPatterns = "*.ctx.yaml merge=ctx\n"

	keyDriver = "merge.ctx.driver"
	keyName   = "merge.ctx.name"

	// anyRecord is a path by which git is asked for the attributes of records.
	anyRecord = "records/task/0/0/task-0000000000.ctx.yaml"
)

// A Driver says how far the merge driver is set up.
type Driver struct {
	// Command is the configured one, "" when there is none.
	Command string
	// Attributes reports whether git gives record files to the driver.
	Attributes bool
	// Runs reports whether git finds the program: a driver that is missing makes
	// git keep one side.
	Runs bool
}

// Ready reports whether git merges records with the driver.
func (d Driver) Ready() bool { return d.Command == driverCommand && d.Attributes && d.Runs }

// InstallDriver makes git merge record files with git ctx in every worktree of
// the repository: a merge driver in its configuration, and a line in the common
// directory's info/attributes. It changes nothing where that is so already.
func InstallDriver(ctx context.Context, repo *gitstore.Repo) error {
	// A name without a command would be fatal to git's merges: it goes last.
	for _, kv := range [][2]string{{keyDriver, driverCommand}, {keyName, driverName}} {
		if have, _, err := repo.Config(ctx, kv[0]); err != nil {
			return err
		} else if have == kv[1] {
			continue
		}
		if err := repo.SetConfig(ctx, kv[0], kv[1]); err != nil {
			return fmt.Errorf("install the merge driver: %w", err)
		}
	}
	path := attributesPath(repo)
	text, _, err := install.ReadText(path)
	if err != nil {
		return fmt.Errorf("install the merge driver: %w", err)
	}
	wanted := install.Shell().With(text, driverPatterns, len(text))
	if wanted == text {
		return nil
	}
	if err := install.ReplaceFile(path, wanted, 0o666); err != nil {
		return fmt.Errorf("install the merge driver: %w", err)
	}
	return nil
}

// UninstallDriver takes back what [InstallDriver] did.
func UninstallDriver(ctx context.Context, repo *gitstore.Repo) error {
	path := attributesPath(repo)
	text, there, err := install.ReadText(path)
	if err != nil {
		return fmt.Errorf("uninstall the merge driver: %w", err)
	}
	switch left := install.Shell().Without(text); {
	case left == text:
	case left == "" && there:
		err = os.Remove(path)
	default:
		err = install.ReplaceFile(path, left, 0o666)
	}
	if err != nil {
		return fmt.Errorf("uninstall the merge driver: %w", err)
	}
	for _, key := range []string{keyName, keyDriver} {
		if err := repo.UnsetConfig(ctx, key); err != nil {
			return fmt.Errorf("uninstall the merge driver: %w", err)
		}
	}
	return nil
}

// DriverStatus asks git how it would merge a record here.
func DriverStatus(ctx context.Context, repo *gitstore.Repo) (Driver, error) {
	var d Driver
	var err error
	if d.Command, _, err = repo.Config(ctx, keyDriver); err != nil {
		return d, err
	}
	out, err := repo.Git(ctx, nil, "check-attr", "-z", "merge", "--", anyRecord)
	if err != nil {
		return d, fmt.Errorf("read the attributes of records: %w", err)
	}
	if words := strings.Split(string(out), "\x00"); len(words) > 2 {
		d.Attributes = words[2] == "ctx"
	}
	_, err = repo.Git(ctx, nil, "ctx", "version")
	d.Runs = err == nil
	return d, ctx.Err()
}

func attributesPath(repo *gitstore.Repo) string {
	return filepath.Join(repo.CommonDir(), "info", "attributes")
}
