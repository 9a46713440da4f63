package text

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWidth(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, "plain": 5, "größer": 6, "大きい": 6, "🚀": 2, "e\u0301": 1, "한국어": 6,
		"\x1b[33mdec\x1b[m  x": 6, "ｆｕｌｌ": 8, "→": 1,
	} {
		if got := Width(s); got != want {
			t.Errorf("%q takes %d cells, want %d", s, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		line        string
		width, hang int
		want        []string
	}{
		{"as it is", 0, 0, []string{"as it is"}},
		{"as it is", 8, 0, []string{"as it is"}},
		{"one two three", 8, 2, []string{"one two", "  three"}},
		{"    set in deep", 12, 4, []string{"    set in", "    deep"}},
		{"aaaaaaaaaa bb", 4, 0, []string{"aaaaaaaaaa", "bb"}},
		{"大きい大きい大きい", 10, 0, []string{"大きい大き", "い大きい"}},
		{"大きい大き。い", 10, 0, []string{"大きい大", "き。い"}},
		{"go 大きい", 5, 0, []string{"go 大", "きい"}},
		{"\x1b[1mone two\x1b[m three", 8, 0, []string{"\x1b[1mone two\x1b[m", "three"}},
		{"🚀🚀🚀 up", 4, 0, []string{"🚀🚀", "🚀", "up"}},
	} {
		if got := Wrap(c.line, c.width, c.hang); !slices.Equal(got, c.want) {
			t.Errorf("%q at %d: %q, want %q", c.line, c.width, got, c.want)
		}
	}
}

// No character but a space is lost, and no line is too wide that could be broken.
func TestWrapKeepsTheWords(t *testing.T) {
	word := rapid.SampledFrom([]string{"a", "word", "longer-one", "大き", "。", "🚀", "größer", "\x1b[1mx\x1b[m", "  "})
	rapid.Check(t, func(t *rapid.T) {
		line := strings.Join(rapid.SliceOfN(word, 0, 20).Draw(t, "words"), rapid.SampledFrom([]string{" ", ""}).Draw(t, "between"))
		width, hang := rapid.IntRange(1, 40).Draw(t, "width"), rapid.IntRange(0, 8).Draw(t, "hang")
		got := Wrap(line, width, hang)
		bare := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if bare(strings.Join(got, "")) != bare(line) {
			t.Fatalf("%q became %q", line, got)
		}
		for _, l := range got {
			if words := strings.TrimLeft(l, " "); Width(l) > width && len(atoms(words)) > 1 && Width(words) > width {
				if first := atoms(words)[0]; Width(first) <= width-hang {
					t.Fatalf("%q at %d, set in by %d, has %q", line, width, hang, l)
				}
			}
		}
	})
}
