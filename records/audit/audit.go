package audit

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/records"
)

// A Rule is one thing the audit looks for. Rules are fixed values; callers must
// not change them.
type Rule struct {
	// ID is the stable name by which policies, suppressions and reports know the rule.
	ID string
	// Severity is that of a finding when the policy does not set another.
	Severity records.Severity
	// Mild is the lower severity of findings that do not press, such as gaps in
	// work that is still open; "" when all are of Severity.
	Mild records.Severity
	// Summary says in one line what the rule reports.
	Summary string
	// Explanation says what is wrong, why it matters and how to mend it, in
	// paragraphs; lines indented by four spaces are commands.
	Explanation string

	// firm tells that the policy does not lower the severity where people review:
	// whoever forges a review could as well silence the rule.
	firm bool
	// check reports the rule's findings whose Record is the given one, and no
	// others. Nil for rules about the store.
	check func(*pass, *records.Record)
	// far tells that what check finds depends on records that no link, citation,
	// question or title of the record leads to.
	far bool
	// store reports findings about no record of the view. Nil for most rules.
	store func(*pass)
}

// Grave reports whether the rule's findings are errors under the policy, or tell
// whether reviews can be believed: to suppress one takes a reviewer.
func (r *Rule) Grave(p *records.Policy) bool {
	level := r.Severity
	if set, ok := p.Audit[r.ID]; ok {
		level = set
	}
	return r.firm || level == records.Error
}

// A Finding is one thing a rule found. Its JSON form is stable.
type Finding struct {
	Rule     string           `json:"rule"`
	Severity records.Severity `json:"severity"`
	// Record is the record to mend; "" when the finding is about none.
	Record records.ID `json:"record,omitempty"`
	// Related are the other records concerned, sorted.
	Related []records.ID `json:"related,omitempty"`
	// Path is the file in the store's tree that the finding is about.
	Path    string `json:"path,omitempty"`
	Message string `json:"message"`
	// Hint is a command that shows or mends the matter and destroys nothing.
	Hint string `json:"hint,omitempty"`
	// Fingerprint tells the finding from all others. It depends on the rule and on
	// what the finding is about, not on titles, wording or severity.
	Fingerprint string `json:"fingerprint"`
	// Suppressed says why the finding does not count, by the policy; nil when it does.
	Suppressed *records.Suppression `json:"suppressed,omitempty"`

	// key tells findings of one rule apart that are about the same records.
	key string
}

// Fingerprinted is a finding of a rule that another package keeps, with its fingerprint.
func Fingerprinted(f Finding) Finding {
	f.Fingerprint = f.fingerprint()
	return f
}

func (f *Finding) fingerprint() string {
	parts := []string{f.Rule, string(f.Record), f.Path, f.key}
	for _, id := range f.Related {
		parts = append(parts, string(id))
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:10])
}

// subject is the record that a suppression of the finding names, "" when none can.
func (f *Finding) subject() records.ID {
	if f.Record == "" && len(f.Related) == 1 {
		return f.Related[0]
	}
	return f.Record
}

// An Unreadable is a file of the store's tree that could not be read as a record.
type Unreadable struct {
	Path string
	Err  error
}

// A LostSide is a value that a merge commit dropped, and that nothing replaced.
type LostSide struct {
	Merge  string // the commit
	Record records.ID
	Field  string // "" when the whole record is missing
	Value  string // canonical text
}

// A LeftBehind is a context branch whose code branch is done with, while the
// default context branch lacks its commits.
type LeftBehind struct {
	Branch  string
	Commits int    // that the default branch lacks
	Code    string // what became of the code branch: gone, merged, squashed
	Command string // merges it
}

// A Claim is a lease on a task.
type Claim struct {
	Task    records.ID
	Holder  string
	Expires time.Time
}

// A StaleAnchor is an anchor whose cited lines the worktree no longer has.
type StaleAnchor struct {
	Record records.ID
	Anchor records.Anchor
	Gone   bool // the whole file is not there
}

// A Loosened is a review policy that nobody who may made looser.
type Loosened struct {
	Commit       string         // made it so
	Review, Held records.Review // what the file says, and what holds
}

// An Input is what an audit looks at.
type Input struct {
	View records.View
	// Eval holds the review policy in force and the instant of the audit.
	Eval records.EvalContext
	// Only, when not empty, are the ids of the rules to run.
	Only []string
	// Policy sets severities by rule; nil sets none.
	Policy *records.Policy
	// Unreadable are the files that View had to leave out.
	Unreadable []Unreadable
	// LostSides are what merges made without git ctx lost.
	LostSides []LostSide
	// LeftBehind are context branches whose code branch is done with.
	LeftBehind []LeftBehind
	// StaleAnchors are the anchors that no longer hold in the worktree.
	StaleAnchors []StaleAnchor
	// SignatureFault says why a record's verdict is not proved by a signature,
	// nil when it is. Nil says no more than Eval does.
	SignatureFault func(*records.Record) error
	// Claims are the leases on tasks, those that ended included.
	Claims []Claim
	// Leaks are links from the project's records into the scope that is read.
	Leaks []Leak
	// Now is when the audit takes place: claims and suppressions end by it.
	Now time.Time
	// GivenIn names the commit that brought a record's verdict, "" where that is
	// not known. It may be nil.
	GivenIn func(*records.Record) string
	// Secrets finds what in a record is taken for a secret and was not let pass. It
	// may be nil.
	Secrets func(*records.Record) []Secret
	// Decided reports whether who may loosen the policy decided on a suppression in
	// it. Nil says that it does not matter.
	Decided func(records.Suppression) bool
	// Loosened is a policy that asks for less review than was decided; mostly nil.
	Loosened *Loosened
}

// Run returns the findings of all rules on all records, sorted by severity,
// worst first, then rule and record. Equal inputs give equal findings.
func Run(in Input) []Finding {
	p := newPass(in)
	for r := range in.View.All() {
		p.record(r)
	}
	return p.finish()
}

// About returns those findings of [Run] that name one of the records, as Record
// or Related, but for those of rules that look at the whole store. It costs what
// the records and their neighbours cost, however large the store.
func About(in Input, ids []records.ID) []Finding {
	p := newPass(in)
	for _, id := range reachOf(in.View, ids) {
		if r, ok := in.View.Record(id); ok {
			p.near(r)
		}
	}
	asked := make(map[records.ID]bool, len(ids))
	for _, id := range ids {
		asked[id] = true
	}
	named := func(id records.ID) bool { return asked[id] }
	return slices.DeleteFunc(p.finish(), func(f Finding) bool { return !named(f.Record) && !slices.ContainsFunc(f.Related, named) })
}

// Check returns those findings of [Run] whose Record is among ids or that are
// about no record of the view, in the same order.
func Check(in Input, ids []records.ID) []Finding {
	p := newPass(in)
	ids = slices.Clone(ids)
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if r, ok := in.View.Record(id); ok {
			p.record(r)
		}
	}
	return p.finish()
}

// Worst returns the worst severity among the findings that count, "" when there are none.
func Worst(fs []Finding) records.Severity {
	var worst records.Severity
	for _, f := range fs {
		if f.Suppressed != nil {
			continue
		}
		if worst == "" || weight(f.Severity) < weight(worst) {
			worst = f.Severity
		}
	}
	return worst
}

// weight orders severities, worst first.
func weight(s records.Severity) int {
	switch s {
	case records.Error:
		return 0
	case records.Warning:
		return 1
	case records.Info:
		return 2
	}
	return 3
}

func compareFindings(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(weight(a.Severity), weight(b.Severity)),
		cmp.Compare(a.Rule, b.Rule),
		cmp.Compare(a.Record, b.Record),
		cmp.Compare(a.Path, b.Path),
		slices.Compare(a.Related, b.Related),
		cmp.Compare(a.Message, b.Message),
	)
}
