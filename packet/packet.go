package packet

import (
	"fmt"
	"time"

	"github.com/git-ctx/git-ctx/records"
)

// FormatVersion is the version of the packet's JSON and YAML form.
const FormatVersion = 1

// The limits used where a request names none.
const (
	DefaultBudget   = 2000
	DefaultMaxChars = 9000
)

// A Focus is what the reader is working on. Empty fields are unknown.
type Focus struct {
	Goal, Task, Trigger records.ID
	// Paths are the files in play, relative to the repository's top; a directory stands for what is below it.
	Paths []string
	// Branch is the code branch. It is printed and does not rank.
	Branch string
	// Notes say what the caller inferred or widened; they are printed.
	Notes []string
}

// A Request is everything beside the records that determines a packet.
type Request struct {
	Purpose string
	Focus   Focus
	// Budget is the limit in tokens, MaxChars in UTF-16 code units; 0 is the default.
	Budget, MaxChars int
	// Kinds restricts the packet to these kinds of record; nil is all.
	Kinds []records.Kind
	Eval  records.EvalContext

	// Candidates, where not nil, are the records to choose from, in any order;
	// those that they and the focus rest on are added. Of all others the view is
	// asked by id and link alone. The digest does not cover them: they must
	// follow from the rest of the request and the store commit.
	Candidates []records.ID
	// Totals are, where Candidates leave records out, how many records of the
	// kinds asked for the view has by [SectionName]; Omitted is counted from them.
	Totals map[string]int
	// Suppressed are then the counts of [Packet.Suppressed] for the whole view.
	Suppressed map[string]int
	// Elsewhere are records that other context branches rule out, each once.
	Elsewhere []Elsewhere
	// Since, where not nil, asks only for what changed; Candidates and Totals are not read then.
	Since *Delta

	// Commit is the object ID of the store commit, Context the context branch
	// it is on, Default the default branch and Behind how many of its commits
	// the context branch lacks.
	Commit, Context, Default string
	Behind                   int
	// Tips name other facts the view was made from, such as the tip of the
	// default branch that vetoes. They enter the digest only.
	Tips []string
	// StoreTime is the time of the store commit, from which recency counts.
	StoreTime time.Time
	// Unreadable is how many records of the store are quarantined.
	Unreadable int
	// Version is the program's version. It enters the digest only.
	Version string

	explain bool // keep what stands nowhere
}

// An Elsewhere is a record as it stands, refuted or rejected, on another context branch.
type Elsewhere struct {
	Record *records.Record
	Branch string
}

// A Delta says what changed since an earlier store commit.
type Delta struct {
	// Commit is the object ID of the earlier store commit.
	Commit string
	// Was holds the earlier standing of every record of the view whose content
	// or standing is another now; the zero standing is that of a new record.
	Was map[records.ID]records.Standing
	// Forgotten are those that the default branch forgot: nothing of them is shown but the id.
	Forgotten map[records.ID]bool
	// Tips name other facts that Was was made from. They enter the digest only.
	Tips []string
}

// A Packet is the selection made for a request. Its fields marshal to the
// documented JSON and YAML form; [Packet.Markdown] is the same selection as text.
type Packet struct {
	Format int    `json:"format" yaml:"format"`
	Commit string `json:"commit" yaml:"commit"`
	// Since is the store commit that the packet tells the changes from, "" in a whole packet.
	Since     string    `json:"since,omitempty" yaml:"since,omitempty"`
	Focus     UsedFocus `json:"focus" yaml:"focus"`
	Tokenizer string    `json:"tokenizer" yaml:"tokenizer"`
	// Tokens and Chars measure the Markdown text, whatever the output format.
	Tokens int `json:"tokens" yaml:"tokens"`
	Chars  int `json:"chars" yaml:"chars"`
	// Digest identifies the request: equal digests mean equal bytes.
	Digest   string    `json:"digest" yaml:"digest"`
	Sections []Section `json:"sections" yaml:"sections"`
	// Omitted counts, by section, the records that could stand there but did
	// not fit or do not bear on the focus.
	Omitted map[string]int `json:"omitted" yaml:"omitted"`
	// Suppressed counts, by rule, the records that are not asserted although
	// their state alone would assert them.
	Suppressed map[string]int `json:"suppressed" yaml:"suppressed"`

	markdown string
}

// UsedFocus is the focus as the packet used it, inferred parts included.
type UsedFocus struct {
	Purpose string     `json:"purpose" yaml:"purpose"`
	Goal    records.ID `json:"goal" yaml:"goal"`
	Task    records.ID `json:"task" yaml:"task"`
	Trigger records.ID `json:"trigger" yaml:"trigger"`
	Branch  string     `json:"branch" yaml:"branch"`
	Paths   []string   `json:"paths" yaml:"paths"`
	Notes   []string   `json:"notes" yaml:"notes"`
}

// A Section is a named list of records. Empty sections are left out, but for
// focus, which comes first.
type Section struct {
	Name  string `json:"name" yaml:"name"`
	Items []Item `json:"items" yaml:"items"`
}

// An Item is one record of a section. Its texts have control and invisible
// characters escaped and are cut to the length the Markdown text shows.
type Item struct {
	ID    records.ID    `json:"id" yaml:"id"`
	Kind  records.Kind  `json:"kind" yaml:"kind"`
	State records.State `json:"state" yaml:"state"`
	Title string        `json:"title" yaml:"title"`
	// Text is empty where the budget left room for the title only.
	Text string `json:"text,omitempty" yaml:"text,omitempty"`
	// Reason is the verdict's, or the rule that keeps the record from being asserted.
	Reason string `json:"reason,omitempty" yaml:"reason,omitempty"`
	// Cites are the records it rests on, of those that still hold or are open.
	Cites []records.ID `json:"cites,omitempty" yaml:"cites,omitempty"`
	// Branch is the context branch that rules the record out, where this one has no such record.
	Branch string `json:"branch,omitempty" yaml:"branch,omitempty"`
	// Warning says that another context branch ruled the record out.
	Warning string `json:"warning,omitempty" yaml:"warning,omitempty"`
	// Was is, in a packet of changes, the state before; "" for a new record.
	Was records.State `json:"was,omitempty" yaml:"was,omitempty"`
	// More is set where the record says more than its title, text and reason here.
	More bool `json:"more,omitempty" yaml:"more,omitempty"`
}

// Markdown returns the packet as Markdown text: "" for a packet of changes where nothing changed.
func (p *Packet) Markdown() string { return p.markdown }

// A BudgetError says that not even the focus and the footer fit the limits.
type BudgetError struct {
	Tokens, Chars         int // the limits asked for
	NeedTokens, NeedChars int // the least that work
}

func (e *BudgetError) Error() string {
	if e.NeedTokens > e.Tokens {
		return fmt.Sprintf("budget '%d' is too small: this focus needs at least %d tokens", e.Tokens, e.NeedTokens)
	}
	return fmt.Sprintf("max-chars '%d' is too small: this focus needs at least %d characters", e.Chars, e.NeedChars)
}

// A FocusError says that a record named as focus cannot be one.
type FocusError struct {
	ID   records.ID
	Want records.Kind
	Why  string
}

func (e *FocusError) Error() string {
	return fmt.Sprintf("focus on %s '%s': %s", e.Want, e.ID, e.Why)
}

// Build makes the packet that the request asks of the view. The error is a
// *[FocusError] or a *[BudgetError].
func Build(v records.View, req Request) (*Packet, error) {
	b, err := newBuilder(v, req)
	if err != nil {
		return nil, err
	}
	return b.build()
}
