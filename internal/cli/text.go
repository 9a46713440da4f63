package cli

import (
	"fmt"
	"strings"
	"unicode"
)

// visible returns s with characters that could drive a terminal, hide text or
// reorder it shown as escapes. Line ends and tabs stay.
func visible(s string) string {
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r) {
			fmt.Fprintf(&b, `\u{%x}`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// visibleLine is visible for what must stay one line: line ends and tabs are
// shown as escapes too.
func visibleLine(s string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(visible(s))
}

// errorBytes bounds a line of an error or hint, of which the end says why.
const errorBytes = 4096

// cutLine takes the middle out of a line that is too long: what was given as an
// argument may be a whole file.
func cutLine(s string) string {
	if len(s) <= errorBytes {
		return s
	}
	head, tail := s[:errorBytes*3/4], s[len(s)-errorBytes/4:]
	return strings.ToValidUTF8(head, "") + "[...]" + strings.ToValidUTF8(tail, "")
}

func hidden(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar)
}

// indent sets every line of s in by prefix.
func indent(s, prefix string) string {
	s = strings.TrimRight(s, "\n")
	if s == "" {
		return ""
	}
	return prefix + strings.ReplaceAll(s, "\n", "\n"+prefix) + "\n"
}

// plural is "1 record", "2 records".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
