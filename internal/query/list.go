package query

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/records"
)

// ListOptions select records. The zero value lists all that stand or are open.
type ListOptions struct {
	Kind   records.Kind // "" is all
	States []string     // states, or classes of standing
	Tags   []string     // all of them
	Path   string       // from the worktree's top: only what concerns that file or folder
	All    bool         // dead ones too
	Limit  int          // 0 is no bound
	After  records.ID   // skips the records up to and including this one
}

// A Listed is one record of a list.
type Listed struct {
	Record   *records.Record
	Standing records.Standing
}

// List reads the records to list, kind by kind and most urgent first, and tells
// whether the limit left some out.
func List(rd *Reading, o ListOptions) (ls []Listed, more bool, err error) {
	after := o.After
	for _, s := range records.Schemas() {
		if o.Kind != "" && s.Kind != o.Kind {
			continue
		}
		q := o.rows()
		q.Kinds, q.Order = []records.Kind{s.Kind}, index.ByPriority
		switch {
		case after == "":
		case after.Kind() == s.Kind:
			q.After, after = after, ""
		default:
			continue
		}
		for row, err := range rd.Rows(rd.Eval, q) {
			if err != nil {
				return nil, false, err
			}
			l, ok := o.line(rd, row)
			if !ok {
				continue
			}
			if o.Limit > 0 && len(ls) == o.Limit {
				return ls, true, nil
			}
			ls = append(ls, l)
		}
	}
	return ls, false, nil
}

// rows asks an index for the records that the options may select.
func (o *ListOptions) rows() index.Query {
	var q index.Query
	if o.Kind != "" {
		q.Kinds = []records.Kind{o.Kind}
	}
	if !o.All && len(o.States) == 0 {
		q.Classes = []records.Class{records.Asserted, records.OpenQuestion, records.AwaitingReview, records.InDoubt}
	}
	if len(o.Tags) > 0 {
		q.Tag = o.Tags[0]
	}
	return q
}

// line makes a line of a row, unless the options leave it out.
func (o *ListOptions) line(rd *Reading, row index.Row) (Listed, bool) {
	if len(o.States) > 0 && !slices.Contains(o.States, StateWord(row.State)) && !slices.Contains(o.States, string(row.Class)) {
		return Listed{}, false
	}
	r, ok := rd.Record(row.ID)
	if !ok || o.Path != "" && !Concerns(r, o.Path) {
		return Listed{}, false
	}
	for _, t := range o.Tags {
		if !slices.Contains(r.Tags, t) {
			return Listed{}, false
		}
	}
	st := records.Standing{Class: row.Class, State: row.State, Why: row.Why}
	if st.Why == records.WhyDoubt {
		st = rd.Standing(row.ID) // the row does not name by what
	}
	return Listed{r, st}, true
}

// StateError refuses a word that is neither a state nor a class of standing.
type StateError struct {
	State string
	Kind  records.Kind // "" is any
	Legal []string     // states; the classes are [ClassNames]
}

func (e *StateError) Error() string {
	of := ""
	if e.Kind != "" {
		of = fmt.Sprintf(" of kind %s", e.Kind)
	}
	return fmt.Sprintf("'%s'%s: it is one of %s; or a standing: %s", e.State, of, strings.Join(e.Legal, ", "), strings.Join(ClassNames(), ", "))
}

// CheckState refuses a word that is neither a state of the kind nor a standing,
// with a *[StateError].
func CheckState(kind records.Kind, s string) error {
	if slices.Contains(ClassNames(), s) {
		return nil
	}
	var legal []string
	for _, sch := range records.Schemas() {
		if kind != "" && sch.Kind != kind {
			continue
		}
		for _, st := range sch.States {
			if string(st) == s {
				return nil
			}
			if !slices.Contains(legal, string(st)) {
				legal = append(legal, string(st))
			}
		}
	}
	return &StateError{State: s, Kind: kind, Legal: legal}
}

// ClassNames are the classes of standing that lists can be narrowed to.
func ClassNames() []string {
	return []string{string(records.Asserted), string(records.OpenQuestion), string(records.AwaitingReview), string(records.InDoubt),
		string(records.RuledOut), string(records.Closed), string(records.Gone)}
}

// ListAnswer is the JSON answer of list.
type ListAnswer struct {
	Format  int          `json:"format"`
	Commit  gitstore.OID `json:"commit"`
	Branch  string       `json:"branch,omitempty"`
	Records []Line       `json:"records"`
}

// A Line is a record as lists show it: state and standing are what a
// reader may go by, the verdict's own state is in show.
type Line struct {
	ID   records.ID   `json:"id"`
	Kind records.Kind `json:"kind"`
	Standing
	Asks      records.State                     `json:"asks,omitempty"`
	Title     string                            `json:"title"`
	Priority  *int                              `json:"priority,omitempty"`
	Tags      []string                          `json:"tags,omitempty"`
	Paths     []string                          `json:"paths,omitempty"`
	Links     map[records.Relation][]records.ID `json:"links,omitempty"`
	Conflicts []string                          `json:"conflicts,omitempty"`
	CreatedAt string                            `json:"created_at,omitempty"`
}

// ListAnswerOf is a list as a JSON answer.
func ListAnswerOf(rd *Reading, ls []Listed) ListAnswer {
	out := ListAnswer{Format: AnswerFormat, Commit: rd.Commit, Branch: rd.Branch, Records: []Line{}}
	for _, l := range ls {
		out.Records = append(out.Records, LineOf(l.Record, l.Standing))
	}
	return out
}

// LineOf is a record of that standing as lists show it.
func LineOf(r *records.Record, st records.Standing) Line {
	line := Line{ID: r.ID, Kind: r.Kind, Standing: StandingOf(st), Priority: r.Priority, Links: r.Links}
	if st.Why != records.WhyForgotten {
		line.Title, line.Tags, line.Paths = r.Title, r.Tags, r.Paths
	}
	if r.Verdict != nil {
		line.Asks = r.Verdict.Asks
	}
	for _, c := range r.Conflicts {
		line.Conflicts = append(line.Conflicts, c.Field)
	}
	if !r.Created.At.IsZero() {
		line.CreatedAt = records.FormatInstant(r.Created.At)
	}
	return line
}
