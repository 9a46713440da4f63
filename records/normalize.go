package records

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Normalize folds case, white space, punctuation and Unicode form, and leaves out
// what nobody sees, so that two texts which a reader would call the same compare
// equal. Signs that carry meaning of their own (+ < > = # % and other symbols) stay,
// and so do those that change what follows: != -5 !word @word *word. It is
// idempotent; text without any letter, digit or symbol gives "".
func Normalize(s string) string {
	rs := []rune(norm.NFKC.String(strings.Map(visible, strings.ToLower(norm.NFKC.String(s)))))
	var b strings.Builder
	b.Grow(len(s))
	gap, glued := false, false // what comes next stands apart; it belongs to the sign before it
	for i, r := range rs {
		switch {
		case significant(r):
		case !isSign(rs, i):
			gap = b.Len() > 0
			continue
		}
		if gap && !glued {
			b.WriteByte(' ')
		}
		gap, glued = false, !significant(r)
		b.WriteRune(r)
	}
	return norm.NFKC.String(b.String())
}

// visible drops the characters that are shown as nothing or as a blank glyph, and
// apostrophes; a dash that can be a minus becomes '-'.
func visible(r rune) rune {
	switch {
	case r == '\'' || r == '\u2019': // don't is dont
		return -1
	case r < unicode.MaxLatin1 && r != '\u00ad':
		return r
	case unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector), r == '\u2800':
		return -1
	case r == '\u2212' || r == '\u2010' || r == '\u2013':
		return '-'
	}
	return r
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

func wordly(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.N) }

// isSign reports whether the punctuation at i changes the meaning of what follows it:
// part of an operator, or a sign before a word or a number.
func isSign(rs []rune, i int) bool {
	if r := rs[i]; r != '-' && r != '!' && r != '@' && r != '*' {
		return false
	}
	next := i + 1
	for next < len(rs) && (strings.ContainsRune("!@*", rs[next]) || strings.ContainsRune("([{./", rs[next])) {
		next++
	}
	switch {
	case next == len(rs) || !significant(rs[next]):
		return false
	case next == i+1 && unicode.Is(unicode.Sm, rs[next]):
		return true // != and ->
	case i > 0 && wordly(rs[i-1]):
		return false // within a word, or the end of one
	case rs[i] == '-':
		return !unicode.In(rs[next], unicode.L, unicode.M)
	}
	return rs[i] != '*' || !closed(rs, i)
}

// closed reports whether the star at i opens emphasis: another one ends a word later.
func closed(rs []rune, i int) bool {
	for j := i + 2; j < len(rs); j++ {
		if rs[j] == '*' && rs[j-1] != '*' && !unicode.IsSpace(rs[j-1]) && (j+1 == len(rs) || !wordly(rs[j+1])) {
			return true
		}
	}
	return false
}
