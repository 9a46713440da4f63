package query

import (
	"context"
	"fmt"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/planning"
)

// How many records of one task or goal are looked at: for its gaps, and where it
// is one question among several. What has more is a whole project, and nobody
// fills its gaps in one sitting.
const (
	gapsLimit = 2000
	workLimit = 200
)

// Gaps finds what the named task or goal still lacks, in the order in which it
// is filled; without a name, what was begun anywhere and not finished. The work
// is nil without a name. The error for a name is as of [ledger.Ledger.Find], or
// a *[NotWorkError].
func Gaps(ctx context.Context, rd *Reading, name string) ([]planning.Gap, *planning.Work, error) {
	if name == "" {
		whole, err := rd.Whole()
		if err != nil {
			return nil, nil, err
		}
		return planning.AllGaps(whole), nil, nil
	}
	w, err := work(rd, name, gapsLimit)
	if err != nil {
		return nil, nil, err
	}
	return w.Gaps(), w, nil
}

// work gathers what was recorded for a task or goal, at most limit records.
func work(rd *Reading, name string, limit int) (*planning.Work, error) {
	r, err := rd.Ledger.Find(rd.View, name)
	if err != nil {
		return nil, err
	}
	if r.Kind != records.Task && r.Kind != records.Goal {
		return nil, &NotWorkError{r.ID, r.Kind}
	}
	return planning.Around(rd.View, r, limit), nil
}

// A NotWorkError says that a record is neither task nor goal.
type NotWorkError struct {
	ID   records.ID
	Kind records.Kind
}

func (e *NotWorkError) Error() string {
	return fmt.Sprintf("'%s': it is %s, and only tasks and goals have gaps", e.ID, e.Kind.Phrase())
}

// GapsAnswer is the JSON answer of gaps.
type GapsAnswer struct {
	Format int          `json:"format"`
	Commit gitstore.OID `json:"commit"`
	Branch string       `json:"branch,omitempty"`
	Of     records.ID   `json:"of,omitempty"` // the task or goal asked about
	// Count is how many there are; Gaps may be the first of them.
	Count int         `json:"count"`
	Gaps  []GapAnswer `json:"gaps"`
	// Cut tells that the work is too large to be looked at whole.
	Cut bool `json:"cut,omitempty"`
}

// GapAnswer is a gap in JSON answers.
type GapAnswer struct {
	Lacks   string        `json:"lacks"`
	ID      records.ID    `json:"id"`
	Kind    records.Kind  `json:"kind"`
	State   records.State `json:"state"`
	Title   string        `json:"title"`
	Message string        `json:"message"`
	Related []records.ID  `json:"related,omitempty"`
	Command string        `json:"command"`
}

// GapsAnswerOf is the JSON answer with at most limit gaps, 0 for all.
func GapsAnswerOf(rd *Reading, gaps []planning.Gap, w *planning.Work, limit int) GapsAnswer {
	out := GapsAnswer{Format: AnswerFormat, Commit: rd.Commit, Branch: rd.Branch, Count: len(gaps), Gaps: gapAnswers(gaps, limit)}
	if w != nil {
		out.Of, out.Cut = w.Root.ID, w.Cut
	}
	return out
}

func gapAnswers(gaps []planning.Gap, limit int) []GapAnswer {
	if limit > 0 {
		gaps = gaps[:min(limit, len(gaps))]
	}
	out := make([]GapAnswer, len(gaps))
	for i, g := range gaps {
		out[i] = GapAnswer{g.Lacks, g.Record.ID, g.Record.Kind, records.State(StateWord(g.Record.State())), TitleOf(g.Record), g.Message, g.Related, g.Command}
	}
	return out
}
