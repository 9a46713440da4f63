package query

import (
	"cmp"
	"slices"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/records"
)

// A Proposal is a record that waits for a reviewer.
type Proposal struct {
	ID    records.ID    `json:"id"`
	Kind  records.Kind  `json:"kind"`
	Title string        `json:"title"`
	State records.State `json:"state"`
	// Asks is the state that a reviewer is to give.
	Asks records.State `json:"asks"`
	Why  records.Why   `json:"why,omitempty"` // unreviewed: it claims the state already
	// Accept and Reject are the verbs that decide.
	Accept records.Verb `json:"accept"`
	Reject records.Verb `json:"reject"`
	// Task is the task that it is about, or the goal where there is none.
	Task   records.ID    `json:"task,omitempty"`
	By     string        `json:"by,omitempty"`
	Actor  records.Actor `json:"actor"`
	At     string        `json:"at"`
	Reason string        `json:"reason,omitempty"`
	// Of is the digest of the content, to which a decision can be bound.
	Of string `json:"of"`
	// Chain are the records that are judged with it when it is accepted whole, in
	// the order in which they are; it comes last.
	Chain []ChainLink `json:"chain"`

	at time.Time
}

// A ChainLink is one verb of a chain that is accepted at once.
type ChainLink struct {
	ID    records.ID   `json:"id"`
	Verb  records.Verb `json:"verb"`
	Cites []records.ID `json:"cites,omitempty"`
}

// ReviewAnswer is the JSON answer of review.
type ReviewAnswer struct {
	Format    int          `json:"format"`
	Commit    gitstore.OID `json:"commit"`
	Branch    string       `json:"branch,omitempty"`
	Proposals []Proposal   `json:"proposals"`
	// Challenges are what actors of lower rank would have otherwise.
	Challenges []Challenge `json:"challenges"`
}

// A Challenge is what an actor of lower rank would make of a record that somebody decided on.
type Challenge struct {
	ID    records.ID    `json:"id"`
	Kind  records.Kind  `json:"kind"`
	Title string        `json:"title"`
	State records.State `json:"state"`
	// Wants is the state that it should have instead.
	Wants  records.State `json:"wants"`
	By     string        `json:"by,omitempty"`
	Actor  records.Actor `json:"actor"`
	At     string        `json:"at"`
	Reason string        `json:"reason,omitempty"`
	Cites  []records.ID  `json:"cites,omitempty"`
	// Agree and Keep are the verbs that answer it.
	Agree records.Verb `json:"agree"`
	Keep  records.Verb `json:"keep"`
}

// challenges lists the challenges that nobody answered.
func challenges(rd *Reading) ([]Challenge, error) {
	ids, err := rd.Challenged()
	out := []Challenge{}
	for _, id := range ids {
		r, ok := rd.Record(id)
		if !ok || !r.Intact() {
			continue
		}
		for _, c := range r.Challenges {
			out = append(out, Challenge{
				ID: id, Kind: r.Kind, Title: TitleOf(r), State: r.State(), Wants: c.State, By: c.By, Actor: c.Actor,
				At: records.FormatInstant(c.At), Reason: c.Reason, Cites: c.Cites,
				Agree: cmp.Or(records.VerbFor(r.Kind, c.State), records.VerbReopen), Keep: cmp.Or(records.VerbFor(r.Kind, r.State()), records.VerbReopen),
			})
		}
	}
	return out, err
}

// Inbox lists what waits for a reviewer, grouped by task: the most urgent task
// first, what belongs to none last, and within a task the oldest first.
func Inbox(rd *Reading) (*ReviewAnswer, error) {
	out := &ReviewAnswer{Format: AnswerFormat, Commit: rd.Commit, Branch: rd.Branch, Proposals: []Proposal{}}
	seen := make(map[records.ID]bool)
	// Evidence that is to be verified is evidence meanwhile, and of another class.
	for _, q := range []index.Query{
		{Classes: []records.Class{records.AwaitingReview}},
		{Kinds: []records.Kind{records.Evidence}, States: []records.State{records.Recorded}},
	} {
		for row, err := range rd.Rows(rd.Eval, q) {
			if err != nil {
				return nil, err
			}
			if seen[row.ID] || row.Asks == "" && row.Class != records.AwaitingReview {
				continue
			}
			seen[row.ID] = true
			if r, ok := rd.Record(row.ID); ok {
				if p := ProposalOf(rd, r); p != nil {
					out.Proposals = append(out.Proposals, *p)
				}
			}
		}
	}
	var err error
	if out.Challenges, err = challenges(rd); err != nil {
		return nil, err
	}
	slices.SortFunc(out.Proposals, func(a, b Proposal) int {
		return cmp.Or(rd.compareWork(a.Task, b.Task), a.at.Compare(b.at), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

// compareWork orders tasks and goals as groups of the inbox.
func (rd *Reading) compareWork(a, b records.ID) int {
	if a == b {
		return 0
	}
	x, okA := rd.Record(a)
	y, okB := rd.Record(b)
	switch {
	case !okA && !okB:
		return cmp.Compare(a, b)
	case !okA:
		return 1
	case !okB:
		return -1
	}
	return CompareUrgency(x, y)
}

// ProposalOf is a record as the inbox shows it; nil for one that waits for nobody.
func ProposalOf(rd *Reading, r *records.Record) *Proposal {
	st := rd.Standing(r.ID)
	if r.Verdict == nil || st.Class == records.InDoubt || st.Class.Historical() {
		return nil
	}
	asks := r.Verdict.Asks
	if asks == "" && st.Class == records.AwaitingReview {
		asks = r.State()
	}
	if asks == "" || r.Kind.Schema().Reviewed != asks {
		return nil
	}
	return &Proposal{
		ID: r.ID, Kind: r.Kind, Title: TitleOf(r), State: r.State(), Asks: asks, Why: st.Why,
		Accept: records.VerbFor(r.Kind, asks), Reject: turnDown(r.Kind),
		Task: rd.workOf(r), By: r.Verdict.By, Actor: r.Verdict.Actor, At: records.FormatInstant(r.Verdict.At),
		Reason: r.Verdict.Reason, Of: r.Digest(), Chain: chain(rd, r, asks), at: r.Verdict.At,
	}
}

// turnDown is the verb that decides against a proposal.
func turnDown(k records.Kind) records.Verb {
	switch k {
	case records.Goal:
		return "abandon"
	case records.Evidence:
		return "retract"
	case records.Runbook, records.Trigger:
		return "retire"
	}
	return "reject"
}

// upwards are the links that lead from a record towards the work it belongs to.
var upwards = []records.Relation{
	records.About, records.Closes, records.Serves, records.AppliesTo, records.Starts,
	records.RestsOn, records.Supports, records.Refutes, records.DerivedFrom, records.RelatesTo,
}

// workOf finds the task nearest to a record along its links, or else the goal.
func (rd *Reading) workOf(r *records.Record) records.ID {
	const mostSeen = 64 // what is further away says little about where it belongs
	goal := records.ID("")
	seen := map[records.ID]bool{r.ID: true}
	for level, next := []*records.Record{r}, []*records.Record(nil); len(level) > 0 && len(seen) < mostSeen; level, next = next, nil {
		for _, o := range level {
			for _, rel := range upwards {
				for _, id := range o.Links[rel] {
					to, ok := rd.Record(id)
					if !ok || seen[id] {
						continue
					}
					seen[id] = true
					switch {
					case to.Kind == records.Task:
						return id
					case to.Kind == records.Goal && goal == "":
						goal = id
					}
					next = append(next, to)
				}
			}
		}
	}
	return goal
}

// chain lists what is to be judged for a record to be accepted with everything
// that it rests on: hypotheses still open are supported by the evidence on
// record, what is proposed is accepted. What is settled stays as it is.
func chain(rd *Reading, r *records.Record, asks records.State) []ChainLink {
	var out []ChainLink
	seen := map[records.ID]bool{r.ID: true}
	var visit func(r *records.Record)
	visit = func(r *records.Record) {
		for _, id := range r.Links[records.RestsOn] {
			o, ok := rd.Record(id)
			if !ok || seen[id] || o.Verdict == nil {
				continue
			}
			seen[id] = true
			visit(o)
			if l := rd.link(o); l != nil {
				out = append(out, *l)
			}
		}
	}
	visit(r)
	return append(out, ChainLink{ID: r.ID, Verb: records.VerbFor(r.Kind, asks)})
}

// link is what makes a basis hold; nil when it does already, or cannot be made to.
func (rd *Reading) link(r *records.Record) *ChainLink {
	st := rd.Standing(r.ID)
	if r.Kind == records.Hypothesis {
		if st.Class != records.OpenQuestion {
			return nil
		}
		return &ChainLink{ID: r.ID, Verb: "support", Cites: rd.speaksFor(r.ID)}
	}
	if p := r.Kind.Schema().Reviewed; st.Class == records.AwaitingReview || r.Verdict.Asks != "" && r.Verdict.Asks == p {
		return &ChainLink{ID: r.ID, Verb: records.VerbFor(r.Kind, p)}
	}
	return nil
}

// speaksFor lists the evidence for a record that may be cited.
func (rd *Reading) speaksFor(id records.ID) []records.ID {
	var ids []records.ID
	for _, ev := range rd.Backlinks(id, records.Supports) {
		if r, ok := rd.Record(ev); ok && rd.Standing(ev).Class == records.Asserted && r.Kind == records.Evidence {
			ids = append(ids, ev)
		}
	}
	return ids
}

// Reasoning is what a reviewer reads beside a proposal.
type Reasoning struct {
	// RestsOn are what it rests on, directly or through others, nearest first.
	RestsOn []Ground `json:"rests_on"`
	// Rivals are the other answers to its question, and what it competes with or contradicts.
	Rivals []Ground `json:"rivals"`
	// Supersedes is what it would replace, with what differs.
	Supersedes []Replaced `json:"supersedes"`
}

// A Ground is a record in the reasoning, with the evidence on it.
type Ground struct {
	ID       records.ID    `json:"id"`
	Kind     records.Kind  `json:"kind"`
	State    records.State `json:"state"`
	Class    records.Class `json:"class"`
	Title    string        `json:"title"`
	Depth    int           `json:"depth"`
	Type     string        `json:"type,omitempty"`
	Source   string        `json:"source,omitempty"`
	Evidence []Ground      `json:"evidence,omitempty"`
	// Stance is how evidence bears on what it stands under: supports or refutes.
	Stance records.Relation `json:"stance,omitempty"`
}

// Replaced is a record that a proposal would replace.
type Replaced struct {
	ID     records.ID    `json:"id"`
	Title  string        `json:"title"`
	Fields []FieldChange `json:"fields"`
}

// ReasoningOf gathers the reasoning of a record.
func ReasoningOf(rd *Reading, r *records.Record) *Reasoning {
	out := &Reasoning{RestsOn: []Ground{}, Rivals: []Ground{}, Supersedes: []Replaced{}}
	seen := map[records.ID]bool{r.ID: true}
	var visit func(r *records.Record, depth int)
	visit = func(r *records.Record, depth int) {
		for _, id := range r.Links[records.RestsOn] {
			o, ok := rd.Record(id)
			if !ok || seen[id] {
				continue
			}
			seen[id] = true
			out.RestsOn = append(out.RestsOn, rd.ground(o, depth))
			visit(o, depth+1)
		}
	}
	visit(r, 0)
	for _, id := range rd.rivals(r) {
		if o, ok := rd.Record(id); ok && id != r.ID && !rd.Standing(id).Class.Historical() {
			out.Rivals = append(out.Rivals, rd.ground(o, 0))
		}
	}
	for _, id := range slices.Concat(r.Links[records.Supersedes], rd.Backlinks(r.ID, records.SupersededBy)) {
		if o, ok := rd.Record(id); ok {
			out.Supersedes = append(out.Supersedes, replaced(o, r))
		}
	}
	return out
}

// replaced compares the content of a record with that of the one to replace it.
func replaced(old, now *records.Record) Replaced {
	out := Replaced{ID: old.ID, Title: TitleOf(old), Fields: []FieldChange{}}
	for _, f := range ledger.ContentChanges(old, now) {
		out.Fields = append(out.Fields, FieldChange(f))
	}
	return out
}

// rivals lists the records that r cannot stand beside, sorted.
func (rd *Reading) rivals(r *records.Record) []records.ID {
	ids := slices.Concat(r.Links[records.CompetesWith], r.Links[records.Contradicts],
		rd.Backlinks(r.ID, records.CompetesWith), rd.Backlinks(r.ID, records.Contradicts))
	if key := records.QuestionKey(r.Question); key != "" {
		ids = append(ids, rd.OnQuestion(key)...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func (rd *Reading) ground(r *records.Record, depth int) Ground {
	st := rd.Standing(r.ID)
	g := Ground{ID: r.ID, Kind: r.Kind, State: st.State, Class: st.Class, Title: TitleOf(r), Depth: depth, Type: r.Type, Source: r.Source}
	if r.Kind == records.Evidence {
		return g
	}
	for _, stance := range []records.Relation{records.Supports, records.Refutes} {
		for _, id := range rd.Backlinks(r.ID, stance) {
			ev, ok := rd.Record(id)
			if !ok || rd.Standing(id).Class != records.Asserted {
				continue
			}
			e := rd.ground(ev, depth+1)
			e.Stance = stance
			g.Evidence = append(g.Evidence, e)
		}
	}
	return g
}
