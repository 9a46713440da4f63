package packet

import (
	"fmt"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"
)

// A size is the length of a text in both measures that are limited.
type size struct {
	tokens, chars int
}

func (a size) plus(b size) size { return size{a.tokens + b.tokens, a.chars + b.chars} }

func (a size) within(limit size) bool { return a.tokens <= limit.tokens && a.chars <= limit.chars }

// A meter measures texts. The size of two texts together is the sum of their
// sizes where the first ends with a line feed and the second begins with
// neither a line feed nor a slash: o200k_base never joins characters across
// such a line end. All pieces of a packet are cut there.
type meter struct {
	codec tokenizer.Codec
}

func newMeter() (*meter, error) {
	c, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return nil, fmt.Errorf("load tokenizer %s: %w", tokenizer.O200kBase, err)
	}
	return &meter{codec: c}, nil
}

// Warm loads the tokenizer's vocabulary, which takes a while, so that a [Build]
// that comes later need not wait for it. It may run beside anything.
func Warm() { _, _ = newMeter() }

func (m *meter) name() string { return m.codec.GetName() }

func (m *meter) measure(s string) (size, error) {
	n, err := m.codec.Count(s)
	if err != nil {
		return size{}, fmt.Errorf("count tokens with %s: %w", m.name(), err)
	}
	return size{tokens: n, chars: countChars(s)}, nil
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
