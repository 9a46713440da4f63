package packet

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-ctx/git-ctx/internal/text"
)

// oneLine folds every run of white space to one space, so that the result
// stands on one line, and cuts it at a word's end to at most limit characters.
func oneLine(s string, limit int) string {
	s, more := prefix(s, 4*limit)
	s = strings.Join(strings.Fields(text.Visible(s)), " ")
	if !more && utf8.RuneCountInString(s) <= limit {
		return s
	}
	s, _ = prefix(s, limit-3)
	if i := strings.LastIndexByte(s, ' '); i > len(s)/2 {
		s = s[:i]
	} else {
		s = wholeEscapes(s)
	}
	return s + "..."
}

// prefix returns the first n characters of s and whether there are more.
func prefix(s string, n int) (string, bool) {
	if len(s) <= n {
		return s, false
	}
	for i := range s {
		if n == 0 {
			return s[:i], true
		}
		n--
	}
	return s, false
}

// wholeEscapes drops an escape of [text.Visible] that a cut left without its end.
func wholeEscapes(s string) string {
	if i := strings.LastIndex(s, `\u{`); i >= 0 && !strings.Contains(s[i:], "}") {
		return s[:i]
	}
	return s
}

// paragraphs makes s visible, drops blank lines and trailing space, and cuts
// it at the end of a sentence to at most limit characters. It reports whether
// anything was cut.
func paragraphs(s string, limit int) (string, bool) {
	s, more := prefix(strings.TrimSpace(s), 4*limit)
	var lines []string
	for line := range strings.SplitSeq(text.Visible(s), "\n") {
		if line = strings.TrimRightFunc(line, unicode.IsSpace); line != "" {
			lines = append(lines, line)
		}
	}
	s = strings.Join(lines, "\n")
	if !more && utf8.RuneCountInString(s) <= limit {
		return s, false
	}
	s, _ = prefix(s, limit)
	return strings.TrimRightFunc(s[:sentenceEnd(s)], unicode.IsSpace), true
}

// sentenceEnd returns where to cut s: after its last whole sentence or line,
// or else, where that would leave less than a third, after its last word.
func sentenceEnd(s string) int {
	end := 0
	rest := s
	for i, r := range s {
		next := i + utf8.RuneLen(r)
		switch r {
		case '\n':
			end = i
		case '.', '!', '?':
			if rest = s[next:]; rest == "" || rest[0] == ' ' || rest[0] == '\n' {
				end = next
			}
		case '\u3002', '\uff01', '\uff1f': // the same marks in Chinese and Japanese
			end = next
		}
	}
	if end >= len(s)/3 && end > 0 {
		return end
	}
	if i := strings.LastIndexAny(s, " \n\t"); i >= len(s)/3 {
		return i
	}
	return len(wholeEscapes(s))
}

// inline returns one line of [text.Visible] text as Markdown that cannot open or
// close anything beyond its own line.
func inline(s string) string {
	s = defuseTags(s)
	if strings.Contains(s, "```") || !spansClose(s) {
		s = backslashed(s, "`")
	}
	s = backslashed(s, "![") // an image would be fetched where the text is rendered
	return strings.ReplaceAll(s, "~~~", `\~~~`)
}

// spansClose reports whether every run of backticks that could open a code span
// meets another of its length.
func spansClose(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++ // what follows stands for itself
		case '`':
			n := runLength(s[i:])
			for i += n; ; {
				next := strings.IndexByte(s[i:], '`')
				if next < 0 {
					return false
				}
				i += next
				length := runLength(s[i:])
				i += length
				if length == n {
					break
				}
			}
			i--
		}
	}
	return true
}

// runLength is the number of backticks that s begins with.
func runLength(s string) int { return len(s) - len(strings.TrimLeft(s, "`")) }

// backslashed puts a backslash before each mark that has none yet: a second one
// would take the first one's effect away.
func backslashed(s, mark string) string {
	if !strings.Contains(s, mark) {
		return s
	}
	var b strings.Builder
	escaped := false
	for i := range len(s) {
		if !escaped && strings.HasPrefix(s[i:], mark) {
			b.WriteByte('\\')
		}
		escaped = s[i] == '\\' && !escaped
		b.WriteByte(s[i])
	}
	return b.String()
}

// defuseTags spells out each < that could begin an HTML or XML tag.
func defuseTags(s string) string {
	if !strings.Contains(s, "<") {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if s[i] == '<' && i+1 < len(s) && opensTag(s[i+1:]) {
			b.WriteString("&lt;")
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func opensTag(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return r == '/' || r == '!' || r == '?' || r == '|' || unicode.IsLetter(r)
}

// quote returns [paragraphs] text as the lines of a block quote that belongs
// to a list item: none of them can be read as a heading, a fence or a rule.
func quote(s string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(s, "\n") {
		b.WriteString("  > ")
		for at := 0; at < len(line); {
			at += len(line[at:]) - len(strings.TrimLeft(line[at:], " \t>"))
			if structural(line[at:]) {
				line = line[:at] + `\` + line[at:]
				break
			}
			n := listMarker(line[at:])
			if n == 0 {
				break
			}
			at += n
		}
		b.WriteString(inline(line))
		b.WriteByte('\n')
	}
	return b.String()
}

// structural reports whether a line, its indentation removed, would be more
// than text inside a quote.
func structural(s string) bool {
	return strings.HasPrefix(s, "#") ||
		s != "" && (strings.Trim(s, "= \t") == "" || strings.Trim(s, "- \t") == "") ||
		len(s) >= 2 && strings.Trim(s, "_* \t") == ""
}

// listMarker is the length of the list marker that s begins with, 0 for none.
func listMarker(s string) int {
	n := len(s) - len(strings.TrimLeft(s, "0123456789"))
	switch {
	case n == len(s) || n > 9:
		return 0
	case n == 0 && !strings.ContainsRune("-+*", rune(s[0])), n > 0 && s[n] != '.' && s[n] != ')':
		return 0
	case len(s) > n+1 && s[n+1] != ' ' && s[n+1] != '\t':
		return 0
	}
	return n + 1
}

// plainName returns a name such as an actor with everything but ASCII letters,
// digits and -._/@ replaced, for use among the packet's own words.
func plainName(s string) string {
	s, more := prefix(s, 40)
	s = strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-._/@", r)) {
			return r
		}
		return '?'
	}, s)
	if more {
		s += "..."
	}
	return s
}
