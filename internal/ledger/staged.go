package ledger

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
)

// InContextWorktree reports whether what this worktree has checked out is a
// context branch.
func (l *Ledger) InContextWorktree(ctx context.Context) (bool, error) {
	branch, _, err := l.repo.Head(ctx)
	return strings.HasPrefix(branch, strings.TrimPrefix(CheckoutPrefix, codePrefix)+worktreePrefix) || strings.HasPrefix(branch, headsPrefix), err
}

// A StagedFile is a file that is staged in a checked out context branch, and
// differs from HEAD.
type StagedFile struct {
	Path, Mode string
	OID        gitstore.OID
	Deleted    bool
}

// StagedFiles lists the staged files of a checked out context branch.
func (l *Ledger) StagedFiles(ctx context.Context) ([]StagedFile, error) {
	out, err := l.repo.Git(ctx, nil, "diff", "--cached", "--raw", "--no-abbrev", "-z", "--no-relative", "--no-renames", "--")
	if err != nil {
		return nil, fmt.Errorf("find the staged files: %w", err)
	}
	var files []StagedFile
	for fields := strings.Split(string(out), "\x00"); len(fields) >= 2; fields = fields[2:] {
		meta := strings.Fields(fields[0]) // :mode mode oid oid status
		if len(meta) != 5 {
			return nil, fmt.Errorf("find the staged files: unexpected answer of git diff: %q", fields[0])
		}
		files = append(files, StagedFile{Path: fields[1], Mode: meta[1], OID: gitstore.OID(meta[3]), Deleted: meta[4] == "D"})
	}
	return files, nil
}

// ReadStaged reads those of the files that are regular. The bytes are visit's to
// use until it returns.
func (l *Ledger) ReadStaged(ctx context.Context, files []StagedFile, visit func(f StagedFile, data []byte) error) error {
	var regular []StagedFile
	var oids []gitstore.OID
	for _, f := range files {
		if f.Mode == "100644" && !f.Deleted {
			regular, oids = append(regular, f), append(oids, f.OID)
		}
	}
	return l.repo.ReadBlobs(ctx, oids, func(i int, data []byte) error { return visit(regular[i], data) })
}
