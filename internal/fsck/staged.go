package fsck

import (
	"context"
	"strings"

	"github.com/git-ctx/git-ctx/internal/worktree"

	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// Staged looks at the files that are staged in a checked out context branch, as
// Run would once they are committed: their places, their form, and that no record
// is deleted.
func Staged(ctx context.Context, led *ledger.Ledger) ([]Fault, error) {
	files, err := worktree.StagedFiles(ctx, led)
	if err != nil {
		return nil, err
	}
	var faults []Fault
	for _, f := range files {
		_, isRecord := records.PathID(f.Path)
		switch {
		case f.Deleted && (isRecord == nil || strings.HasPrefix(f.Path, ledger.ReceiptsRoot+"/") || f.Path == records.PolicyFile):
			faults = append(faults, Fault{Severity: records.Error, Check: CheckPath, Path: f.Path, Message: "it is deleted: 'git ctx forget' takes a record out"})
		case f.Deleted:
		default:
			if fault := pathFault(treeFile{f.Mode, file{f.Path, f.OID}}); fault != nil {
				faults = append(faults, *fault)
			}
		}
	}
	err = worktree.ReadStaged(ctx, led, files, func(f worktree.StagedFile, data []byte) error {
		faults = append(faults, contentFaults(f.Path, data)...)
		return nil
	})
	return faults, err
}

// contentFaults says what is wrong with what a file of the store holds.
func contentFaults(path string, data []byte) []Fault {
	if path == records.PolicyFile {
		if _, err := records.ParsePolicy(data); err != nil {
			return []Fault{{Severity: records.Error, Check: CheckPolicy, Path: path, Message: err.Error()}}
		}
		return nil
	}
	if _, err := records.PathID(path); err != nil {
		return nil
	}
	return checkRecord(path, data).faults
}
