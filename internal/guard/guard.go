// Package guard tells what a change of the code touches: the records whose cited lines or
// paths it changes, what stands on them, and what was ruled out and looks like it.
//
// It owns what "touched" and "in force" mean, and the order of the answer. It writes nothing,
// and reads of the store what the changed files lead to.
package guard

import (
	"cmp"
	"context"
	"io"
	"slices"

	"github.com/git-ctx/git-ctx/internal/codelink"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
)

// Options say which change is meant. The zero value is the code index.
type Options struct {
	Worktree bool
	Range    string    // commits, as git diff takes them
	Patch    io.Reader // a patch; nil for none
	// Titles looks for ruled out titles in the added lines too, which costs a look at every
	// title that was ruled out.
	Titles bool
}

// A Place is what of a record a change meets in a file.
type Place struct {
	Path  string `json:"path"`            // after the change, where the file is still there
	Lines string `json:"lines,omitempty"` // before the change, of an anchor
	Glob  string `json:"glob,omitempty"`
	// Anchor is what cites the lines, nil where a glob meets the file.
	Anchor *records.Anchor `json:"-"`
}

// A Touched is a record that a change touches, or that stands on one.
type Touched struct {
	query.Listed
	// At is where the change touches the record itself; empty for one that stands on others.
	At []Place
	// On are the records by which the change reaches it.
	On []records.ID
}

// InForce reports whether readers state the record as fact: plans and questions are not in force.
func (t Touched) InForce() bool {
	switch t.Record.Kind {
	case records.Task, records.Goal, records.Trigger:
		return false
	}
	return t.Standing.Class == records.Asserted
}

// A Maybe is a record that was ruled out and looks like what the change does.
type Maybe struct {
	query.Listed
	At    []Place // by path
	Title string  // the file whose added lines have the words of the title
}

// A Result is the answer of guard.
type Result struct {
	Files   []string
	Touched []Touched // worst first
	Maybe   []Maybe
}

// InForce reports whether the change touches anything in force.
func (r *Result) InForce() bool { return slices.ContainsFunc(r.Touched, Touched.InForce) }

// Run answers for a change. An error of git's or of a patch that cannot be read is returned.
func Run(ctx context.Context, rd *query.Reading, o Options) (*Result, error) {
	c, err := o.change(ctx, rd)
	if err != nil {
		return nil, err
	}
	return Of(ctx, rd, c, o.Titles)
}

func (o Options) change(ctx context.Context, rd *query.Reading) (*codelink.Change, error) {
	repo := rd.Ledger.Repo()
	switch {
	case o.Patch != nil:
		return codelink.PatchChange(ctx, repo, o.Patch)
	case o.Range != "":
		return codelink.RangeChange(ctx, repo, o.Range)
	case o.Worktree:
		return codelink.WorktreeChange(ctx, repo)
	}
	return codelink.StagedChange(ctx, repo)
}

// Of is [Run] of a change that was read already.
func Of(ctx context.Context, rd *query.Reading, c *codelink.Change, titles bool) (*Result, error) {
	res := &Result{}
	for i := range c.Files {
		res.Files = append(res.Files, c.Files[i].Names()...)
	}
	slices.Sort(res.Files)
	res.Files = slices.Compact(res.Files)
	if len(res.Files) == 0 {
		return res, nil
	}
	ids, err := rd.Touching(res.Files)
	if err != nil {
		return nil, err
	}
	var found []records.ID
	for _, id := range ids {
		r, ok := rd.Record(id)
		if !ok || r.Forgotten() {
			continue
		}
		st := rd.Standing(id)
		if st.Class == records.RuledOut {
			if at := met(r, c); len(at) > 0 {
				res.Maybe = append(res.Maybe, Maybe{Listed: query.Listed{Record: r, Standing: st}, At: at})
			}
			continue
		}
		if st.Class == records.Gone || st.Class == records.Closed {
			continue
		}
		at, err := touched(ctx, r, c)
		if err != nil {
			return nil, err
		}
		if len(at) > 0 {
			res.Touched = append(res.Touched, Touched{Listed: query.Listed{Record: r, Standing: st}, At: at})
			found = append(found, id)
		}
	}
	for _, up := range query.Climb(rd, found) {
		r, _ := rd.Record(up.ID)
		res.Touched = append(res.Touched, Touched{Listed: query.Listed{Record: r, Standing: rd.Standing(up.ID)}, On: up.On})
	}
	slices.SortStableFunc(res.Touched, worse)
	if titles {
		if err := res.titles(rd, c); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(res.Maybe, func(a, b Maybe) int { return cmp.Compare(a.Record.ID, b.Record.ID) })
	return res, rd.Err()
}

// touched returns where a change meets a record: at cited lines that it changes, and at
// files that a glob names.
func touched(ctx context.Context, r *records.Record, c *codelink.Change) ([]Place, error) {
	var out []Place
	ts, err := c.Touches(ctx, r.Anchors)
	if err != nil {
		return nil, err
	}
	for _, t := range ts {
		out = append(out, Place{Path: cmp.Or(t.File.New, t.File.Old), Lines: t.Lines, Anchor: &t.Anchor})
	}
	return append(out, met(r, c)...), nil
}

// met returns the files of a change that the record's globs meet; for what was ruled out
// and has none, those that it cites.
func met(r *records.Record, c *codelink.Change) []Place {
	var out []Place
	for i := range c.Files {
		f := &c.Files[i]
		for _, name := range f.Names() {
			if g := query.GlobFor(r, name); g != "" {
				out = append(out, Place{Path: name, Glob: g})
				break
			}
			if r.State().Class(r.Kind) == records.RuledOut && slices.ContainsFunc(r.Anchors, func(a records.Anchor) bool { return a.Path == name }) {
				out = append(out, Place{Path: name})
				break
			}
		}
	}
	return out
}

// worse puts what is in force first, a decision before a conclusion before a hypothesis, and
// what the change touches itself before what stands on it.
func worse(a, b Touched) int {
	rank := func(t Touched) int {
		class := slices.Index([]records.Class{records.Asserted, records.AwaitingReview, records.InDoubt}, t.Standing.Class)
		if class < 0 {
			class = 3
		}
		kind := slices.Index([]records.Kind{records.Decision, records.Conclusion, records.Runbook, records.Hypothesis, records.Evidence}, t.Record.Kind)
		if kind < 0 {
			kind, class = 9, class+4
		}
		return class*10 + kind
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(len(a.On), len(b.On)), cmp.Compare(a.Record.ID, b.Record.ID))
}
