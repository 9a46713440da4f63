package records

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Normalize folds case, white space, punctuation and Unicode form, so that two
// texts which a reader would call the same compare equal. Signs that carry
// meaning of their own (+ < > = # % and other symbols) stay. It is idempotent;
// text without any letter, digit or symbol gives "".
func Normalize(s string) string {
	s = norm.NFKC.String(strings.ToLower(norm.NFKC.String(s)))
	var b strings.Builder
	b.Grow(len(s))
	space := false
	for _, r := range s {
		switch {
		case r == '\'' || r == '\u2019': // don't is dont
			continue
		case !significant(r):
			space = b.Len() > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return norm.NFKC.String(b.String())
}

func significant(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z' || '0' <= r && r <= '9': // most of them: the tables are slow
		return true
	case r == ' ':
		return false
	case r == '#' || r == '%':
		return true // C# is not C, 50% is not 50
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.Sm, unicode.Sc, unicode.So)
}
