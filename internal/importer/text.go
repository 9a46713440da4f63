package importer

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// titleLimit keeps imported titles readable in lists; the format would bear more.
	titleLimit = 200
	// bodyLimit bounds what a body takes up in a record's 256 KiB, quoted; the
	// rest is for everything that is not body.
	bodyLimit = 192 << 10
	// tagLimit is what the format allows a tag.
	tagLimit = 100
)

// clean gives text the form that records keep: Unicode form C, LF line ends, no
// NUL, no blank lines before and no white space after it. A NUL becomes its visible picture, as no record can
// hold it; every other control character stays and is escaped on display.
func clean(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\x00", "\u2400")
	s = strings.TrimRight(norm.NFC.String(s), " \t\n")
	for {
		line, rest, more := strings.Cut(s, "\n")
		if !more || strings.TrimSpace(line) != "" {
			return s
		}
		s = rest
	}
}

// oneLine folds all white space of s to single spaces and shows every other
// control character by its picture, as lines of a record hold none.
func oneLine(s string) string {
	return strings.Map(picture, strings.Join(strings.Fields(clean(s)), " "))
}

func picture(r rune) rune {
	switch {
	case r < ' ':
		return '\u2400' + r
	case r == 0x7f:
		return '\u2421'
	case unicode.IsControl(r):
		return unicode.ReplacementChar
	}
	return r
}

// titleOf makes a title of s. When it does not hold all of s, whole is the full text, for the body.
func titleOf(s string) (title, whole string) {
	title = oneLine(s)
	if utf8.RuneCountInString(title) > titleLimit {
		cut := []rune(title)[:titleLimit-3]
		return strings.TrimRight(string(cut), " ") + "...", clean(s)
	}
	if title != strings.Join(strings.Fields(clean(s)), " ") {
		return title, clean(s)
	}
	return title, ""
}

// tags makes a set of tags; what is too long for one is listed.
func (r *run) tags(item string, words []string) []string {
	out := make([]string, 0, len(words))
	for _, w := range words {
		switch w = oneLine(w); {
		case w == "":
		case utf8.RuneCountInString(w) > tagLimit:
			r.skip(item+": tag "+w, "over %d characters", tagLimit)
		default:
			out = append(out, w)
		}
	}
	if len(out) == 0 {
		return nil
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// section is a headed part of a body, or "" when it has no text.
func section(heading, text string) string {
	if text = clean(text); text == "" {
		return ""
	}
	return "## " + heading + "\n\n" + text
}

// bodyOf joins the parts that are not blank by empty lines. A text of several
// lines ends in a line end, as hand-written ones do.
func bodyOf(parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p = clean(p); p != "" {
			kept = append(kept, p)
		}
	}
	body := strings.Join(kept, "\n\n")
	if strings.Contains(body, "\n") {
		body += "\n"
	}
	return body
}

// limited cuts s to what takes up at most limit bytes in a file, and says so at its end.
func limited(s string, limit int) (string, bool) {
	used := 0
	for i, r := range s {
		if used += weight(r); used > limit {
			return fmt.Sprintf("%s\n\n[cut by the import: the first %d of %d bytes]\n", s[:i], i, len(s)), true
		}
	}
	return s, false
}

// weight is the most bytes that YAML needs for a character in any style: an
// escape, or a line end with the indentation after it.
func weight(r rune) int {
	switch {
	case r == '\n' || r == '"' || r == '\\':
		return 3
	case r >= 0x10000:
		return 10
	case r < ' ' || r >= 0x7f && !unicode.IsPrint(r):
		return 6
	}
	return utf8.RuneLen(r)
}
