package adr

import (
	"strings"
	"unicode/utf8"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/importer/markup"
	"github.com/git-ctx/git-ctx/internal/lazyregexp"
)

// maxClaim is the most characters of a decision's text that its reason repeats.
const maxClaim = 280

var (
	imageLine   = lazyregexp.New(`!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])`)
	imageOther  = lazyregexp.New(`^(?:\.\. (?:image|figure)::|image::?\S)`)
	bareImage   = lazyregexp.New(`(?i)<img\b[^>]*>`)
	yStatement  = lazyregexp.New(`(?is)^in the context of\b.*\bwe (?:have )?(?:decided|chose|decide|choose)\b`)
	claimLabel  = lazyregexp.New(`(?i)^[*_]{0,3}(?:decision|decision outcome|the decision|chosen option|outcome)[*_]{0,3}\s*:[*_]{0,3}\s*`)
	claimMarker = lazyregexp.New(`^\s*(?:[*+-]|\d+[.)])\s+(?:\[[ xX]\]\s+)?`)
)

// decided takes the decided text out of the document: its decision section,
// else a paragraph that is labelled so or is a Y-statement. What the text loses
// on the way, code and images, stays where it was.
func (doc *document) decided(fields []told) string {
	for _, want := range []func(string) bool{func(n string) bool { return n == "decision outcome" }, func(n string) bool { return n == "decision" }, isOutcome} {
		for i := range doc.sections {
			if !want(doc.sections[i].name()) {
				continue
			}
			text, lost := claimOf(doc.sections[i].lines)
			if text == "" && i+1 < len(doc.sections) && doc.sections[i+1].level > doc.sections[i].level {
				if sub, subLost := claimOf(doc.sections[i+1].lines); sub != "" && (isOutcome(doc.sections[i+1].name()) || !known(doc.sections[i+1].name())) {
					if !subLost {
						doc.take(i + 1)
					}
					if !lost {
						doc.takeClaim(i)
					}
					return sub
				}
			}
			if text == "" {
				continue
			}
			if !lost {
				doc.takeClaim(i)
			}
			return text
		}
	}
	if f, ok := first(fields, fieldClaim); ok {
		return f.value
	}
	return doc.statement()
}

// takeClaim removes the decision's section, whose subsections move up to its level.
func (doc *document) takeClaim(i int) {
	s := doc.take(i)
	var definitions []line
	for _, l := range s.lines {
		if linkDefinition.MatchString(l.text) {
			definitions = append(definitions, l)
		}
	}
	for j := i; j < len(doc.sections) && doc.sections[j].level > s.level; j++ {
		if sub := &doc.sections[j]; doc.syntax == markup.Markdown && len(sub.head) == 1 && strings.HasPrefix(sub.head[0], "##") {
			sub.head = []string{sub.head[0][1:]}
		}
	}
	if n := len(doc.sections); len(definitions) > 0 && n > 0 {
		last := &doc.sections[n-1]
		last.lines = append(append(last.lines, line{}), definitions...)
	} else if len(definitions) > 0 {
		doc.preamble = append(doc.preamble, definitions...)
	}
}

// statement finds a Y-statement, or a paragraph with a label, among the text
// that is not a section's on something else.
func (doc *document) statement() string {
	for _, s := range append([]section{{lines: doc.preamble}}, doc.sections...) {
		for _, para := range strings.Split(strings.Join(texts(s.lines), "\n"), "\n\n") {
			text := strings.TrimSpace(markup.Unmarked(strings.TrimSpace(para)))
			if m := claimLabel.FindString(text); m != "" && len(text) > len(m) {
				return strings.TrimSpace(text[len(m):])
			}
			if yStatement.MatchString(text) {
				return text
			}
		}
	}
	return ""
}

// claimOf is a section's text without link definitions, images, code and
// comments; lost says whether that took more than the definitions.
func claimOf(lines []line) (text string, lost bool) {
	var sc markup.Scanner
	var kept []string
	for _, l := range lines {
		switch s := strings.TrimSpace(l.text); {
		case !sc.Prose(l.text) || imageOther.MatchString(s):
			lost = lost || !strings.HasPrefix(s, "<!--")
		case linkDefinition.MatchString(l.text):
		default:
			clean := bareImage.ReplaceAllString(imageLine.ReplaceAllString(l.text, ""), "")
			lost = lost || clean != l.text
			if clean != l.text && strings.TrimSpace(clean) == "" {
				continue
			}
			kept = append(kept, strings.TrimRight(clean, " \t"))
		}
	}
	return strings.TrimSpace(importer.Clean(squeezed(kept))), lost
}

// squeezed joins lines with at most one blank line between them.
func squeezed(lines []string) string {
	var out []string
	for _, l := range lines {
		if l == "" && (len(out) == 0 || out[len(out)-1] == "") {
			continue
		}
		out = append(out, l)
	}
	return strings.Join(out, "\n")
}

// claimLine is what a packet prints of a decided text: its first sentences on
// one line, without marks.
func claimLine(text string) string {
	var said []string
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(claimMarker.ReplaceAllString(l, ""))
		if l != "" && !tableRule.MatchString(l) {
			said = append(said, l)
		}
	}
	plain := markup.Plain(strings.Join(said, " "))
	out := ""
	for _, s := range importer.Sentences(plain) {
		if next := strings.TrimSpace(out + " " + s); utf8.RuneCountInString(next) <= maxClaim {
			out = next
			continue
		}
		break
	}
	if out == "" {
		out = importer.CutLine(plain, maxClaim)
	}
	return out
}
