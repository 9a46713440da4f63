package adr

import (
	"slices"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/importer/markup"
	"github.com/git-ctx/git-ctx/internal/lazyregexp"
	"github.com/git-ctx/git-ctx/records"
)

// The fields that a document tells outside its sections, and what they are called.
const (
	fieldStatus     = "status"
	fieldDate       = "date"
	fieldMakers     = "decision-makers"
	fieldBy         = "superseded by"
	fieldSupersedes = "supersedes"
	fieldClaim      = "decision"
)

const fieldName = `(status|state|(?:decision )?date|decided on|deciders?|decision[- ]makers?|decided by|supersedes|superseded[-_ ]?by|replaces|replaced[-_ ]?by|decision)`

var (
	fieldLine = lazyregexp.New(`(?i)^(?:[>*+-]\s+|\|\s*|:)?[*_` + "`" + `]{0,3}` + fieldName + `[*_` + "`" + `]{0,3}\s*(?::{1,2}[*_` + "`" + `]{0,3}(?:\s+|$)|\|)\s*(.*)$`)
	fieldCell = lazyregexp.New(`(?i)^[*_` + "`" + `\s]*` + fieldName + `[*_:` + "`" + `\s]*$`)
	inlineGap = lazyregexp.New(`\s+[·•|]\s+`)
	inlineKey = lazyregexp.New(`^[*_]{0,3}[\p{L}][\p{L} -]{0,30}[*_]{0,3}:`)
)

// canonicalField is the one name of a field of several.
func canonicalField(name string) string {
	name = strings.NewReplacer("-", " ", "_", " ").Replace(strings.ToLower(name))
	switch {
	case name == "status", name == "state":
		return fieldStatus
	case strings.HasSuffix(name, "date"), name == "decided on":
		return fieldDate
	case strings.HasPrefix(name, "superseded"), strings.HasPrefix(name, "replaced"):
		return fieldBy
	case name == "supersedes", name == "replaces":
		return fieldSupersedes
	case name == "decision":
		return fieldClaim
	}
	return fieldMakers
}

// A told field is a line of the file with a value.
type told struct {
	name, value string
	no          int
}

// fields takes the fields out of the lines above the first section, and out of
// sections that hold nothing else: list items, table rows, fenced lines, and
// several on one line with a dot between them. What the front matter says
// already stays where it is.
func (doc *document) fields() []told {
	var found []told
	doc.preamble = doc.fieldsIn(doc.preamble, &found)
	for i := 0; i < len(doc.sections); i++ {
		if s := &doc.sections[i]; isMeta(s.name()) {
			if s.lines = doc.fieldsIn(s.lines, &found); strings.TrimSpace(strings.Join(texts(s.lines), "")) == "" {
				doc.take(i)
				i--
			}
		}
	}
	return found
}

func (doc *document) fieldsIn(lines []line, found *[]told) []line {
	var kept []line
	comment := false
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		text := strings.TrimSpace(l.text)
		comment = comment && !strings.Contains(text, "-->") || strings.HasPrefix(text, "<!--") && !strings.Contains(text, "-->")
		if comment {
			kept = append(kept, l)
			continue
		}
		if head := cells(text); len(head) > 1 && i+2 < len(lines) && tableRule.MatchString(strings.TrimSpace(lines[i+1].text)) && fieldCell.MatchString(head[0]) && slices.ContainsFunc(head[1:], fieldCell.MatchString) {
			for n, v := range cells(strings.TrimSpace(lines[i+2].text)) {
				if n < len(head) && fieldCell.MatchString(head[n]) {
					*found = append(*found, told{canonicalField(fieldCell.FindStringSubmatch(head[n])[1]), v, lines[i+2].no})
				}
			}
			i += 2
			continue
		}
		if !doc.fieldsOf(l, text, found) {
			kept = append(kept, l)
		}
	}
	return kept
}

// cells are the cells of a table's row.
func cells(text string) []string {
	if !strings.HasPrefix(text, "|") {
		return nil
	}
	out := strings.Split(strings.Trim(text, "|"), "|")
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}

// fieldsOf reports whether the line is nothing but fields, and adds them.
func (doc *document) fieldsOf(l line, text string, found *[]told) bool {
	parts := []string{text}
	if !strings.HasPrefix(text, "|") && !strings.HasPrefix(text, ":") {
		parts = inlineGap.Split(text, -1)
	}
	rest := ""
	var here []told
	for i, p := range parts {
		p = strings.TrimSpace(p)
		m := fieldLine.FindStringSubmatch(p)
		switch {
		case m != nil && !(canonicalField(m[1]) == fieldDate && doc.value("date") != nil || canonicalField(m[1]) == fieldStatus && doc.value("status") != nil):
			here = append(here, told{canonicalField(m[1]), strings.TrimSpace(strings.Trim(strings.TrimSpace(m[2]), "|")), l.no})
		case i > 0 && len(here) > 0 && !inlineKey.MatchString(p):
			here[len(here)-1].value += " | " + p // a part of the value, as in "proposed | accepted"
		default:
			rest += p
		}
	}
	if len(here) == 0 || rest != "" && len(parts) == 1 {
		return false
	}
	*found = append(*found, here...)
	return rest == ""
}

// told returns the first value of a field.
func first(fields []told, name string) (told, bool) {
	i := slices.IndexFunc(fields, func(f told) bool { return f.name == name && f.value != "" })
	if i < 0 {
		return told{}, false
	}
	return fields[i], true
}

// status takes the status from the front matter, else from a field, else from its
// section, and what the document says elsewhere on what it supersedes.
func (doc *document) status(fields []told) status {
	var st status
	field, stated := first(fields, fieldStatus)
	at := doc.find(isStatus)
	switch n := doc.value("status"); {
	case n != nil:
		var lines []line
		for _, w := range words(n) {
			lines = append(lines, line{n.Line, w})
		}
		st = parseStatus(lines, doc.links)
		st.rest = nil // the front matter holds it
		if st.blank {
			st.no = n.Line
		}
	case stated:
		st = parseStatus([]line{{field.no, field.value}}, doc.links)
	case at >= 0:
		s := doc.take(at)
		st = parseStatus(s.lines, doc.links)
		if st.blank {
			st.no = s.no
		}
		if len(st.rest) > 0 || st.note != "" {
			s.lines = append([]line{{}}, keptLines(s.lines, st)...)
			doc.sections = append(doc.sections, s)
		}
	}
	if st.stated = st.state != ""; !st.stated {
		st.state = records.Proposed
	}
	for _, f := range fields {
		doc.relation(&st, f.name, line{f.no, f.value})
	}
	for _, f := range doc.front {
		switch name := canonicalKey(f.key); name {
		case fieldBy, fieldSupersedes:
			for _, w := range words(f.value) {
				doc.relation(&st, name, line{f.value.Line, w})
			}
		}
	}
	doc.linked(&st)
	return st
}

func canonicalKey(key string) string {
	switch strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(key)) {
	case "supersededby", "replacedby":
		return fieldBy
	case "supersedes", "replaces":
		return fieldSupersedes
	}
	return ""
}

// keptLines are the lines of a status section that say more than the state; all
// of them where it was not understood.
func keptLines(all []line, st status) []line {
	if st.note != "" {
		return all
	}
	return st.rest
}

// relation reads a field that names other decisions.
func (doc *document) relation(st *status, name string, l line) {
	var into *[]target
	switch name {
	case fieldBy:
		into = &st.by
	case fieldSupersedes:
		into = &st.supersedes
	default:
		return
	}
	text, targets := cutLinks(bare(l.text), doc.links)
	if len(targets) == 0 {
		if low := strings.ToLower(text); low == "" || low == "none" || low == "n/a" || low == "-" || low == "no" {
			return
		}
		for w := range strings.SplitSeq(text, ",") {
			*into = append(*into, target{ref: strings.TrimSpace(w)})
		}
	}
	*into = append(*into, targets...)
	if name == fieldBy && len(*into) > 0 && st.note == "" {
		st.state, st.reason, st.no = "superseded", "", l.no
	}
}

// linked reads the sections and loose lines that say in a sentence of their own
// what this decision supersedes, or what supersedes it.
func (doc *document) linked(st *status) {
	for _, s := range doc.sections {
		switch name := s.name(); {
		case name == fieldSupersedes || name == fieldBy:
			for _, l := range s.lines {
				if bare(l.text) != "" {
					doc.relation(st, name, l)
				}
			}
		case isLinks(name):
			doc.sentences(st, s.lines)
		}
	}
	doc.sentences(st, doc.preamble)
}

func (doc *document) sentences(st *status, lines []line) {
	var sc markup.Scanner
	for _, l := range lines {
		if !sc.Prose(l.text) {
			continue
		}
		text, targets := cutLinks(bare(l.text), doc.links)
		text = strings.Join(strings.Fields(strings.Trim(text, ". ")), " ")
		for _, part := range between.Split(text, -1) {
			c := clauses{targets: targets}
			if m := active.FindStringSubmatch(part); m != nil {
				if c.into = &st.supersedes; m[1] != "" || m[2] != "" {
					c.into = &st.partOf
				}
				c.targetsOf(m[3])
			} else if m := passive.FindStringSubmatch(part); m != nil && m[3] != "" && m[1] == "" && m[2] == "" && st.note == "" {
				c.into = &st.by
				c.targetsOf(m[3])
				st.state, st.reason, st.no = "superseded", "", l.no
			}
		}
	}
}

// date takes the decision's time from the file; there is no other source that
// is the same in every clone.
func (imp *run) date(key string, doc *document, fields []told, st status) time.Time {
	text, no := "", 0
	if n := doc.value("date", "decision-date", "decided", "last_update", "creation-date"); n != nil {
		text, no = strings.Join(words(n), " "), n.Line
	}
	if f, ok := first(fields, fieldDate); ok && text == "" {
		text, no = f.value, f.no
	}
	if i := doc.find(isDate); i >= 0 && text == "" {
		s := doc.take(i)
		text, no = importer.OneLine(strings.Join(texts(s.lines), " ")), s.no
	}
	text = importer.OneLine(markup.Unmarked(text))
	if text == "" && !st.at.IsZero() {
		imp.Seen(st.at)
		return st.at
	}
	if text == "" {
		imp.NoteAt(key+": date", 0, "missing: recorded as %s", importer.Undated().Format(time.DateOnly))
		return importer.Undated()
	}
	t, ok := dateOf(text)
	if !ok {
		imp.NoteAt(key+": date", no, "'%s' is not a date: recorded as %s", importer.Short(text), importer.Undated().Format(time.DateOnly))
		return importer.Undated()
	}
	imp.Seen(t)
	return t
}
