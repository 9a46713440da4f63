package markup

import (
	"strings"

	"github.com/git-ctx/git-ctx/internal/lazyregexp"
)

var (
	atxHeading = lazyregexp.New(`^ {0,3}(#{1,6})[ \t]+(.*?)([ \t]+#+)?[ \t]*$`)
	fenceLine  = lazyregexp.New("^ {0,3}(`{3,}|~{3,})(.*)$")
	setextLine = lazyregexp.New(`^ {0,3}(=+|-{2,})[ \t]*$`)
)

// HeadingOf returns level and text of a heading at line i, or level 0.
func HeadingOf(lines []string, i int) (int, string) {
	if m := atxHeading.FindStringSubmatch(lines[i]); m != nil {
		return len(m[1]), strings.TrimSpace(m[2])
	}
	text := strings.TrimSpace(lines[i])
	if text == "" || i+1 >= len(lines) || strings.ContainsAny(text[:1], "-*+>|<=`~") || (i > 0 && strings.TrimSpace(lines[i-1]) != "") {
		return 0, ""
	}
	switch m := setextLine.FindStringSubmatch(lines[i+1]); {
	case m == nil:
		return 0, ""
	case m[1][0] == '=':
		return 1, text
	}
	return 2, text
}

// A Scanner tells prose from code blocks and comments, line by line.
type Scanner struct {
	fence   string // that opened the code block we are in
	comment bool
}

// Prose reports whether the line, which follows those seen before, is neither
// code nor comment.
func (sc *Scanner) Prose(line string) bool {
	if sc.comment {
		sc.comment = !strings.Contains(line, "-->")
		return false
	}
	m := fenceLine.FindStringSubmatch(line)
	if sc.fence != "" {
		if m != nil && strings.HasPrefix(m[1], sc.fence) && strings.TrimSpace(m[2]) == "" {
			sc.fence = ""
		}
		return false
	}
	if m != nil && (m[1][0] == '~' || !strings.Contains(m[2], "`")) {
		sc.fence = m[1]
		return false
	}
	if i := strings.LastIndex(line, "<!--"); i >= 0 && !strings.Contains(line[i:], "-->") {
		sc.comment = true
		return i > 0
	}
	return !strings.HasPrefix(strings.TrimSpace(line), "<!--")
}
