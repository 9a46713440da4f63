package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/planning"
)

// What a check can find missing.
const (
	CheckUnreadable = "unreadable"
	CheckDisputed   = "disputed"
	CheckAudit      = "audit"
	CheckEvidence   = "evidence"
	CheckVerdict    = "verdict"
	CheckConclusion = "conclusion"
	CheckDraft      = "draft"
	CheckCheckpoint = "checkpoint"
	CheckReview     = "review"
)

// A CheckAnswer says whether the context is ready for a commit of the code: the
// JSON answer of check.
type CheckAnswer struct {
	Format int          `json:"format"`
	Commit gitstore.OID `json:"commit"`
	Branch string       `json:"branch,omitempty"`
	// Task is whose work was checked; "" where it was what changed since the last
	// checkpoint.
	Task records.ID `json:"task,omitempty"`
	// Records is how many records were looked at, and Cut tells that there are more.
	Records int  `json:"records"`
	Cut     bool `json:"cut,omitempty"`
	// Ready is whether nothing is missing.
	Ready   bool        `json:"ready"`
	Missing []CheckItem `json:"missing"`
	// Notes are what somebody else has to do.
	Notes []CheckItem `json:"notes"`
}

// A CheckItem is one thing that is missing, and the command that supplies it.
type CheckItem struct {
	Check   string       `json:"check"`
	Message string       `json:"message"`
	Records []records.ID `json:"records,omitempty"`
	Command string       `json:"command,omitempty"`
}

// Check looks whether the work of a task is ready to be committed. Without a
// name it is @task, and where that stands for nothing, what changed since the
// last checkpoint. The error for a name is as of [ledger.Ledger.Find], or a
// *[NotWorkError].
func Check(ctx context.Context, rd *Reading, task string) (*CheckAnswer, error) {
	a := &CheckAnswer{Format: AnswerFormat, Commit: rd.Commit, Branch: rd.Branch, Missing: []CheckItem{}, Notes: []CheckItem{}}
	working, err := rd.Ledger.Working(ctx, workLimit)
	if err != nil {
		return nil, err
	}
	rs, gaps, err := a.scope(rd, task, working)
	if err != nil {
		return nil, err
	}
	a.Records = len(rs)
	a.store(rd)
	a.judged(rd, rs)
	for _, f := range findingsAbout(rd, rs) {
		if f.Severity == records.Error && f.Rule != "disputed-record" {
			first, _, _ := strings.Cut(f.Hint, "\n")
			a.miss(CheckItem{CheckAudit, f.Rule + ": " + f.Message, append([]records.ID{f.Record}, f.Related...), first})
		}
	}
	for _, g := range gaps {
		if check := presses(g); check != "" {
			a.miss(CheckItem{check, fmt.Sprintf("%s: %s", g.Record.ID, g.Message), append([]records.ID{g.Record.ID}, g.Related...), g.Command})
		}
	}
	a.drafts(rd, rs)
	if n := working.Changed; len(working.Entries) > 0 && n > 0 {
		a.miss(CheckItem{Check: CheckCheckpoint, Message: fmt.Sprintf("%s changed since the last checkpoint", counted(n, "record")), Command: "git ctx commit -m 'MESSAGE'"})
	}
	a.Ready = len(a.Missing) == 0
	return a, nil
}

func (a *CheckAnswer) miss(i CheckItem) { a.Missing = append(a.Missing, i) }

// scope finds the records to look at, and their gaps.
func (a *CheckAnswer) scope(rd *Reading, task string, w *ledger.Working) ([]*records.Record, []planning.Gap, error) {
	name := task
	if name == "" {
		name = "@task"
	}
	of, err := work(rd, name, workLimit)
	var ambiguous *ledger.AmbiguousError
	var none *ledger.NotFoundError
	switch {
	case err == nil:
		a.Task, a.Cut = of.Root.ID, of.Cut
		return of.All(), of.Gaps(), nil
	case task != "" || !errors.As(err, &ambiguous) && !errors.As(err, &none):
		return nil, nil, err
	}
	a.Cut = w.Changed > len(w.Changes)
	var rs []*records.Record
	for _, d := range w.Changes {
		if r, ok := rd.Record(d.ID); ok {
			rs = append(rs, r)
		}
	}
	return rs, planning.GapsOf(rd.View, rs), nil
}

// store looks at what nobody can read.
func (a *CheckAnswer) store(rd *Reading) {
	if n := len(unreadable(rd.View)); n > 0 {
		a.miss(CheckItem{Check: CheckUnreadable, Message: counted(n, "file") + " of the store cannot be read", Command: "git ctx audit"})
	}
}

// judged looks at what is in dispute, and tells what waits for a reviewer.
func (a *CheckAnswer) judged(rd *Reading, rs []*records.Record) {
	var waiting []records.ID
	for _, r := range rs {
		switch st := rd.Standing(r.ID); {
		case st.Why == records.WhyConflict:
			a.miss(CheckItem{CheckDisputed, fmt.Sprintf("%s has a merge conflict in %s", r.ID, strings.Join(ConflictFields(r), ", ")),
				[]records.ID{r.ID}, fmt.Sprintf("git ctx conflicts %s", r.ID)})
		case st.Class == records.AwaitingReview:
			waiting = append(waiting, r.ID)
		}
	}
	if n := len(waiting); n > 0 {
		await := " of it await"
		if n == 1 {
			await += "s"
		}
		a.Notes = append(a.Notes, CheckItem{CheckReview, counted(n, "record") + await + " review by a person", waiting, "git ctx review"})
	}
}

// presses is what a gap is to a check, "" when it can wait: a task that nobody
// began lacks nothing yet, and one that is open no conclusion.
func presses(g planning.Gap) string {
	s := g.Record.State()
	switch g.Lacks {
	case planning.LacksVerdict:
		return CheckVerdict
	case planning.LacksEvidence:
		if s != records.Todo {
			return CheckEvidence
		}
	case planning.LacksConclusion:
		if s == records.Done || s == records.Achieved {
			return CheckConclusion
		}
	}
	return ""
}

// drafts looks at decisions and conclusions that nobody was asked to accept.
func (a *CheckAnswer) drafts(rd *Reading, rs []*records.Record) {
	for _, r := range rs {
		birth := r.Kind.Schema().Birth()
		if slices.Contains([]records.Kind{records.Decision, records.Conclusion}, r.Kind) && r.State() == birth &&
			rd.Standing(r.ID).Class == records.OpenQuestion {
			a.miss(CheckItem{CheckDraft, fmt.Sprintf("%s is still %s", r.ID, birth), []records.ID{r.ID}, fmt.Sprintf("git ctx accept %s", r.ID)})
		}
	}
}

// counted is "1 record", "2 records".
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
