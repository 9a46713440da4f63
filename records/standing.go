package records

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Class is what readers may do with a record.
type Class string

// The classes. A reader states only records of class Asserted as fact.
const (
	Asserted       Class = "asserted"        // stands: may be stated as fact
	OpenQuestion   Class = "open"            // not settled
	AwaitingReview Class = "awaiting-review" // proposed for acceptance, or in force without the reviewer the policy asks for
	RuledOut       Class = "ruled-out"       // refuted or rejected: a warning only
	InDoubt        Class = "in-doubt"        // its state would assert it, and something speaks against it
	Closed         Class = "closed"          // done, dropped, achieved, abandoned, parked or out of its validity: history
	Gone           Class = "gone"            // superseded, retracted, retired, withdrawn or forgotten: not shown at all
)

// A Why says which rule gave a record its [Class] when that is not its state alone.
type Why string

// The reasons for a class beside the record's state.
const (
	WhyDoubt      Why = "doubt"                // see the standing's causes
	WhyConflict   Why = "conflict"             // a merge left a conflict in it
	WhyChanged    Why = "changed-since-review" // the content is not what the verdict was given on
	WhyVetoed     Why = "vetoed"               // ruled out or gone on the default branch
	WhyNotYet     Why = "not-yet-valid"
	WhyExpired    Why = "expired"
	WhyUnreviewed Why = "unreviewed" // the policy asks for a reviewer whom this verdict lacks
	WhyUnsourced  Why = "unsourced"  // an agent's support without evidence that anyone can check
	WhyForgotten  Why = "forgotten"
	WhyWithdrawn  Why = "withdrawn"  // its maker took it back
	WhyIdleGoals  Why = "idle-goals" // an open task all of whose goals are parked or abandoned
)

// A Standing is what may be done with one record, and why.
type Standing struct {
	Class Class
	// State is the state to show: the record's own, the vetoing one, or the birth
	// state where a claim to more was not reviewed.
	State State
	Why   Why
	// Verdict is the member of the verdict and those beside it that the class
	// comes from: its reason, date and actor are the ones to show. It is nil where
	// none is sound.
	Verdict *Verdict
	// Causes are why the record is in doubt, sorted; empty in every other class.
	Causes []Cause
	// Marks are what a reader must know beside the class, in a fixed order.
	Marks []Mark
}

// A Cause is one reason why a record is in doubt.
type Cause struct {
	// Rule is the id of the audit rule that reports it.
	Rule string
	// Records are the others concerned, sorted.
	Records []ID
	// Commit is the one that brought it about, where that is known.
	Commit string
	// Root are the records at which the chain of causes begins, the record itself
	// where it does; sorted.
	Root []ID
}

// Phrase says in a few words why the record is in doubt; name renders ids.
func (c Cause) Phrase(name func([]ID) string) string {
	text := c.phrase()
	if len(c.Records) > 0 {
		text += " " + name(c.Records)
	}
	if c.Commit != "" {
		text += fmt.Sprintf(" (commit %.10s)", c.Commit)
	}
	if far := slices.DeleteFunc(slices.Clone(c.Root), func(id ID) bool { return slices.Contains(c.Records, id) }); len(c.Records) > 0 && len(far) > 0 && c.rests() {
		text += ", and that on " + name(far)
	}
	return text
}

// rests reports whether the cause is that a basis does not stand.
func (c Cause) rests() bool { return c.Rule == RuleRestsOnDead || c.Rule == RuleEvidenceGone }

func (c Cause) phrase() string {
	switch c.Rule {
	case RuleConflict:
		return "merge conflict"
	case RuleLostSide:
		return "a merge dropped what one side had"
	case RuleDeleted:
		return "deleted by a commit made without git ctx"
	case RuleDisplaced:
		return "a displaced verdict was put back"
	case RuleOverruled:
		return "its verdict took the place of a person's"
	case RuleTombstone:
		return "forgotten by nobody who may"
	case RuleUnreadableVeto:
		return "what the default branch says of it cannot be read"
	case RuleRestsOnDead:
		return "rests on what does not stand:"
	case RuleEvidenceGone:
		return "none of its evidence stands:"
	case RuleCircularBasis:
		return "rests in a circle on"
	case RuleContradiction:
		return "contradicts"
	case RuleRivalDecisions:
		return "answers the question of"
	case RuleRefuted:
		return "refuted by"
	case RuleRuledOutAgain:
		return "says what was ruled out as"
	case RuleSupersedesFork:
		return "one of two successors, with"
	case RuleSupersedesCycle:
		return "supersedes in a circle with"
	case RuleStaleAnchor:
		return "its cited lines changed"
	}
	return c.Rule
}

// Key tells the cause of doubt about a record from all others. Two records that
// speak against each other have it in common.
func (c Cause) Key(of ID) string {
	ids := append(slices.Clone(c.Records), of)
	slices.Sort(ids)
	var b strings.Builder
	b.WriteString(c.Rule)
	for _, id := range slices.Compact(ids) {
		b.WriteByte(' ')
		b.WriteString(string(id))
	}
	return b.String()
}

// The rules of causes.
const (
	RuleConflict        = "disputed-record"
	RuleLostSide        = "lost-side"
	RuleDeleted         = "deleted-record"
	RuleDisplaced       = "displaced-verdict"
	RuleOverruled       = "overruled-verdict"
	RuleTombstone       = "forged-tombstone"
	RuleUnreadableVeto  = "unreadable-veto"
	RuleRestsOnDead     = "rests-on-dead"
	RuleEvidenceGone    = "supported-by-retracted"
	RuleCircularBasis   = "circular-basis"
	RuleContradiction   = "contradicting-records"
	RuleRivalDecisions  = "rival-decisions"
	RuleRefuted         = "supported-despite-refutation"
	RuleRuledOutAgain   = "ruled-out-again"
	RuleSupersedesFork  = "supersession-fork"
	RuleSupersedesCycle = "supersession-cycle"
	RuleStaleAnchor     = "stale-anchor"
)

// A Mark is something a reader must know of a record that does not take it down.
type Mark struct {
	Name MarkName
	// Records are those that the mark is about, sorted.
	Records []ID
	// Commit is the code commit that changed cited lines, for [MarkStale].
	Commit string
	// Count is how many more there are of the same mark.
	Count int
}

// Phrase says the mark in a few words; name renders ids.
func (m Mark) Phrase(name func([]ID) string) string {
	text := string(m.Name)
	switch {
	case m.Commit != "":
		text += fmt.Sprintf(" since %.10s", m.Commit)
	case m.Name == MarkChallenged && len(m.Records) > 0:
		text += " by " + name(m.Records)
	case m.Name == MarkBasisReduced, m.Name == MarkReopenedTask, m.Name == MarkDerived: // the record's page names them
	case len(m.Records) > 0:
		text += " " + name(m.Records)
	}
	if m.Count > 0 {
		text += fmt.Sprintf(" and %d more", m.Count)
	}
	return text
}

// A MarkName says what a mark tells.
type MarkName string

// The marks, in the order in which they are listed.
const (
	MarkStale          MarkName = "stale"
	MarkChallenged     MarkName = "challenged"
	MarkAgentOnly      MarkName = "agent evidence only"
	MarkBasisSucceeded MarkName = "basis superseded by"
	MarkBasisReduced   MarkName = "basis reduced"
	MarkDerived        MarkName = "derived from what no longer stands"
	MarkReopenedTask   MarkName = "task reopened"
	MarkImported       MarkName = "imported, never reviewed"
)

// A Rank is how much an actor's word weighs; a higher one is not taken out of
// force by a lower.
type Rank int

// The ranks. Under the policy any all words weigh the same.
const (
	AgentRank  Rank = iota // an agent, an unknown author, a person without the proof the policy asks for
	PersonRank             // a person, proved as the policy asks
)

// A Provenance is what history proves about one verdict of a record.
type Provenance struct {
	// Named tells that a commit of a person's verb names the verdict.
	Named bool
	// Displaced is the commit of a later verdict which took the place of this one,
	// "" where none did: put back by hand, it does not count again.
	Displaced string
	// Over is the commit that put this verdict in the place of one of higher rank
	// without the right to, "" where none did.
	Over string
}

// A Loss is what a commit made without git ctx took from a record.
type Loss struct {
	Rule   string // [RuleLostSide], [RuleDeleted] or [RuleTombstone]
	Commit string
}

// Staleness is what became of a record's cited lines in the code in view.
type Staleness struct {
	// Commit is the code commit that changed the lines, "" where that is not known.
	Commit string
}

// A Context holds what the standing of records depends on beside the
// Its functions must be pure: each is asked more than once.
type EvalContext struct {
	// Review is the policy in force; anything unknown counts as [ReviewSigned].
	Review Review
	// ValidAt is the instant at which records must hold; zero takes every record to
	// be within its validity.
	ValidAt time.Time
	// Signed reports whether a verdict of the record carries a signature that
	// verifies. Nil means that none does.
	Signed func(*Record, *Verdict) bool
	// Provenance tells what history proves about a verdict. Nil believes every
	// verdict that says it is a person's.
	Provenance func(*Record, *Verdict) Provenance
	// Lost lists what commits made without git ctx took from a record. Nil knows none.
	Lost func(ID) []Loss
	// Stale tells whether a record cites lines that the code in view no longer
	// has. Nil knows none.
	Stale func(*Record) (Staleness, bool)
	// StaleDoubt makes stale lines a cause of doubt.
	StaleDoubt bool
	// ByState leaves clock, policy, signatures and history aside: states and links
	// alone are judged, as a merge does.
	ByState bool
}
