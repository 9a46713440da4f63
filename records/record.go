package records

import (
	"time"
)

// An ID names a record: its kind's prefix, a hyphen, and ten characters of
// lower-case Crockford base32.
type ID string

// An Actor says through which channel something was done: [Human],
// "agent/<name>", or [Unknown], which is trusted like an agent.
type Actor string

// The actors that have no name of their own.
const (
	Human   Actor = "human"
	Unknown Actor = "unknown"
)

// A Fraction is a number from 0 to 1 in hundredths.
type Fraction uint8

// A Record is one record, decoded. Nil pointers, empty strings and empty slices
// are absent fields. A conflicted field is absent too and stands in Conflicts.
// A Record is plain data: whoever holds it may change it; [Record.Clone] copies it.
type Record struct {
	ID    ID
	Kind  Kind
	Title string
	Body  string

	// Fields of single kinds; see [Schema].Fields.
	Type          string
	Text          string
	Question      string
	Options       []string // sequence
	When          string
	Signals       []string // set
	Preconditions []string // sequence
	Steps         []Step   // keyed by ID, in order
	Escalation    string
	References    []string // set
	Source        string

	Verdict *Verdict // nil only when conflicted
	Also    []Verdict
	// Challenges are what actors of a lower rank say against the verdict, one an
	// actor: they change nothing until someone of its rank takes them up.
	Challenges []Verdict // set
	Conflicts  []Conflict

	Confidence, Impact, Cost, Strength *Fraction
	Priority                           *int // 0 to 4, 0 most urgent

	Tags      []string // set
	Links     map[Relation][]ID
	Paths     []string // set of doublestar globs, relative to the repository's top
	Anchors   []Anchor // set
	Files     []File   // set
	Valid     Validity
	Origin    *Origin
	Tombstone *Tombstone
	Created   Created

	// Extra holds the keys this version does not know, sorted by name.
	Extra []Field
}

// A Verdict is the one state of a record and who answers for it. It is
// indivisible: a merge takes it whole.
type Verdict struct {
	State State
	// Of is the content digest ([Record.Digest]) that the verdict is on, or that a
	// proposal is about; "" where it is on none ([Record.CoversContent]).
	Of     string
	Reason string
	Cites  []ID // set
	// Asks is the state a proposal asks a reviewer for, "" when none.
	Asks         State
	SupersededBy ID
	// Despite lists what spoke against the record, known when the verdict was given.
	Despite []Despite // set
	Reverts string    // object ID of the commit this verdict takes back
	By      string
	Actor   Actor
	At      time.Time
	N       string // nonce
	// After is the nonce of the verdict that this one displaced, "" for none.
	After string
	// Withdrawn tells that the record's maker took it back.
	Withdrawn bool
	Sig       string // SSHSIG, armored
}

// A Despite is a record that was known to speak against another, or to be an
// open basis of it, as it was then. It counts as long as that record has this state, where
// all open ones are one, and this content.
type Despite struct {
	ID    ID
	State State
	Of    string // its [Record.Digest]
}

// A Conflict holds all values of a field that a merge could not settle.
// Bases and Sides are sorted multisets; a null value is an absent field.
type Conflict struct {
	Field string
	Bases []*Value
	Sides []*Value
}

// A Field is one top-level key of a record with its canonical value.
type Field struct {
	Name  string
	Value *Value
}

// A Step is one step of a runbook.
type Step struct {
	ID     string
	Do     string
	Verify string
}

// An Anchor ties a record to lines of a file. SHA256 is the digest of the cited
// lines, so that it can be checked when the blob is gone.
type Anchor struct {
	Path   string
	Lines  string // "A-B", 1-based, inclusive; "" is the whole file
	SHA256 string
	Blob   string
	Commit string
}

// A File is an attachment of the record. The store reserves the form; nothing writes it yet.
type File struct {
	Name   string
	SHA256 string
	Size   int64
}

// A Validity bounds when a record holds; a zero time is open. Until is exclusive.
type Validity struct {
	From, Until time.Time
}

// An Origin names the record's source in another system. Key is the one that made
// its id and never changes; Also are the others that the source calls it by.
type Origin struct {
	System, Key string
	Also        []string // set
	Digest      string
}

// A Tombstone stands in place of a forgotten payload.
type Tombstone struct {
	Fingerprint string // salted digest of the normalised text
	Salt        string
	Reason      string
	By          string
	Actor       Actor
	At          time.Time
}

// Created says who wrote the record first. It is a claim; history wins.
type Created struct {
	By    string
	Actor Actor
	At    time.Time
}

// State returns the record's state, or "" when its verdict is in conflict.
func (r *Record) State() State {
	if r.Verdict == nil {
		return ""
	}
	return r.Verdict.State
}

// Successors returns the records that the verdict and those beside it that agree name
// as superseding this one, without repetition.
func (r *Record) Successors() []ID {
	var ids []ID
	add := func(v *Verdict) {
		if v.SupersededBy == "" {
			return
		}
		for _, id := range ids {
			if id == v.SupersededBy {
				return
			}
		}
		ids = append(ids, v.SupersededBy)
	}
	if r.Verdict != nil {
		add(r.Verdict)
	}
	for i := range r.Also {
		add(&r.Also[i])
	}
	return ids
}
