package query

import (
	"context"
	"iter"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/codelink"
	"github.com/git-ctx/git-ctx/records"
)

// An Anchored record is one with anchors, and what the worktree says of each.
type Anchored struct {
	Record *records.Record
	Checks []codelink.Check // one for each anchor, in order
}

// CheckAnchors compares the anchors of records with the worktree; without ids,
// those of all records that have any and are not dead. Where there is no
// worktree the error is [codelink.ErrNoWorktree].
func CheckAnchors(ctx context.Context, rd *Reading, ids []records.ID) ([]Anchored, error) {
	all := len(ids) == 0
	if all {
		var err error
		if ids, err = rd.Anchored(); err != nil {
			return nil, err
		}
	}
	return checkAnchors(ctx, rd, func(yield func(*records.Record) bool) {
		for _, id := range ids {
			if r, ok := rd.Record(id); ok && !(all && rd.Standing(id).Class.Historical()) && !yield(r) {
				return
			}
		}
	})
}

// checkAnchors reads each file once for all records.
func checkAnchors(ctx context.Context, rd *Reading, rs iter.Seq[*records.Record]) ([]Anchored, error) {
	var out []Anchored
	var anchors []records.Anchor
	for r := range rs {
		out = append(out, Anchored{Record: r})
		anchors = append(anchors, r.Anchors...)
	}
	if len(anchors) == 0 {
		return out, rd.Err()
	}
	checks, err := codelink.CheckAnchors(ctx, rd.Ledger.Repo(), anchors)
	if err != nil {
		return nil, err
	}
	for i := range out {
		n := len(out[i].Record.Anchors)
		out[i].Checks, checks = checks[:n:n], checks[n:]
	}
	return out, rd.Err()
}

// AnchorsAnswer is the JSON answer of evidence recheck.
type AnchorsAnswer struct {
	Format  int          `json:"format"`
	Commit  gitstore.OID `json:"commit"`
	Branch  string       `json:"branch,omitempty"`
	Anchors []AnchorLine `json:"anchors"`
	// Updated are the records that were rewritten.
	Updated []records.ID `json:"updated"`
}

// An AnchorLine is an anchor of a record. NowPath and NowLines are where the
// cited lines stand; absent when they were not found.
type AnchorLine struct {
	ID       records.ID     `json:"id"`
	Kind     records.Kind   `json:"kind"`
	Title    string         `json:"title"`
	State    codelink.State `json:"state"`
	Path     string         `json:"path"`
	Lines    string         `json:"lines,omitempty"`
	NowPath  string         `json:"now_path,omitempty"`
	NowLines string         `json:"now_lines,omitempty"`
}

// AnchorLines lists what was found of each anchor.
func AnchorLines(as []Anchored) []AnchorLine {
	lines := []AnchorLine{}
	for _, a := range as {
		for _, c := range a.Checks {
			lines = append(lines, AnchorLine{ID: a.Record.ID, Kind: a.Record.Kind, Title: TitleOf(a.Record), State: c.State,
				Path: c.Anchor.Path, Lines: c.Anchor.Lines, NowPath: c.Path, NowLines: c.Lines})
		}
	}
	return lines
}
