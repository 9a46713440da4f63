package o200k

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// pieceOf returns the length of the first piece of a text, which is not empty.
// The encoding cuts texts by this expression, whose alternatives are tried in turn:
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n/]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
func pieceOf(s string) int {
	first, size := classOf(s)
	before := 0 // of the character that a word may have before it
	if first&(letter|digit|lineEnd) == 0 {
		before = size
	}
	for _, word := range []func(string) int{lowerWord, upperWord} {
		if n := word(s[before:]); n > 0 {
			return before + n + contraction(s[before+n:])
		}
		if before > 0 && first&mark != 0 { // which can begin the word itself
			if n := word(s); n > 0 {
				return n + contraction(s[n:])
			}
		}
	}
	if first&digit != 0 {
		return run(s, 3, func(c class) bool { return c&digit != 0 })
	}
	if n := symbols(s); n > 0 {
		return n
	}
	return spaces(s)
}

// lowerWord is the first alternative's word: capitals, then at least one
// character that is none. Where nothing but capitals follows a character that
// may be either, it ends with that one.
func lowerWord(s string) int {
	n, either := 0, 0 // the run of capitals, and where its last that may be either ends
	for n < len(s) {
		c, size := classOf(s[n:])
		if c&(upper|both|mark) == 0 {
			break
		}
		n += size
		if c&upper == 0 {
			either = n
		}
	}
	if low := run(s[n:], len(s), isLower); low > 0 {
		return n + low
	}
	return either
}

// upperWord is the second alternative's word, where the first has failed: then
// no character that is not a capital follows.
func upperWord(s string) int {
	return run(s, len(s), func(c class) bool { return c&(upper|both|mark) != 0 })
}

func isLower(c class) bool { return c&(lower|both|mark) != 0 }

// contraction is the length of an English one that s begins with, or 0.
func contraction(s string) int {
	for _, c := range [...]string{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"} {
		if len(s) >= len(c) && strings.EqualFold(s[:len(c)], c) {
			return len(c)
		}
	}
	return 0
}

// symbols is the run of what is not a letter, digit or space, after a space or
// not, with the line ends and slashes behind it.
func symbols(s string) int {
	at := 0
	if s[0] == ' ' {
		at = 1
	}
	n := run(s[at:], len(s), func(c class) bool { return c&(letter|digit|space) == 0 })
	if n == 0 {
		return 0
	}
	n += at
	for n < len(s) && (s[n] == '\r' || s[n] == '\n' || s[n] == '/') {
		n++
	}
	return n
}

// spaces is the run of spaces up to its last line end; where there is none, all
// of it at the end of the text and all but the last space before other text.
func spaces(s string) int {
	n, line, last := 0, 0, 0
	for n < len(s) {
		c, size := classOf(s[n:])
		if c&space == 0 {
			break
		}
		last = size
		n += size
		if c&lineEnd != 0 {
			line = n
		}
	}
	switch {
	case line > 0:
		return line
	case n < len(s) && n > last:
		return n - last
	}
	return n
}

// run is the length of the first characters, at most limit, whose class is wanted.
func run(s string, limit int, wanted func(class) bool) int {
	n := 0
	for ; limit > 0 && n < len(s); limit-- {
		c, size := classOf(s[n:])
		if !wanted(c) {
			break
		}
		n += size
	}
	return n
}

// A class says what a character is to the expression, as a set.
type class uint8

const (
	upper class = 1 << iota // Lu, Lt
	lower                   // Ll
	both                    // Lm, Lo
	mark                    // M
	digit                   // N
	space
	lineEnd

	letter = upper | lower | both
)

// classOf returns the class of the first character of s and its length.
func classOf(s string) (class, int) {
	if c := s[0]; c < utf8.RuneSelf {
		switch {
		case 'a' <= c && c <= 'z':
			return lower, 1
		case 'A' <= c && c <= 'Z':
			return upper, 1
		case '0' <= c && c <= '9':
			return digit, 1
		case c == '\n' || c == '\r':
			return space | lineEnd, 1
		case c == ' ' || '\t' <= c && c <= '\r':
			return space, 1
		}
		return 0, 1
	}
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case unicode.Is(unicode.Ll, r):
		return lower, size
	case unicode.In(r, unicode.Lm, unicode.Lo):
		return both, size
	case unicode.In(r, unicode.Lu, unicode.Lt):
		return upper, size
	case unicode.Is(unicode.M, r):
		return mark, size
	case unicode.Is(unicode.N, r):
		return digit, size
	case unicode.IsSpace(r):
		return space, size
	}
	return 0, size
}
