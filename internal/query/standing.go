package query

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// AnswerFormat is the version of the shape of every JSON answer.
const AnswerFormat = 1

// ShownID is how many random characters an abbreviated id has at least: more
// than the few that are unique, so that the columns stay as the store grows.
const ShownID = 6

// A Standing is how far a record may be relied on, in every JSON answer.
type Standing struct {
	State records.State `json:"state"`
	Class records.Class `json:"class"`
	Why   records.Why   `json:"why,omitempty"`
	// Causes are why a record is in doubt.
	Causes []Cause `json:"causes,omitempty"`
	// Marks are what to know of a record beside its class.
	Marks []Mark `json:"marks,omitempty"`
}

// A Cause is one reason why a record is in doubt: the audit rule that reports it, the
// other records, the commit that brought it, and the records at which it begins.
type Cause struct {
	Rule    string       `json:"rule"`
	Records []records.ID `json:"records,omitempty"`
	Commit  string       `json:"commit,omitempty"`
	Root    []records.ID `json:"root,omitempty"`
}

// A Mark is something to know of a record that does not take it down.
type Mark struct {
	Mark    records.MarkName `json:"mark"`
	Records []records.ID     `json:"records,omitempty"`
	Commit  string           `json:"commit,omitempty"`
	More    int              `json:"more,omitempty"`
}

// A Contradiction names the records that cannot hold together, and by which rule.
type Contradiction struct {
	Rule string       `json:"rule"`
	IDs  []records.ID `json:"ids"`
}

// StandingOf is a standing as answers show it.
func StandingOf(st records.Standing) Standing {
	out := Standing{State: st.State, Class: st.Class, Why: st.Why}
	for _, c := range st.Causes {
		out.Causes = append(out.Causes, Cause(c))
	}
	for _, m := range st.Marks {
		out.Marks = append(out.Marks, Mark{m.Name, m.Records, m.Commit, m.Count})
	}
	return out
}

// ClassWord is a class as a person reads it.
func ClassWord(c records.Class) string {
	switch c {
	case records.AwaitingReview:
		return "awaiting review"
	case records.RuledOut:
		return "ruled out"
	case records.OpenQuestion:
		return "open question"
	}
	return string(c)
}

// StateWord is the state to show for a record; one in conflict has none.
func StateWord(s records.State) string {
	if s == "" {
		return "disputed"
	}
	return string(s)
}

// TitleOf is a record's title for a line of text.
func TitleOf(r *records.Record) string {
	if r.Forgotten() {
		return forgottenTitle
	}
	return r.Heading()
}

const forgottenTitle = "(forgotten)"

// TitleIn is the title of a record of that standing: this branch may still hold
// the text of one that the default branch has forgotten.
func TitleIn(r *records.Record, st records.Standing) string {
	if st.Why == records.WhyForgotten {
		return forgottenTitle
	}
	return TitleOf(r)
}

// ConflictFields are a record's fields in conflict, in the order in which they
// are to be settled: the verdict last, as it judges the rest.
func ConflictFields(r *records.Record) []string {
	var fields []string
	for _, c := range r.Conflicts {
		fields = append(fields, c.Field)
	}
	slices.SortStableFunc(fields, func(a, b string) int {
		switch {
		case a != "verdict" && b == "verdict":
			return -1
		case a == "verdict" && b != "verdict":
			return 1
		}
		return 0
	})
	return fields
}

// Remarks lists in a word or two each what a reader must know about a record
// beside its state.
func (rd *Reading) Remarks(r *records.Record, st records.Standing) []string {
	var out []string
	if r.Verdict != nil && r.Verdict.Asks != "" && st.Class == records.AwaitingReview {
		out = append(out, "asks to be "+string(r.Verdict.Asks))
	}
	switch st.Why {
	case records.WhyConflict:
		var fields []string
		for _, c := range r.Conflicts {
			fields = append(fields, c.Field)
		}
		out = append(out, strings.TrimSpace("merge conflict in "+strings.Join(fields, ", ")))
	case records.WhyDoubt:
		for _, c := range st.Causes {
			out = append(out, c.Phrase(rd.shortNames))
		}
	case records.WhyChanged:
		out = append(out, "changed since review")
	case records.WhyVetoed:
		out = append(out, fmt.Sprintf("%s on %s", st.State, rd.Default))
	case records.WhyNotYet:
		out = append(out, "not valid before "+records.FormatInstant(r.Valid.From))
	case records.WhyExpired:
		out = append(out, "expired "+records.FormatInstant(r.Valid.Until))
	case records.WhyUnreviewed:
		out = append(out, "not reviewed")
	case records.WhyUnsourced:
		out = append(out, "no checkable evidence")
	case records.WhyForgotten: // the state says it
	}
	for _, m := range st.Marks {
		out = append(out, m.Phrase(rd.shortNames))
	}
	switch next := r.Successors(); {
	case !st.Class.Historical() || st.Why != "":
	case st.State == records.Superseded && len(next) > 0:
		ids := make([]string, len(next))
		for i, id := range next {
			ids[i] = rd.Abbreviate(id, ShownID)
		}
		out = append(out, "superseded by "+strings.Join(ids, ", "))
	default:
		out = append(out, ClassWord(st.Class))
	}
	return out
}

// Warnings says what keeps a record from being relied on, and the way out.
func (rd *Reading) Warnings(r *records.Record, st records.Standing) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	again := "reopen"
	if r.Verdict != nil {
		if v := records.VerbFor(r.Kind, r.State()); v != "" {
			again = string(v)
		}
	}
	switch st.Why {
	case records.WhyConflict:
		say("it is disputed on %s and not asserted: git ctx conflicts %s shows the sides, and how to settle it",
			strings.Join(ConflictFields(r), ", "), r.ID)
	case records.WhyDoubt:
		for _, c := range st.Causes {
			say("in doubt (%s): %s", c.Rule, c.Phrase(idList))
		}
		say("it is not asserted until that is settled; git ctx audit --explain %s names the ways", st.Causes[0].Rule)
	case records.WhyChanged:
		say("its content is not what was judged: git ctx %s %s re-affirms it", again, r.ID)
	case records.WhyVetoed:
		say("it is %s on %s, and so not asserted here", st.State, rd.Default)
	case records.WhyNotYet, records.WhyExpired:
		say("it does not hold at %s: %s", records.FormatInstant(rd.Eval.ValidAt), strings.Join(rd.Remarks(r, st), ", "))
	case records.WhyUnreviewed:
		if r.Verdict.Actor == records.Human && rd.Eval.Review == records.ReviewHuman {
			say("no commit of a person's verb gave this verdict, whatever it says: git ctx log %s; git ctx %s %s by a person gives it", r.ID, again, r.ID)
			break
		}
		say("policy '%s' does not take this verdict for reviewed: git ctx %s %s by a person does", rd.Eval.Review, again, r.ID)
	case records.WhyUnsourced:
		say("policy '%s' asks an agent's support to cite evidence with a source or an anchor", rd.Eval.Review)
	}
	if r.Verdict != nil && r.Verdict.Asks != "" {
		say("it awaits review: git ctx %s %s", records.VerbFor(r.Kind, r.Verdict.Asks), r.ID)
	}
	if st.Why == records.WhyWithdrawn {
		say("its maker has withdrawn it: it says nothing any more")
	} else if st.Class == records.RuledOut || st.Class == records.Gone {
		say("it is %s: nothing may rest on it", StateWord(st.State))
	}
	return out
}

func (rd *Reading) shortNames(ids []records.ID) string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = rd.Abbreviate(id, ShownID)
	}
	return strings.Join(out, ", ")
}

func idList(ids []records.ID) string {
	ss := make([]string, len(ids))
	for i, id := range ids {
		ss[i] = string(id)
	}
	return strings.Join(ss, ", ")
}
