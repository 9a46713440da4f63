package query

import (
	"context"
	"errors"

	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/audit"
)

// AuditInput gathers what an audit of the reading looks at, and tells how many
// merges were made before this clone looked, which it does not verify.
func AuditInput(ctx context.Context, rd *Reading) (in audit.Input, unverified int, err error) {
	in = audit.Input{Judge: rd.Judge, Policy: rd.Policy, Unreadable: unreadable(rd.View)}
	in.SignatureFault = func(r *records.Record) error { return rd.Ledger.SignatureFault(ctx, r) }
	if in.View, err = rd.Whole(); err != nil {
		return in, 0, err
	}
	check, err := rd.Ledger.VerifyMerges(ctx, rd.Commit)
	if err != nil {
		return in, 0, err
	}
	for _, s := range check.Lost {
		in.LostSides = append(in.LostSides, audit.LostSide{Merge: string(s.Merge), Record: s.ID, Field: s.Field, Value: s.Value})
	}
	branches, err := rd.Ledger.UnmergedBranches(ctx)
	if err != nil {
		return in, 0, err
	}
	for _, b := range branches {
		in.LeftBehind = append(in.LeftBehind, audit.LeftBehind{Branch: b.Branch, Commits: b.Commits, Code: string(b.Code), Command: b.Command})
	}
	return in, check.Unverified, nil
}

// unreadable lists the files that the view had to leave out, its policy among them.
func unreadable(v *ledger.View) []audit.Unreadable {
	var us []audit.Unreadable
	for _, u := range v.Unreadable {
		us = append(us, audit.Unreadable{Path: u.Path, Err: u.Err})
	}
	var newer *records.NewerFormatError
	if v.PolicyErr != nil && !errors.As(v.PolicyErr, &newer) {
		us = append(us, audit.Unreadable{Path: records.PolicyFile, Err: v.PolicyErr})
	}
	return us
}
