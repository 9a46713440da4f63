// Package importer turns the files of other tools into records: beads' JSONL
// export, folders of architecture decision records, and decisions back into the
// latter; and what a repository's own documents state into proposals.
//
// It owns the mapping of their fields, states and links. It is pure: no git, no
// clock, no randomness; ids come from the source's own keys, times and names
// from the source's own claims. Its invariant is that the same input gives the
// same records in every clone, and that whatever does not arrive in a record is
// named in [Result.Skipped]: nothing is guessed and nothing is lost silently.
package importer

import (
	"crypto/sha256"
	"encoding/hex"
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
}

// A Result is what one import makes of a source.
type Result struct {
	// Source is "beads", "adr" or "bootstrap".
	Source string
	// Records are complete and sorted by id; every link leads to another of them.
	Records []*records.Record
	// Skipped lists the dropped items and parts, and the notes, in the order of the source, then the dropped fields by name.
	Skipped []Skip
	// Time is the newest time in the source, and so the date of the commit that
	// records the import; see [Undated].
	Time time.Time
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

// An importing run collects records and what was left out of them.
type run struct {
	source  string
	recs    map[records.ID]*records.Record
	skipped []Skip
	fields  map[string]int
	newest  time.Time
}

func newRun(source string) *run {
	return &run{source: source, recs: make(map[records.ID]*records.Record), fields: make(map[string]int)}
}

// skip lists one item, or a part of one.
func (r *run) skip(item, format string, args ...any) {
	r.skipped = append(r.skipped, Skip{Item: item, Reason: fmt.Sprintf(format, args...)})
}

// note lists what was assumed or altered of an item that arrives whole.
func (r *run) note(item, format string, args ...any) {
	r.skipped = append(r.skipped, Skip{Item: item, Reason: fmt.Sprintf(format, args...), Note: true})
}

// field counts one more item whose field is left out.
func (r *run) field(name string) { r.fields[name]++ }

// seen moves the time of the import.
func (r *run) seen(t time.Time) {
	if t.After(r.newest) {
		r.newest = t
	}
}

// result closes the verdicts over the final content and checks that every record
// has a file form.
func (r *run) result() (*Result, error) {
	res := &Result{Source: r.source, Skipped: r.skipped, Time: r.newest}
	for _, name := range slices.Sorted(maps.Keys(r.fields)) {
		res.Skipped = append(res.Skipped, Skip{
			Item:   fmt.Sprintf("field '%s'", name),
			Reason: fmt.Sprintf("on %s: not mapped", text.Plural(r.fields[name], "item")),
		})
	}
	if res.Time.IsZero() {
		res.Time = Undated()
	}
	for _, id := range slices.Sorted(maps.Keys(r.recs)) {
		rec := r.recs[id]
		seal(rec)
		if _, err := records.Format(rec); err != nil {
			return nil, fmt.Errorf("import %s '%s': %w", r.source, rec.Origin.Key, err)
		}
		res.Records = append(res.Records, rec)
	}
	return res, nil
}

// seal sets the digest that the verdict judged, if it judged any, and a nonce that any clone
// derives alike but no other verdict has.
func seal(rec *records.Record) {
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

// digest is the fingerprint of a source item that its origin carries.
func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// firstOf returns the first of the strings that is not blank, trimmed.
func firstOf(ss ...string) string {
	for _, s := range ss {
		if s = strings.TrimSpace(s); s != "" {
			return s
		}
	}
	return ""
}
