// Package importer holds what all importers share: the records that they make
// and what they list, identity, and the text that a record may hold. The packages
// below it each read one kind of source: decision folders, trackers, documents,
// CTX workspaces.
//
// An importer owns the mapping of fields, states and links. It is pure: no git, no
// clock, no randomness; ids come from the source's own keys, times and names
// from the source's own claims. Its invariant is that the same input gives the
// same records in every clone, and that whatever does not arrive in a record is
// named in [Result.Skipped]: nothing is guessed and nothing is lost silently.
package importer

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

// Actor is the actor of every imported record and verdict.
const Actor records.Actor = "agent/import"

// A Skip names an item of the source, or a part of one, that did not become
// (part of) a record, and why. An item that was dropped whole is named by its
// key alone; a part of one as "key: part"; a field that was left out everywhere
// as "field 'name'".
type Skip struct {
	Item   string `yaml:"item" json:"item"`
	Reason string `yaml:"reason" json:"reason"`
	// Note says that nothing is left out: the item became a record, and this is
	// what was assumed or altered on the way.
	Note bool `yaml:"-" json:"-"`
	// Line is where the item's file says it, from 1; 0 when no line does.
	Line int `yaml:"line,omitempty" json:"line,omitempty"`
}

// Place is the item with its line: "0001-use.md:7: status".
func (s Skip) Place() string {
	if s.Line == 0 {
		return s.Item
	}
	name, part, ok := strings.Cut(s.Item, ": ")
	if !ok {
		return fmt.Sprintf("%s:%d", s.Item, s.Line)
	}
	return fmt.Sprintf("%s:%d: %s", name, s.Line, part)
}

// A Result is what one import makes of a source.
type Result struct {
	// Source is the name of the source's branch: "beads", "adr", "bootstrap" ...
	Source string
	// Records are complete and sorted by id; every link leads to another of them.
	Records []*records.Record
	// Skipped lists the dropped items and parts, and the notes, in the order of the source, then the dropped fields by name.
	Skipped []Skip
	// Time is the newest time in the source, and so the date of the commit that
	// records the import; see [Undated].
	Time time.Time
	// Folder says that the source is a folder, Scope, of whose items the keys begin
	// with its name. Keys are those that it holds now, skipped ones too.
	Folder bool
	Scope  string
	Keys   map[string]bool
	// Match says how surely an item that vanished is one that is new: 3 the same
	// content, 0 another. Nil where keys do not change.
	Match func(was, now *records.Record) int
	// History is the source's own, of which Records are the last; nil where it has none.
	History []Step
	// Others are branches of the source that nobody asked for yet.
	Others []*Result
	// Partial says that the source need not hold all of its items, so that a
	// missing one has not vanished.
	Partial bool
}

// A Step is one commit of a source's own history: all records that it holds.
type Step struct {
	Records []*records.Record
	Parents []int // earlier steps
	Time    time.Time
	Author  string
	ID      string // what the source calls it; "" for what is not committed there
	Message string
}

// Undated is the time of what the source gives no time for: an obviously false
// one, the same in every clone.
func Undated() time.Time { return time.Unix(0, 0).UTC() }

// A SyntaxError says where a source cannot be read. Path is empty for a stream,
// and the column counts bytes from 1.
type SyntaxError struct {
	Path      string
	Line, Col int
	Msg       string
}

func (e *SyntaxError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Col, e.Msg)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.Path, e.Line, e.Col, e.Msg)
}

// A Batch collects the records of one source, and what was left out of them.
type Batch struct {
	Scope   string
	Recs    map[records.ID]*records.Record
	source  string
	skipped []Skip
	fields  map[string]int
	keys    map[string]bool
	newest  time.Time
}

// NewBatch starts the import of a source.
func NewBatch(source string) *Batch {
	return &Batch{
		source: source, Recs: make(map[records.ID]*records.Record), fields: make(map[string]int), keys: make(map[string]bool),
	}
}

// Found says that the source holds an item of that key, whether or not it is taken.
func (r *Batch) Found(key string) { r.keys[key] = true }

// Add keeps rec unless another item of the source has its id.
func (r *Batch) Add(rec *records.Record) bool {
	r.Found(rec.Origin.Key)
	if other, ok := r.Recs[rec.ID]; ok {
		r.Skip(rec.Origin.Key, "its id is that of '%s'", other.Origin.Key)
		return false
	}
	r.Recs[rec.ID] = rec
	return true
}

// Skip lists one item, or a part of one.
func (r *Batch) Skip(item, format string, args ...any) { r.SkipAt(item, 0, format, args...) }

// SkipAt lists an item with its line.
func (r *Batch) SkipAt(item string, line int, format string, args ...any) {
	r.skipped = append(r.skipped, Skip{Item: item, Reason: fmt.Sprintf(format, args...), Line: line})
}

// SkipError lists an item that cannot be read, with the line that a *[SyntaxError] has.
func (r *Batch) SkipError(item string, err error) {
	if se := (*SyntaxError)(nil); errors.As(err, &se) {
		r.SkipAt(item, se.Line, "column %d: %s", se.Col, se.Msg)
		return
	}
	r.Skip(item, "%s", Reason(err))
}

// Note lists what was assumed or altered of an item that arrives whole.
func (r *Batch) Note(item, format string, args ...any) { r.NoteAt(item, 0, format, args...) }

// NoteAt lists what was assumed of an item with its line.
func (r *Batch) NoteAt(item string, line int, format string, args ...any) {
	r.skipped = append(r.skipped, Skip{Item: item, Reason: fmt.Sprintf(format, args...), Line: line, Note: true})
}

// Field counts one more item whose field is left out.
func (r *Batch) Field(name string) { r.fields[name]++ }

// Seen moves the time of the import.
func (r *Batch) Seen(t time.Time) {
	if t.After(r.newest) {
		r.newest = t
	}
}

// Result closes the verdicts over the final content. A record that no file can
// hold is listed, and nothing leads to it.
func (r *Batch) Result() (*Result, error) {
	res := &Result{Source: r.source, Time: r.newest, Scope: r.Scope, Keys: r.keys}
	if res.Time.IsZero() {
		res.Time = Undated()
	}
	gone := make(map[records.ID]bool)
	for _, id := range slices.Sorted(maps.Keys(r.Recs)) {
		rec := r.Recs[id]
		Seal(rec)
		if _, err := records.Format(rec); err != nil {
			r.Skip(rec.Origin.Key, "%v", err)
			gone[id] = true
			continue
		}
		res.Records = append(res.Records, rec)
	}
	res.unlink(gone)
	res.Skipped = r.skipped
	for _, name := range slices.Sorted(maps.Keys(r.fields)) {
		res.Skipped = append(res.Skipped, Skip{
			Item:   fmt.Sprintf("field '%s'", name),
			Reason: fmt.Sprintf("on %s: not mapped", text.Plural(r.fields[name], "item")),
		})
	}
	return res, nil
}

// unlink takes the links to records that are left out off the others.
func (res *Result) unlink(gone map[records.ID]bool) {
	for _, rec := range res.Records {
		if len(gone) > 0 && rec.Unlink(gone) {
			Seal(rec)
		}
	}
}

// Seal sets the digest that the verdict judged, if it judged any, and a nonce that any clone
// derives alike but no other verdict has.
func Seal(rec *records.Record) {
	v := rec.Verdict
	if rec.CoversContent() || v.Asks != "" {
		v.Of = rec.Digest()
	}
	h := sha256.New()
	said := []string{
		string(rec.ID), string(v.State), v.Of, v.Reason, string(v.SupersededBy),
		v.By, string(v.Actor), v.At.Format(time.RFC3339),
	}
	if v.Asks != "" {
		said = append(said, string(v.Asks))
	}
	for _, s := range said {
		_, _ = io.WriteString(h, s) // a hash does not fail
		_, _ = h.Write([]byte{0})
	}
	v.N = records.NewNonce(h.Sum(nil))
}

// Digest is the fingerprint of a source item that its origin carries.
func Digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// FirstOf returns the first of the strings that is not blank, trimmed.
func FirstOf(ss ...string) string {
	for _, s := range ss {
		if s = strings.TrimSpace(s); s != "" {
			return s
		}
	}
	return ""
}
