package ledger

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/records"
)

// InContextWorktree reports whether what this worktree has checked out is a
// context branch.
func (l *Ledger) InContextWorktree(ctx context.Context) (bool, error) {
	branch, _, err := l.repo.Head(ctx)
	return strings.HasPrefix(branch, strings.TrimPrefix(CheckoutPrefix, codePrefix)+worktreePrefix) || strings.HasPrefix(branch, headsPrefix), err
}

// StagedFaults looks at the files that are staged in a checked out context
// branch, as fsck would once they are committed: their places, their form, and
// that no record is deleted. Look, if not nil, is given each file's bytes, which are
// its to use until it returns.
func (l *Ledger) StagedFaults(ctx context.Context, look func(path string, data []byte)) ([]Fault, error) {
	out, err := l.repo.Git(ctx, nil, "diff", "--cached", "--raw", "--no-abbrev", "-z", "--no-relative", "--no-renames", "--")
	if err != nil {
		return nil, fmt.Errorf("find the staged files: %w", err)
	}
	var faults []Fault
	var files []entry
	var oids []gitstore.OID
	for fields := strings.Split(string(out), "\x00"); len(fields) >= 2; fields = fields[2:] {
		meta, name := strings.Fields(fields[0]), fields[1] // :mode mode oid oid status
		if len(meta) != 5 {
			return nil, fmt.Errorf("find the staged files: unexpected answer of git diff: %q", fields[0])
		}
		file := treeFile{meta[1], entry{name, gitstore.OID(meta[3])}}
		_, isRecord := records.PathID(name)
		switch {
		case meta[4] == "D" && (isRecord == nil || strings.HasPrefix(name, ReceiptsRoot+"/") || name == records.PolicyFile):
			faults = append(faults, Fault{Severity: records.Error, Check: CheckPath, Path: name, Message: "it is deleted: 'git ctx forget' takes a record out"})
		case meta[4] == "D":
		case meta[1] == "100644":
			files, oids = append(files, file.entry), append(oids, file.oid)
			fallthrough
		default:
			if fault := pathFault(file); fault != nil {
				faults = append(faults, *fault)
			}
		}
	}
	err = l.repo.ReadBlobs(ctx, oids, func(i int, data []byte) error {
		faults = append(faults, contentFaults(files[i].path, data)...)
		if look != nil {
			look(files[i].path, data)
		}
		return nil
	})
	return faults, err
}

// contentFaults says what is wrong with what a file of the store holds.
func contentFaults(path string, data []byte) []Fault {
	if path == records.PolicyFile {
		if _, err := policyOf(data); err != nil {
			return []Fault{{Severity: records.Error, Check: CheckPolicy, Path: path, Message: err.Error()}}
		}
		return nil
	}
	if _, err := records.PathID(path); err != nil {
		return nil
	}
	return checkRecord(path, data).faults
}
