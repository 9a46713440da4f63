package importer

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// TitleLimit keeps imported titles readable in lists; the format would bear more.
	TitleLimit = 200
	// BodyLimit bounds what a body takes up in a record's 256 KiB, quoted; the
	// rest is for everything that is not body.
	BodyLimit = 192 << 10
	// tagLimit is what the format allows a tag.
	tagLimit = 100
)

// Clean gives text the form that records keep: Unicode form C, LF line ends, no
// NUL, no blank lines before and no white space after it. A NUL becomes its visible picture, as no record can
// hold it; every other control character stays and is escaped on display.
func Clean(s string) string {
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

// OneLine folds all white space of s to single spaces and shows every other
// control character by its picture, as lines of a record hold none.
func OneLine(s string) string {
	return strings.Map(picture, strings.Join(strings.Fields(Clean(s)), " "))
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

// TitleOf makes a title of s. When it does not hold all of s, whole is the full text, for the body.
func TitleOf(s string) (title, whole string) {
	title = OneLine(s)
	if utf8.RuneCountInString(title) > TitleLimit {
		cut := []rune(title)[:TitleLimit-3]
		return strings.TrimRight(string(cut), " ") + "...", Clean(s)
	}
	if title != strings.Join(strings.Fields(Clean(s)), " ") {
		return title, Clean(s)
	}
	return title, ""
}

// Tags makes a set of tags; what is too long for one is listed.
func (r *Batch) Tags(item string, words []string) []string {
	out := make([]string, 0, len(words))
	for _, w := range words {
		switch w = OneLine(w); {
		case w == "":
		case utf8.RuneCountInString(w) > tagLimit:
			r.Skip(item+": tag "+w, "over %d characters", tagLimit)
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

// Section is a headed part of a body, or "" when it has no text.
func Section(heading, text string) string {
	if text = Clean(text); text == "" {
		return ""
	}
	return "## " + heading + "\n\n" + text
}

// BodyOf joins the parts that are not blank by empty lines. A text of several
// lines ends in a line end, as hand-written ones do.
func BodyOf(parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p = Clean(p); p != "" {
			kept = append(kept, p)
		}
	}
	body := strings.Join(kept, "\n\n")
	if strings.Contains(body, "\n") {
		body += "\n"
	}
	return body
}

// Limited cuts s to what takes up at most limit bytes in a file, and says so at its end.
func Limited(s string, limit int) (string, bool) {
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

// Sentences cuts at full stops, exclamation and question marks before white space.
func Sentences(s string) []string {
	s = OneLine(s)
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

// Fit cuts a body that no record could hold and says so.
func (r *Batch) Fit(item, body string) string {
	body, cut := Limited(body, BodyLimit)
	if cut {
		r.Skip(item+": body", "over %d KiB in a file: cut", BodyLimit>>10)
	}
	return body
}

// InvalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func InvalidUTF8(b []byte) int {
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
	return -1
}

// Short is a text for a message: its first characters on one line.
func Short(s string) string { return CutLine(OneLine(s), 60) }

// CutLine cuts a line to that many characters, at a word where there is one.
func CutLine(s string, limit int) string {
	runes := []rune(s)
	if len(runes) <= limit {
		return s
	}
	cut := string(runes[:limit-3])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;.") + "..."
}

// Reason is an error without the name of the file, which is said beside it.
func Reason(err error) string {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}
