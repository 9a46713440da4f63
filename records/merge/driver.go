package merge

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

// Covers reports whether [File] merges the file at a path of the store's tree:
// a record's, or the policy's.
func Covers(path string) bool {
	_, err := records.PathID(path)
	return err == nil || path == records.PolicyFile
}

// File merges three versions of one file of the store, as git hands them to a
// merge driver. The bytes are those that a merge of the store writes, conflicts
// included. An empty base is none; so is one that cannot be read, since history
// cannot be mended and a conflict is better than a branch that never merges
// again. The error says why a side cannot be merged: it cannot be read, or it is
// another record than the path names, an *[IDError]. The caller must then keep
// both as they are.
func File(path string, base, ours, theirs []byte) ([]byte, Report, error) {
	if path == records.PolicyFile {
		return policyFile(base, ours, theirs)
	}
	if _, err := records.PathID(path); err != nil {
		return nil, Report{}, err
	}
	o, err := parseSide(path, ours)
	if err != nil {
		return nil, Report{}, fmt.Errorf("our side: %w", err)
	}
	t, err := parseSide(path, theirs)
	if err != nil {
		return nil, Report{}, fmt.Errorf("their side: %w", err)
	}
	var bases []*records.Record
	if b, err := records.Parse(path, base); err == nil {
		bases = append(bases, b)
	}
	r, rep, err := Records(bases, o, t)
	if err != nil {
		return nil, Report{}, err
	}
	data, err := records.Format(r)
	return data, rep, err
}

// parseSide reads a side, and tells a record of another name, as git hands over
// when it takes two records for a renamed one, from one that cannot be read.
func parseSide(path string, data []byte) (*records.Record, error) {
	r, err := records.Parse(path, data)
	if err == nil {
		return r, nil
	}
	other, otherErr := records.Parse("", data)
	if id, _ := records.PathID(path); otherErr == nil && other.ID != id {
		return nil, &IDError{IDs: []records.ID{id, other.ID}}
	}
	return nil, err
}

func policyFile(base, ours, theirs []byte) ([]byte, Report, error) {
	o, err := records.ParsePolicy(ours)
	if err != nil {
		return nil, Report{}, fmt.Errorf("our side: %w", err)
	}
	t, err := records.ParsePolicy(theirs)
	if err != nil {
		return nil, Report{}, fmt.Errorf("their side: %w", err)
	}
	var bases []*records.Policy
	if b, err := records.ParsePolicy(base); err == nil {
		bases = append(bases, b)
	}
	p, rep := Policy(bases, o, t)
	return records.FormatPolicy(p), rep, nil
}
