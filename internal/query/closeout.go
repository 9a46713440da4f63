package query

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// CloseoutOptions say whose changes are summed up. The zero value asks for this
// session's since the last checkpoint.
type CloseoutOptions struct {
	All bool // everyone's
	// Since names a store commit, as [ledger.Ledger.Resolve] takes it: what the
	// branch has beyond it is summed up, instead of beyond the last checkpoint.
	Since string
}

// A Closeout is the JSON answer of closeout: what changed, by kind, and a message
// for it.
type Closeout struct {
	Format int          `json:"format"`
	Commit gitstore.OID `json:"commit"`
	Branch string       `json:"branch"`
	// Session is whose changes these are, hashed as in trailers; "" for everyone's.
	Session string        `json:"session,omitempty"`
	Since   []SinceAnswer `json:"since"`
	// Changed is how many records that is, and Others how many more somebody else changed.
	Changed int             `json:"changed"`
	Others  int             `json:"others"`
	Kinds   []CloseoutKind  `json:"kinds"`
	Message CloseoutMessage `json:"message"`
}

// CloseoutKind is what changed of one kind of record; "" is for what is not a record.
type CloseoutKind struct {
	Kind    records.Kind     `json:"kind"`
	Changes []CloseoutChange `json:"changes"`
}

// CloseoutChange is one changed record.
type CloseoutChange struct {
	Changed
	// Reason is the verdict's, where the state changed.
	Reason string        `json:"reason,omitempty"`
	Class  records.Class `json:"class,omitempty"`
}

// CloseoutMessage is a proposal for the message of a checkpoint.
type CloseoutMessage struct {
	Subject string `json:"subject"`
	Body    string `json:"body"`
}

// CloseoutOf sums up what changed.
func CloseoutOf(ctx context.Context, rd *Reading, o CloseoutOptions) (*Closeout, error) {
	since, ds, err := closeoutChanges(ctx, rd, o.Since)
	if err != nil {
		return nil, err
	}
	c := &Closeout{Format: AnswerFormat, Commit: rd.Commit, Branch: rd.Branch, Since: []SinceAnswer{}, Kinds: []CloseoutKind{}}
	for _, oid := range since {
		e, err := rd.Ledger.Entry(ctx, oid)
		if err != nil {
			return nil, err
		}
		c.Since = append(c.Since, SinceAnswer{oid, e.Message.Subject})
	}
	if !o.All {
		c.Session = rd.Ledger.SessionKey()
		mine, err := rd.Ledger.TouchedBy(ctx, since, rd.Commit, func(e *commitmsg.LogEntry) bool { return e.Message.Session == c.Session })
		if err != nil {
			return nil, err
		}
		all := len(ds)
		ds = slices.DeleteFunc(ds, func(d ledger.Difference) bool { return !mine[d.ID] })
		c.Others = all - len(ds)
	}
	c.Changed = len(ds)
	c.sort(rd, ds)
	c.Message = messageOf(c.Kinds)
	return c, nil
}

// closeoutChanges compares the branch with the last checkpoints, or with where
// it left the revision.
func closeoutChanges(ctx context.Context, rd *Reading, rev string) (since []gitstore.OID, ds []ledger.Difference, err error) {
	if rev == "" {
		w, err := rd.Ledger.Working(ctx, -1)
		if err != nil {
			return nil, nil, err
		}
		return w.Since, w.Changes, nil
	}
	oid, err := rd.Ledger.Resolve(ctx, rev)
	if err != nil {
		return nil, nil, &OptionError{Option: "since", Err: err}
	}
	bases, err := rd.Ledger.Repo().MergeBases(ctx, oid, rd.Commit)
	if err != nil {
		return nil, nil, err
	}
	var base gitstore.OID
	if len(bases) > 0 {
		base = bases[0]
	}
	ds, err = rd.Ledger.Diff(ctx, base, rd.Commit)
	return []gitstore.OID{oid}, ds, err
}

// sort puts the changes together by kind, those first that a reviewer reads first.
func (c *Closeout) sort(rd *Reading, ds []ledger.Difference) {
	changed := ChangedOf(ds)
	for _, k := range []records.Kind{records.Decision, records.Conclusion, records.Hypothesis, records.Evidence, records.Task, records.Goal, records.Runbook, records.Trigger, ""} {
		kind := CloseoutKind{Kind: k}
		for i, d := range ds {
			if d.ID.Kind() != k {
				continue
			}
			change := CloseoutChange{Changed: changed[i]}
			if d.ID != "" {
				change.Class = rd.Standing(d.ID).Class
			}
			if d.New != nil && d.New.Verdict != nil && change.OldState != change.NewState {
				change.Reason = d.New.Verdict.Reason
			}
			kind.Changes = append(kind.Changes, change)
		}
		if len(kind.Changes) > 0 {
			c.Kinds = append(c.Kinds, kind)
		}
	}
}

// The length of a proposed subject, and how many reasons its body repeats: the
// checkpoint itself lists what changed.
const (
	subjectRunes = 72
	bodyReasons  = 12
	reasonRunes  = 200
)

// messageOf proposes a message: what the work was, what came of it, and why.
func messageOf(kinds []CloseoutKind) CloseoutMessage {
	var m CloseoutMessage
	best := 0
	var counts, reasons []string
	for _, k := range kinds {
		counts = append(counts, tally(k)...)
		for i := range k.Changes {
			ch := &k.Changes[i]
			if w := weight(k.Kind, ch); w > best {
				best, m.Subject = w, cut(ch.Title, subjectRunes)
			}
			if ch.Reason != "" && len(reasons) < bodyReasons {
				reasons = append(reasons, fmt.Sprintf("- %s %s: %s (%s)", k.Kind, ch.NewState, cut(ch.Title, subjectRunes), cut(ch.Reason, reasonRunes)))
			}
		}
	}
	m.Body = strings.Join(append([]string{strings.Join(counts, ", ")}, reasons...), "\n")
	return m
}

// weight says how much a change tells of what the work was: finished work before
// a choice, that before what was found, and all before the rest.
func weight(k records.Kind, c *CloseoutChange) int {
	moved := c.OldState != c.NewState && c.OldState != ""
	switch {
	case c.Title == "":
		return 0
	case k == records.Task && c.NewState == records.Done || k == records.Goal && c.NewState == records.Achieved:
		return 6
	case k == records.Conclusion:
		return 5
	case k == records.Decision:
		return 4
	case k == records.Hypothesis && moved:
		return 3
	case k == records.Task || k == records.Hypothesis:
		return 2
	}
	return 1
}

// tally counts the changes of a kind by what became of the records.
func tally(k CloseoutKind) []string {
	count := make(map[string]int)
	for _, c := range k.Changes {
		count[cmp.Or(c.Problem, string(c.NewState))]++
	}
	name := cmp.Or(string(k.Kind), "file")
	var out []string
	for _, s := range slices.Sorted(maps.Keys(count)) {
		out = append(out, fmt.Sprintf("%d %s %s", count[s], ofKind(name, count[s]), s))
	}
	return out
}

// ofKind is the name of a kind for n records.
func ofKind(name string, n int) string {
	switch {
	case n == 1 || name == string(records.Evidence):
		return name
	case name == string(records.Hypothesis):
		return "hypotheses"
	}
	return name + "s"
}

// cut folds text to one line of at most n characters.
func cut(s string, n int) string {
	rs := []rune(strings.Join(strings.Fields(s), " "))
	if len(rs) > n {
		rs = append(rs[:n-3], []rune("...")...)
	}
	return string(rs)
}
