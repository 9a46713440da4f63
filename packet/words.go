package packet

import (
	"unicode"
	"unicode/utf8"
)

// maxWord is the length in bytes after which the rest of a word is ignored.
const maxWord = 64

// stopWords say nothing about a subject.
const stopWords = " a an and are as at be but by can do does for from had has have how if in into is it its no not of on or our " +
	"should so than that the their then there these they this to up use using was we were what when where which who why will with you your "

// eachWord calls f with each word of s, folded: lower case, endings that
// inflect English words removed. A Chinese or Japanese character is a word.
// The slice is only valid during the call. With begins, words whose first byte
// is not marked there are passed over. The result is the number of all words.
func eachWord(s string, begins *[256]bool, f func(word []byte)) int {
	var buf [maxWord]byte
	n, words := 0, 0
	flush := func() {
		if n > 1 {
			words++
			if begins == nil || begins[buf[0]] {
				f(stem(buf[:n]))
			}
		}
		n = 0
	}
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			i++
			switch {
			case c >= 'A' && c <= 'Z':
				c += 'a' - 'A'
			case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			default:
				if n > 0 {
					flush()
				}
				continue
			}
			if n < maxWord {
				buf[n] = c
				n++
			}
			continue
		}
		r, w := utf8.DecodeRuneInString(s[i:])
		i += w
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			flush()
			n = utf8.EncodeRune(buf[:], r)
			flush()
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if n+utf8.UTFMax <= maxWord {
				n += utf8.EncodeRune(buf[n:], unicode.ToLower(r))
			}
		default:
			flush()
		}
	}
	flush()
	return words
}

// stem removes endings so that caches, cached and caching are one word. It is
// cruder than a dictionary and the same on both sides of a match.
func stem(w []byte) []byte {
	if w[len(w)-1] >= utf8.RuneSelf {
		return w
	}
	w = stemPlural(w)
	switch {
	case len(w) > 5 && hasSuffix(w, "ing") && hasVowel(w[:len(w)-3]):
		w = undouble(w[:len(w)-3])
	case len(w) > 4 && hasSuffix(w, "ed") && hasVowel(w[:len(w)-2]):
		if w = undouble(w[:len(w)-2]); w[len(w)-1] == 'i' { // retried
			w[len(w)-1] = 'y'
		}
	}
	if len(w) > 3 && w[len(w)-1] == 'e' {
		w = w[:len(w)-1]
	}
	return w
}

func stemPlural(w []byte) []byte {
	switch {
	case len(w) < 4 || !hasSuffix(w, "s") || hasSuffix(w, "ss") || hasSuffix(w, "us") || hasSuffix(w, "is"):
	case hasSuffix(w, "ies"):
		w = w[:len(w)-2]
		w[len(w)-1] = 'y'
	case hasSuffix(w, "xes") || hasSuffix(w, "ches") || hasSuffix(w, "shes") || hasSuffix(w, "sses"):
		w = w[:len(w)-2]
	default:
		w = w[:len(w)-1]
	}
	return w
}

func undouble(w []byte) []byte {
	if n := len(w); n > 3 && w[n-1] == w[n-2] && w[n-1] != 'l' && w[n-1] != 's' {
		return w[:n-1]
	}
	return w
}

func hasSuffix(w []byte, suffix string) bool {
	return len(w) >= len(suffix) && string(w[len(w)-len(suffix):]) == suffix
}

func hasVowel(w []byte) bool {
	for _, c := range w {
		switch c {
		case 'a', 'e', 'i', 'o', 'u', 'y':
			return true
		}
	}
	return false
}
