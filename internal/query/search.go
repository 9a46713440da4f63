package query

import (
	"bytes"
	"cmp"
	"context"
	"reflect"
	"slices"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/records"
)

// A Found is a record that a search found.
type Found struct {
	Listed
	Score   float64 // the higher, the better
	Snippet index.Snippet
	// Branch is where Record stands so; Elsewhere are the other branches searched
	// that hold it otherwise.
	Branch    string
	Elsewhere []OnBranch
}

// OnBranch is how a branch holds a record.
type OnBranch struct {
	Branch   string
	Standing records.Standing
}

// Search returns the records that have all words of the text and that the
// options select, best first, and whether the limit left some out. Its text is what [index.Snap.Search] takes. The error is an
// *[index.LongQueryError], or that of a read.
func Search(ctx context.Context, rd *Reading, text string, o ListOptions) (found []Found, more bool, err error) {
	for hit, err := range rd.Ledger.Search(ctx, rd.View, rd.Eval, text, o.rows()) {
		if err != nil {
			return nil, false, err
		}
		l, ok := o.line(rd, hit.Row)
		if !ok {
			continue
		}
		if o.Limit > 0 && len(found) == o.Limit {
			return found, true, nil
		}
		found = append(found, Found{Listed: l, Score: hit.Score, Snippet: index.SnippetOf(l.Record, text), Branch: rd.Branch})
	}
	return found, false, nil
}

// SearchBranches is [Search] of every context branch. A record is named once,
// as the reading's own branch holds it where that one has found it, with the
// branches that hold it otherwise.
func SearchBranches(ctx context.Context, rd *Reading, text string, o ListOptions) (found []Found, more bool, err error) {
	rds, err := rd.everyBranch(ctx)
	if err != nil {
		return nil, false, err
	}
	seen := make(map[records.ID]bool)
	for _, on := range rds {
		fs, m, err := Search(ctx, on, text, o)
		if err != nil {
			return nil, false, err
		}
		more = more || m
		for _, f := range fs {
			if !seen[f.Record.ID] {
				seen[f.Record.ID] = true
				found = append(found, f)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Found) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Record.ID, b.Record.ID))
	})
	if o.Limit > 0 && len(found) > o.Limit {
		found, more = found[:o.Limit], true
	}
	for i := range found {
		if err := found[i].compare(rds); err != nil {
			return nil, false, err
		}
	}
	return found, more, nil
}

// everyBranch returns readings of all context branches that differ, the
// reading's own first, judged at its instant.
func (rd *Reading) everyBranch(ctx context.Context) ([]*Reading, error) {
	branches, err := rd.Ledger.Branches(ctx)
	if err != nil {
		return nil, err
	}
	rds := []*Reading{rd}
	for _, b := range branches {
		if slices.ContainsFunc(rds, func(o *Reading) bool { return o.Commit == b.Commit }) {
			continue
		}
		v, err := rd.Ledger.ViewBranch(ctx, b.Name)
		if err != nil {
			return nil, err
		}
		j, err := rd.Ledger.EvalContext(ctx, v)
		if err != nil {
			return nil, err
		}
		j.ValidAt = rd.Eval.ValidAt
		rds = append(rds, &Reading{View: v, Ledger: rd.Ledger, Eval: j})
	}
	return rds, nil
}

// compare fills in the branches that hold the record otherwise.
func (f *Found) compare(rds []*Reading) error {
	mine, err := records.Format(f.Record)
	if err != nil {
		return err
	}
	for _, on := range rds {
		r, ok := on.Record(f.Record.ID)
		if !ok || on.Branch == f.Branch {
			continue
		}
		theirs, err := records.Format(r)
		if err != nil {
			return err
		}
		if st := on.Standing(r.ID); !bytes.Equal(mine, theirs) || !reflect.DeepEqual(st, f.Standing) {
			f.Elsewhere = append(f.Elsewhere, OnBranch{on.Branch, st})
		}
	}
	return nil
}

// SearchAnswer is the JSON answer of search.
type SearchAnswer struct {
	Format  int          `json:"format"`
	Commit  gitstore.OID `json:"commit"`
	Branch  string       `json:"branch,omitempty"`
	Query   string       `json:"query"`
	More    bool         `json:"more"`
	Records []FoundLine  `json:"records"`
}

// A FoundLine is a record that a search found. Marks count bytes of the snippet.
type FoundLine struct {
	Line
	Score     float64          `json:"score"`
	Snippet   string           `json:"snippet"`
	Marks     [][2]int         `json:"marks"`
	Branch    string           `json:"found_on,omitempty"`
	Elsewhere []BranchStanding `json:"elsewhere,omitempty"`
}

// A BranchStanding is how a branch holds a record.
type BranchStanding struct {
	Branch string        `json:"branch"`
	State  records.State `json:"state"`
	Class  records.Class `json:"class"`
}

// SearchAnswerOf is what a search found as a JSON answer.
func SearchAnswerOf(rd *Reading, text string, found []Found, more bool) SearchAnswer {
	out := SearchAnswer{Format: AnswerFormat, Commit: rd.Commit, Branch: rd.Branch, Query: text, More: more, Records: []FoundLine{}}
	for _, f := range found {
		line := FoundLine{Line: LineOf(f.Record, f.Standing), Score: f.Score, Snippet: f.Snippet.Text, Marks: append([][2]int{}, f.Snippet.Marks...)}
		if f.Branch != rd.Branch {
			line.Branch = f.Branch
		}
		for _, b := range f.Elsewhere {
			line.Elsewhere = append(line.Elsewhere, BranchStanding{b.Branch, b.Standing.State, b.Standing.Class})
		}
		out.Records = append(out.Records, line)
	}
	return out
}
