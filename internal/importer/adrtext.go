package importer

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/git-ctx/git-ctx/internal/lazyregexp"
	"github.com/git-ctx/git-ctx/records"
)

// A status is what a decision record says about its own standing.
type status struct {
	state   records.State
	reason  string   // why a dead decision is dead, as far as the file says so
	targets []string // what supersedes it, as written: file names and numbers
	note    string   // why the state is not what the file literally says
	rest    []string // lines that say more than the state
}

const reasonDeprecated = "deprecated in the source"

var (
	supersededBy = lazyregexp.New(`(?i)^(?:accepted[,;.]?\s+(?:but\s+|and\s+|now\s+)*)?supers?[ec]e?ded\s+by\b(.*)$`)
	supersedes   = lazyregexp.New(`(?i)^supers?[ec]e?des\s+(.*)$`)
	partly       = lazyregexp.New(`(?i)\b(part|partly|partially)\b`)
	linkTarget   = lazyregexp.New(`\]\(\s*<?([^)\s>]+)`)
	fileTarget   = lazyregexp.New(`([\w.-]+\.md)\b`)
	namedTarget  = lazyregexp.New(`(?i)\badr[-_ ]?(\d+)\b`)
	numberTarget = lazyregexp.New(`\b(\d+)\b`)
	metaLine     = lazyregexp.New(`(?i)^(?:[*+-]\s+)?[*_]{0,2}(status|date|deciders?|decision[- ]makers?)[*_]{0,2}\s*:[*_]{0,2}\s*(.*)$`)
)

// parseStatus reads the lines of a status. The first that names a successor
// counts, else the first.
func parseStatus(lines []string) status {
	var first string
	var st status
	var said []string
	for _, l := range lines {
		l = strings.TrimSpace(l)
		if l == "" || strings.HasPrefix(l, "<!--") {
			continue
		}
		said = append(said, l)
	}
	for i, l := range said {
		if supersededBy.MatchString(bare(l)) && !partly.MatchString(l) {
			st = deadBy(l)
			st.rest = append(append(st.rest, said[:i]...), said[i+1:]...)
			// "Accepted" above "Superseded by" is the status that was.
			if len(st.rest) > 0 && strings.EqualFold(bare(st.rest[0]), "accepted") {
				st.rest = st.rest[1:]
			}
			return st
		}
	}
	if len(said) == 0 {
		return status{state: records.Proposed}
	}
	first, st.rest = said[0], said[1:]
	word, more, _ := strings.Cut(bare(first), " ")
	st.state = records.Proposed
	switch w := strings.ToLower(strings.TrimRight(word, ".,;:")); {
	case partly.MatchString(first):
		st.note = "status '" + oneLine(first) + "' says only part: proposed"
	case w == "accepted":
		st.state = records.Accepted
	case w == "proposed":
	case w == "rejected":
		st.state, st.reason = records.Rejected, "rejected in the source"
	case w == "deprecated":
		st.state, st.reason = records.Rejected, reasonDeprecated
	case w == "superseded" || w == "superceded":
		st.state = records.Superseded
	default:
		st.note = "status '" + oneLine(first) + "' is unknown: proposed"
		return st // the note holds the whole line
	}
	if more != "" {
		st.rest = append([]string{first}, st.rest...)
	}
	return st
}

// deadBy reads a "superseded by" line.
func deadBy(line string) status {
	return status{state: records.Superseded, targets: targetsIn(supersededBy.FindStringSubmatch(bare(line))[1])}
}

// targetsIn returns what a text names decisions by: links, else files, else
// "ADR-5", else the first number; later ones may be a date.
func targetsIn(text string) []string {
	all := func(re *lazyregexp.Regexp, n int) (out []string) {
		for _, m := range re.FindAllStringSubmatch(text, n) {
			out = append(out, m[1])
		}
		return out
	}
	for _, re := range []*lazyregexp.Regexp{linkTarget, fileTarget, namedTarget} {
		if out := all(re, -1); len(out) > 0 {
			return out
		}
	}
	return all(numberTarget, 1)
}

// bare strips a line's list marker and emphasis.
func bare(line string) string {
	line = strings.TrimSpace(line)
	for _, m := range []string{"* ", "- ", "+ "} {
		line = strings.TrimPrefix(line, m)
	}
	return strings.TrimSpace(strings.Trim(line, "*_`\"'"))
}

// meta takes the lines "Status: ...", "Date: ..." and "Deciders: ..." out of the
// lines above the first section.
// What the front matter says already stays where it is.
func (doc *document) meta() map[string]string {
	found := make(map[string]string)
	var sc scanner
	kept := doc.preamble[:0:0]
	for _, l := range doc.preamble {
		if sc.prose(l) {
			if m := metaLine.FindStringSubmatch(strings.TrimSpace(l)); m != nil {
				key := strings.ToLower(m[1])
				if key != "status" && key != "date" {
					key = "decision-makers"
				}
				if _, ok := found[key]; !ok && doc.value(key) == nil {
					found[key] = strings.TrimSpace(m[2])
					continue
				}
			}
		}
		kept = append(kept, l)
	}
	doc.preamble = kept
	return found
}

// dateOf reads a day or an instant.
func dateOf(s string) (time.Time, bool) {
	s = strings.Trim(strings.TrimSpace(s), `"'*_`)
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02", "2006/01/02"} {
		if t, err := time.Parse(layout, s); err == nil && t.UTC().Year() >= 1 && t.UTC().Year() <= 9999 {
			return t.UTC().Truncate(time.Second), true
		}
	}
	return time.Time{}, false
}

var listItem = lazyregexp.New(`^ {0,1}(?:[*+-]|\d+[.)])[ \t]+(\S.*)$`)

// optionsOf reads a flat list; nil when the lines hold anything else.
func optionsOf(lines []string) []string {
	var out []string
	for _, l := range lines {
		m := listItem.FindStringSubmatch(l)
		switch {
		case strings.TrimSpace(l) == "":
		case m != nil:
			out = append(out, oneLine(m[1]))
		default:
			return nil
		}
	}
	return out
}

// questionOf returns the one sentence of the lines that asks, or "" when none or
// several do: of several it would be a guess which one the decision answers.
func questionOf(lines []string) string {
	var asked []string
	var sc scanner
	var para []string
	flush := func() {
		for _, s := range sentences(strings.Join(para, " ")) {
			if strings.HasSuffix(s, "?") {
				asked = append(asked, s)
			}
		}
		para = nil
	}
	for _, l := range lines {
		text := strings.TrimSpace(l)
		if !sc.prose(l) || text == "" || strings.HasPrefix(text, "#") {
			flush()
			continue
		}
		if m := listItem.FindStringSubmatch(text); m != nil {
			flush()
			text = m[1]
		}
		para = append(para, text)
	}
	flush()
	if len(asked) != 1 || len(asked[0]) > titleLimit {
		return ""
	}
	if r, _ := utf8.DecodeRuneInString(asked[0]); unicode.IsLower(r) {
		return "" // a sentence cut at "e.g." starts small
	}
	return asked[0]
}

// sentences cuts at full stops, exclamation and question marks before white space.
func sentences(s string) []string {
	s = oneLine(s)
	var out []string
	start := 0
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(".!?", s[i]) >= 0 && (i+1 == len(s) || s[i+1] == ' ') {
			out = append(out, strings.TrimSpace(s[start:i+1]))
			start = i + 1
		}
	}
	return append(out, strings.TrimSpace(s[start:]))
}

var (
	fileNumber  = lazyregexp.New(`^(?i:adr[-_ ]?)?0*(\d+)(?:[-_ .]|$)`)
	titleNumber = lazyregexp.New(`^((?i:adr)[-_ ]?)?(\d+)\s*([.:)]|[-\x{2013}\x{2014}])?\s+`)
)

// numberOf returns the number in a file's name, or -1.
func numberOf(name string) int {
	m := fileNumber.FindStringSubmatch(strings.TrimSuffix(name, ".md"))
	if m == nil {
		return -1
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return -1
	}
	return n
}

// stripNumber takes the file's number off the title, where it reads as one.
func stripNumber(title string, number int) string {
	m := titleNumber.FindStringSubmatch(title)
	if m == nil {
		return title
	}
	marked := m[1] != "" || m[3] != "" || len(m[2]) > 1 && m[2][0] == '0'
	n, err := strconv.Atoi(m[2])
	if rest := strings.TrimSpace(title[len(m[0]):]); err == nil && n == number && marked && !records.Blank(rest) {
		return rest
	}
	return title // "2 phase commit" is no numbering
}
