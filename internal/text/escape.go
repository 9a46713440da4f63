// Package text is what every exit for people and models shares: the one list of
// characters that are shown as escapes, and how much room text takes. It is pure.
package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Visible returns s with every character that a reader cannot see, that moves the
// others or that could drive a terminal spelled out as \u{hex}. Line feeds and tabs
// stay, and a carriage return before a line feed is dropped.
func Visible(s string) string {
	clean := true
	for i := 0; i < len(s) && clean; i++ {
		clean = s[i] >= ' ' && s[i] < 0x7f || s[i] == '\n' || s[i] == '\t'
	}
	if clean {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	prev := rune(0)
	for i, r := range s {
		if hidden(r, prev) || r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD") {
			fmt.Fprintf(&b, `\u{%x}`, r)
			prev = 0
			continue
		}
		b.WriteRune(r)
		prev = r
	}
	return b.String()
}

// VisibleLine is [Visible] for what must stay one line: line ends and tabs are
// shown as escapes too.
func VisibleLine(s string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(Visible(s))
}

// hidden reports whether r, after prev, shows nothing of its own or steers the
// terminal or the order of the text.
func hidden(r, prev rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r == 0xFE0F: // asks for the coloured form of the symbol before it
		return !unicode.Is(unicode.So, prev)
	case r == 0x2800: // blank Braille pattern
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs,
		unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// JSON returns encoded JSON that says the same, with what [Visible] would spell out
// in its strings as JSON's own escapes. The value stays what it was for a program.
func JSON(b []byte) []byte {
	s := string(b)
	if Visible(s) == s {
		return b
	}
	var out strings.Builder
	prev := rune(0)
	for _, r := range s {
		if hidden(r, prev) && r != '\r' {
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&out, `\u%04x`, unit)
			}
		} else {
			out.WriteRune(r)
		}
		prev = r
	}
	return []byte(out.String())
}
