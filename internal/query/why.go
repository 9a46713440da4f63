package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/codelink"
	"github.com/git-ctx/git-ctx/records"
)

// WhyOptions name a file of the code, from the worktree's top, and lines of it.
type WhyOptions struct {
	File     string
	From, To int  // 0 is the whole file
	All      bool // also records that were retracted, retired or superseded
}

// The ways in which a record is found to bear on code.
const (
	ByAnchor = "anchor" // it cites lines of the file
	ByCommit = "commit" // a commit that the lines stand from names it
	ByPath   = "path"   // one of its globs meets the file
)

// A Match is one way in which a record bears on code.
type Match struct {
	How string `json:"how"`
	// Path is another name of the file, where the record knows it by that.
	Path string `json:"path,omitempty"`
	// Lines of the file now: those that an anchor cites, or that stand from a commit.
	Lines string         `json:"lines,omitempty"`
	State codelink.State `json:"state,omitempty"` // of an anchor
	Glob  string         `json:"glob,omitempty"`
	// Commit names the record, in a trailer with the key Via, or "" in its text.
	Commit  gitstore.OID `json:"commit,omitempty"`
	Subject string       `json:"subject,omitempty"`
	Via     string       `json:"via,omitempty"`
	// Instead is the superseded record that was found, in whose place this one stands.
	Instead records.ID `json:"instead_of,omitempty"`
}

// A Reason is a record that bears on code, and how it was found.
type Reason struct {
	Listed
	Because []Match
}

// A WhyResult is the answer to why code is as it is.
type WhyResult struct {
	Origin *codelink.Origin
	// Reasons are decisions first, then by kind; what is ruled out stands last.
	Reasons []Reason
	// LeftOut counts records found that no longer stand and have no successor.
	LeftOut int
	// Unknown are names in trailers that are not a record here.
	Unknown []string
}

// Why finds the records that bear on a file or its lines: by their anchors and
// globs, and by the commits of the code that git finds for it.
func Why(ctx context.Context, rd *Reading, o WhyOptions) (*WhyResult, error) {
	origin, err := codelink.FindOrigin(ctx, rd.Ledger.Repo(), o.File, o.From, o.To)
	if err != nil {
		return nil, err
	}
	w := &whySearch{WhyResult: WhyResult{Origin: origin}, rd: rd, o: o, found: make(map[records.ID][]Match)}
	if err := w.byRecords(ctx, append([]string{o.File}, origin.Names...)); err != nil {
		return nil, err
	}
	w.byCommits()
	w.collect()
	return &w.WhyResult, rd.Err()
}

type whySearch struct {
	WhyResult
	rd    *Reading
	o     WhyOptions
	found map[records.ID][]Match
}

// byRecords looks for records that name the file, by one of its names.
func (w *whySearch) byRecords(ctx context.Context, names []string) error {
	ids, err := w.rd.Touching(names)
	if err != nil {
		return err
	}
	astray, err := w.astray(ctx)
	if err != nil {
		return err
	}
	anchored, err := anchorsOf(ctx, w.rd, slices.Compact(slices.Sorted(slices.Values(slices.Concat(ids, astray)))))
	if err != nil {
		return err
	}
	for _, a := range anchored {
		for _, c := range a.Checks {
			if b, ok := w.anchor(c, names); ok {
				w.found[a.Record.ID] = append(w.found[a.Record.ID], b)
			}
		}
	}
	for _, id := range ids {
		r, ok := w.rd.Record(id)
		if !ok {
			continue
		}
		for i, name := range names {
			if g := GlobFor(r, name); g != "" {
				w.found[id] = append(w.found[id], Match{How: ByPath, Glob: g, Path: otherName(name, i)})
				break
			}
		}
	}
	return nil
}

// astray returns the records that cite files which git's index does not have: the lines
// may stand in the file that is asked for, though no commit of it knows the other name.
func (w *whySearch) astray(ctx context.Context) ([]records.ID, error) {
	ids, err := w.rd.Anchored()
	if err != nil {
		return nil, err
	}
	citing := make(map[string][]records.ID)
	for _, id := range ids {
		if r, ok := w.rd.Record(id); ok && (w.o.All || w.rd.Standing(id).Class != records.Gone || len(r.Successors()) > 0) {
			for _, a := range r.Anchors {
				citing[a.Path] = append(citing[a.Path], id)
			}
		}
	}
	missing, err := codelink.NotIndexed(ctx, w.rd.Ledger.Repo(), slices.Sorted(maps.Keys(citing)))
	var out []records.ID
	for name := range missing {
		out = append(out, citing[name]...)
	}
	return out, err
}

func otherName(name string, i int) string {
	if i == 0 {
		return ""
	}
	return name
}

// anchor tells whether an anchor cites what is asked for.
func (w *whySearch) anchor(c codelink.Check, names []string) (Match, bool) {
	b := Match{How: ByAnchor, State: c.State, Lines: c.Anchor.Lines}
	at := c.Anchor.Path
	if c.Path != "" {
		b.Lines, at = c.Lines, c.Path
	}
	if !slices.ContainsFunc(names, func(n string) bool { return meets(at, n) }) {
		return b, false
	}
	if c.Anchor.Path != w.o.File {
		b.Path = c.Anchor.Path
	}
	_, from, to, err := codelink.SplitLines("x:" + b.Lines)
	if err != nil || from == 0 || w.o.From == 0 {
		return b, true // the whole file, on either side
	}
	return b, from <= w.o.To && to >= w.o.From
}

// byCommits looks for records that the code's commits name.
func (w *whySearch) byCommits() {
	for _, c := range w.Origin.Commits {
		for _, n := range codelink.RecordsNamed(c.Message) {
			ids, err := w.rd.Match(n.Name)
			if err != nil || len(ids) != 1 {
				if n.Key != "" && !slices.Contains(w.Unknown, n.Name) {
					w.Unknown = append(w.Unknown, n.Name)
				}
				continue
			}
			w.found[ids[0]] = append(w.found[ids[0]],
				Match{How: ByCommit, Commit: c.OID, Subject: c.Subject, Via: n.Key, Lines: strings.Join(c.Lines, ",")})
		}
	}
}

// collect makes the answer of what was found: each record once, superseded ones
// by what stands in their place.
func (w *whySearch) collect() {
	because := make(map[records.ID][]Match)
	for id, bs := range w.found {
		for _, now := range w.standing(id) {
			for _, b := range bs {
				if now != id {
					b.Instead = id
				}
				because[now] = append(because[now], b)
			}
		}
	}
	for id, bs := range because {
		r, _ := w.rd.Record(id)
		slices.SortFunc(bs, compareMatches)
		w.Reasons = append(w.Reasons, Reason{Listed{r, w.rd.Standing(id)}, slices.Compact(bs)})
	}
	slices.SortFunc(w.Reasons, compareReasons)
}

// standing returns the records to show for one that was found: itself, or what
// superseded it.
func (w *whySearch) standing(id records.ID) []records.ID {
	var out []records.ID
	seen := make(map[records.ID]bool)
	for queue := []records.ID{id}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		r, ok := w.rd.Record(at)
		if !ok || seen[at] {
			continue
		}
		seen[at] = true
		switch st := w.rd.Standing(at); {
		case r.Forgotten():
		case st.Class != records.Gone || w.o.All:
			out = append(out, at)
		default:
			queue = append(queue, r.Successors()...)
		}
	}
	if len(out) == 0 {
		w.LeftOut++
	}
	return out
}

// kindsThatExplain are the kinds from the one that explains code best.
func kindsThatExplain() []records.Kind {
	return []records.Kind{records.Decision, records.Conclusion, records.Hypothesis, records.Evidence, records.Runbook, records.Task, records.Goal, records.Trigger}
}

func compareReasons(a, b Reason) int {
	last := func(r Reason) int {
		switch {
		case r.Standing.Class == records.RuledOut:
			return 2
		case r.Standing.Class == records.Gone:
			return 1
		}
		return 0
	}
	kind := func(r Reason) int { return slices.Index(kindsThatExplain(), r.Record.Kind) }
	return cmp.Or(cmp.Compare(last(a), last(b)), cmp.Compare(kind(a), kind(b)), compareMatches(a.Because[0], b.Because[0]), cmp.Compare(a.Record.ID, b.Record.ID))
}

// compareMatches puts what points at lines before what points at a commit, and
// that before what points at a path.
func compareMatches(a, b Match) int {
	at := func(b Match) int { return slices.Index([]string{ByAnchor, ByCommit, ByPath}, b.How) }
	return cmp.Or(cmp.Compare(at(a), at(b)), cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)))
}

// anchorsOf is [CheckAnchors] of just these records; without a worktree
// every anchor is unchecked.
func anchorsOf(ctx context.Context, rd *Reading, ids []records.ID) ([]Anchored, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	as, err := CheckAnchors(ctx, rd, ids)
	if !errors.Is(err, codelink.ErrNoWorktree) {
		return as, err
	}
	for _, id := range ids {
		r, ok := rd.Record(id)
		if !ok {
			continue
		}
		a := Anchored{Record: r}
		for _, anchor := range r.Anchors {
			a.Checks = append(a.Checks, codelink.Check{Anchor: anchor, State: codelink.Unchecked})
		}
		as = append(as, a)
	}
	return as, nil
}

// WhyAnswer is the JSON answer of why.
type WhyAnswer struct {
	Format int          `json:"format"`
	Commit gitstore.OID `json:"commit"`
	Branch string       `json:"branch,omitempty"`
	Path   string       `json:"path"`
	Lines  string       `json:"lines,omitempty"`
	InGit  bool         `json:"in_git"`
	// Names are other names that the file had; Uncommitted lines that no commit has.
	Names       []string    `json:"names"`
	Uncommitted []string    `json:"uncommitted"`
	LeftOut     int         `json:"left_out"`
	Records     []WhyRecord `json:"records"`
}

// A WhyRecord is a record that bears on code.
type WhyRecord struct {
	Line
	Reason  string  `json:"reason,omitempty"` // of its verdict
	Because []Match `json:"because"`
}

// WhyAnswerOf is the answer to why as JSON.
func WhyAnswerOf(rd *Reading, o WhyOptions, w *WhyResult) WhyAnswer {
	out := WhyAnswer{Format: AnswerFormat, Commit: rd.Commit, Branch: rd.Branch, Path: o.File, InGit: w.Origin.InGit, LeftOut: w.LeftOut,
		Names: append([]string{}, w.Origin.Names...), Uncommitted: append([]string{}, w.Origin.Uncommitted...), Records: []WhyRecord{}}
	if o.From > 0 {
		out.Lines = fmt.Sprintf("%d-%d", o.From, o.To)
	}
	for _, r := range w.Reasons {
		line := WhyRecord{Line: LineOf(r.Record, r.Standing), Because: r.Because}
		if r.Record.Verdict != nil {
			line.Reason = r.Record.Verdict.Reason
		}
		out.Records = append(out.Records, line)
	}
	return out
}
