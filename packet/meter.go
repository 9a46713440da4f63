package packet

import (
	"unicode/utf8"

	"github.com/git-ctx/git-ctx/internal/o200k"
)

// A size is the length of a text in both measures that are limited.
type size struct {
	tokens, chars int
}

func (a size) plus(b size) size { return size{a.tokens + b.tokens, a.chars + b.chars} }

func (a size) within(limit size) bool { return a.tokens <= limit.tokens && a.chars <= limit.chars }

// measure measures a text. The size of two texts together is the sum of their
// sizes where the first ends with a line feed and the second begins with
// neither a line feed nor a slash: o200k_base never joins characters across
// such a line end. All pieces of a packet are cut there.
func measure(s string) size { return size{tokens: o200k.Count(s), chars: countChars(s)} }

// Measure returns the length of a text as budgets count it, in tokens and in
// UTF-16 code units.
func Measure(text string) (tokens, chars int) {
	n := measure(text)
	return n.tokens, n.chars
}

// countChars counts UTF-16 code units, as the hosts do that cut a packet; for
// most text that is the number of characters.
func countChars(s string) int {
	n := utf8.RuneCountInString(s)
	for i := range len(s) {
		if s[i] >= 0xF0 { // begins a character beyond the basic plane
			n++
		}
	}
	return n
}
