package codelink

import (
	"strings"

	"github.com/git-ctx/git-ctx/internal/lazyregexp"
)

var (
	codeTrailer = lazyregexp.New(`(?i)^[\s*>-]*(Ctx-(?:Task|Decision|Record))\s*:\s*(.*)$`)
	wholeID     = lazyregexp.New(`(?i)\b(?:goal|task|hyp|ev|dec|con|rb|trg)-[0-9a-hjkmnp-tv-z]{10}\b`)
)

// A NamedRecord is a record's name in the message of a code commit.
type NamedRecord struct {
	Name string // an id, which may be cut short where Key is set
	Key  string // of the trailer, "" where the text just mentions the record
}

// RecordsNamed returns the records that a code commit's message names: in
// Ctx-Task, Ctx-Decision and Ctx-Record trailers, which may stand in any line,
// as a squash merge puts those of its commits into the body; and by whole ids
// anywhere. Each name is returned once, as a trailer where it is one.
func RecordsNamed(message string) []NamedRecord {
	var trailers, mentions []NamedRecord
	for line := range strings.Lines(message) {
		if m := codeTrailer.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			for _, name := range strings.FieldsFunc(m[2], func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
				trailers = append(trailers, NamedRecord{strings.ToLower(name), canonicalKey(m[1])})
			}
			continue
		}
		for _, m := range wholeID.FindAllStringSubmatch(line, -1) {
			mentions = append(mentions, NamedRecord{Name: strings.ToLower(m[0])})
		}
	}
	seen := make(map[string]bool)
	var out []NamedRecord
	for _, n := range append(trailers, mentions...) {
		if !seen[n.Name] {
			seen[n.Name] = true
			out = append(out, n)
		}
	}
	return out
}

// canonicalKey spells a trailer's key as it is documented.
func canonicalKey(key string) string {
	key = strings.ToLower(key)
	return "Ctx-" + strings.ToUpper(key[4:5]) + key[5:]
}
