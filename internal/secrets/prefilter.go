package secrets

import (
	"iter"
	"math/bits"
	"strings"
)

// A keyword leads to a rule.
type keyword struct {
	word string
	rule int
}

// heads is the number of pairs of characters that keywords are found by.
const heads = 1 << 14

// A matcher finds keywords in one pass over a text.
type matcher struct {
	first [heads]int16 // index of the first keyword that starts with a pair, plus one
	next  []int16      // of the next one with the same
	words []keyword
}

func newMatcher(words []keyword) *matcher {
	m := &matcher{words: words, next: make([]int16, len(words))}
	for i, k := range words {
		h := &m.first[pair(k.word[0], k.word[1])]
		m.next[i], *h = *h, int16(i+1)
	}
	return m
}

// pair numbers two characters; every keyword has as many.
func pair(a, b byte) int { return int(a&0x7f)<<7 | int(b&0x7f) }

// A ruleSet is a set of rules.
type ruleSet [(ruleCount + 63) / 64]uint64

func (s *ruleSet) add(i int) { s[i/64] |= 1 << (i % 64) }

func (s *ruleSet) empty() bool { return *s == ruleSet{} }

// all yields the rules in order.
func (s *ruleSet) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for w, word := range s {
			for ; word != 0; word &= word - 1 {
				if !yield(w*64 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// kelvin is the one other character whose small letter a keyword can hold.
const kelvin = "\u212a"

// rules returns the rules of which the text holds a keyword, in any case.
func (m *matcher) rules(text string) (set ruleSet) {
	if strings.Contains(text, kelvin) {
		text = strings.ToLower(text)
	}
	for i := range len(text) - 1 {
		for k := m.first[pair(small(text[i]), small(text[i+1]))]; k != 0; k = m.next[k-1] {
			if w := &m.words[k-1]; startsWith(text[i:], w.word) {
				set.add(w.rule)
			}
		}
	}
	return set
}

func small(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// startsWith reports whether the text starts with a word of small letters, in any case.
func startsWith(text, word string) bool {
	if len(text) < len(word) {
		return false
	}
	for i := range len(word) {
		if small(text[i]) != word[i] {
			return false
		}
	}
	return true
}

// Word reports whether a character is one that keys and tokens are made of.
func Word(c rune) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// Token reports whether a character is a [Word]'s, or one that joins or encodes them.
func Token(c rune) bool {
	return Word(c) || strings.ContainsRune("+/=.~%", c)
}

// longestRuns returns the lengths of the longest sequences of characters of words and of tokens.
// Characters beyond ASCII, some of which fold to letters, count as of both.
func longestRuns(text string) (word, token int) {
	w, t := 0, 0
	for i := range len(text) {
		c := rune(text[i])
		switch {
		case c >= 0x80 || Word(c):
			w++
			t++
		case Token(c):
			w = 0
			t++
		default:
			w, t = 0, 0
		}
		word, token = max(word, w), max(token, t)
	}
	return word, token
}

// genericRule finds anything random that is assigned to a name like "token". Half
// of all prose holds a keyword of it, and its expression is the dearest of all.
const genericRule = "generic-api-key"

// assigns reports whether the text can hold what genericRule finds, without its
// expression: a keyword, soon after it one of '=', '>', ':', '|' and ',', and behind
// up to five quotes, spaces and equal signs a value that ends as the expression asks.
func assigns(text string, keywords []string) bool {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '=', '>', ':', '|', ',':
			if valueAfter(text[i+1:]) && namedBefore(text[:i], keywords) {
				return true
			}
		}
	}
	return false
}

// longestName bounds the bytes from the start of a keyword to the sign behind it:
// ten of a keyword, 23 of what may stand between, and the rest of a longer sign.
const longestName = 40

// namedBefore reports whether a text ends in one of the keywords, and
// what may stand between one and a sign. Beyond ASCII letters may fold.
func namedBefore(text string, keywords []string) bool {
	text = text[max(0, len(text)-longestName):]
	for i := range len(text) {
		if text[i] >= 0x80 {
			return true
		}
	}
	return holdsWord(strings.ToLower(text), keywords)
}

const mostFiller = 5

// valueAfter reports whether a value starts within the filler that the text starts with.
func valueAfter(text string) bool {
	for skip := 0; skip <= mostFiller && skip < len(text); skip++ {
		if value(text[skip:]) {
			return true
		}
		switch text[skip] {
		case '`', '\'', '"', '=', ' ', '\t', '\n', '\f', '\r':
		default:
			return false
		}
	}
	return false
}

const (
	shortestWord    = 10 // of letters, digits, '_', '.', '=' and '-'
	shortestEncoded = 12 // of letters, digits, '+' and '/', which may end in '='
)

// value reports whether the text starts with a value of either form, and its end.
// One of letters, '_', '.' and '-' alone is allowed by the rule's own list.
func value(text string) bool {
	n, mixed := 0, false
	for ; n < len(text) && (Word(rune(text[n])) || text[n] == '.' || text[n] == '=' || text[n] >= 0x80); n++ {
		c := text[n]
		mixed = mixed || '0' <= c && c <= '9' || c == '=' || c >= 0x80
	}
	if n >= shortestWord && mixed && ends(text[n:]) {
		return true
	}
	n = 0
	for ; n < len(text) && encoded(text[n]); n++ {
	}
	if n < shortestEncoded || text[0] == '+' || text[0] == '/' {
		return false
	}
	return ends(strings.TrimLeft(text[n:], "="))
}

func encoded(c byte) bool {
	return Word(rune(c)) && c != '_' && c != '-' || c == '+' || c == '/' || c >= 0x80
}

// ends reports whether a value may end before the text.
func ends(text string) bool {
	if text == "" {
		return true
	}
	switch text[0] {
	case '`', '\'', '"', ';', ' ', '\t', '\n', '\f', '\r', '\\':
		return true
	}
	return false
}
