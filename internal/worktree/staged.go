package worktree

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-ctx/git-ctx/internal/ledger"

	"github.com/git-ctx/git-ctx/gitstore"
)

// InContextWorktree reports whether what this worktree has checked out is a
// context branch.
func OfContext(ctx context.Context, l *ledger.Ledger) (bool, error) {
	branch, _, err := l.Repo().Head(ctx)
	return strings.HasPrefix(branch, strings.TrimPrefix(ledger.CheckoutPrefix, ledger.CodePrefix)+ledger.WorktreePrefix) || strings.HasPrefix(branch, ledger.HeadsPrefix), err
}

// A StagedFile is a file that is staged in a checked out context branch, and
// differs from HEAD.
type StagedFile struct {
	Path, Mode string
	OID        gitstore.OID
	Deleted    bool
}

// StagedFiles lists the staged files of a checked out context branch.
func StagedFiles(ctx context.Context, l *ledger.Ledger) ([]StagedFile, error) {
	out, err := l.Repo().Git(ctx, nil, "diff", "--cached", "--raw", "--no-abbrev", "-z", "--no-relative", "--no-renames", "--")
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
func ReadStaged(ctx context.Context, l *ledger.Ledger, files []StagedFile, visit func(f StagedFile, data []byte) error) error {
	var regular []StagedFile
	var oids []gitstore.OID
	for _, f := range files {
		if f.Mode == "100644" && !f.Deleted {
			regular, oids = append(regular, f), append(oids, f.OID)
		}
	}
	return l.Repo().ReadBlobs(ctx, oids, func(i int, data []byte) error { return visit(regular[i], data) })
}
