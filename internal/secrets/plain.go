package secrets

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// plain returns the text without characters that are not seen, and with letters and
// digits of other widths and fonts as ASCII: a token that was split or dressed up so is
// as good as before. at maps each byte of it, and its end, to the text's; nil where the
// text is plain already.
func plain(text string) (out string, at []int) {
	if isASCII(text) {
		return text, nil
	}
	var b strings.Builder
	changed := false
	for i, r := range text {
		s := text[i : i+utf8.RuneLen(r)]
		if r == utf8.RuneError {
			s = text[i : i+1]
		}
		switch {
		case r < utf8.RuneSelf:
		case unseen(r):
			s, changed = "", true
		default:
			if k := norm.NFKC.String(s); isASCII(k) {
				s, changed = k, true
			}
		}
		for range len(s) {
			at = append(at, i)
		}
		b.WriteString(s)
	}
	if !changed {
		return text, nil
	}
	return b.String(), append(at, len(text))
}

// unseen reports whether a character takes no room and joins what stands around it.
func unseen(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector) || r == '\u034f' || r == '\u115f' || r == '\u1160' || r == '\u3164' || r == '\uffa0'
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
