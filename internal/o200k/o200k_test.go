package o200k

import (
	"encoding/binary"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/tiktoken-go/tokenizer"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite vocabulary.bin")

func codec(tb testing.TB) tokenizer.Codec {
	c, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// table lays out the tokens of the reference tokenizer as [vocabulary] says.
func table(tb testing.TB) string {
	type token struct {
		text string
		rank uint32
	}
	in := make([][]token, buckets)
	c := codec(tb)
	for id := uint(0); id < 199998; id++ {
		text, err := c.Decode([]uint{id})
		if err != nil {
			tb.Fatal(err)
		}
		b := bucketOf(text)
		in[b] = append(in[b], token{text, uint32(id)})
	}
	var list, words []byte
	for _, ts := range in {
		list = binary.LittleEndian.AppendUint32(list, uint32(len(words)))
		for _, t := range ts {
			words = binary.LittleEndian.AppendUint32(words, t.rank<<8|uint32(len(t.text)))
			words = append(words, t.text...)
		}
	}
	return string(binary.LittleEndian.AppendUint32(list, uint32(len(words)))) + string(words)
}

// The vocabulary is the reference tokenizer's; -update takes a new one over.
func TestVocabulary(t *testing.T) {
	want := table(t)
	if *update {
		if err := os.WriteFile("vocabulary.bin", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if vocabulary != want {
		t.Error("vocabulary.bin is not the reference tokenizer's: run go test ./internal/o200k -update")
	}
}

// blankLine is a line of nothing but white space, which the reference cuts in two
// where the pattern of o200k_base makes one piece of it with the line feed before.
var blankLine = regexp.MustCompile(`[\r\n][\s\p{Z}\x0b\x{85}]*[\t\f\v\p{Z}\x{85}][\s\p{Z}\x0b\x{85}]*[\r\n]`)

// same reports a count that is not the reference tokenizer's, which passes over
// the character U+007F as if it were not there: its vocabulary has it.
func same(t rapid.TB, c tokenizer.Codec, s string) {
	t.Helper()
	s = strings.ReplaceAll(s, "\x7f", "")
	s = blankLine.ReplaceAllString(s, "\n")
	want, err := c.Count(s)
	if err != nil {
		t.Fatal(err)
	}
	if got := Count(s); got != want {
		_, words, _ := c.Encode(s)
		t.Fatalf("%d tokens in %q, want %d: %q", got, s, want, words)
	}
}

// Every character counts alone, between letters and after a space as it does by
// the reference tokenizer.
func TestEveryCharacter(t *testing.T) {
	c := codec(t)
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r >= 0x20000 && r%97 != 0 || r >= 0xD800 && r < 0xE000 {
			continue
		}
		x := string(r)
		same(t, c, "a"+x+"B"+x+x+"c "+x+"1"+x+"'"+x)
	}
}

func TestKnownTexts(t *testing.T) {
	c := codec(t)
	for _, s := range []string{
		"", "a", "Hello, world!", "HELLO World's wE'LL it'\u017f don'T I'Ve", "  two\n\n  lines \r\n\t x", "end  ", "12345678 1,234.5", "//// \n/", " \u00a0 x",
		"\u6f22\u5b57\u304b\u306a\u4ea4\u3058\u308a", "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35", "e\u0301\u0301 \u0301a\u0301A \u0301", "\u02b0A\u02b0B", "\U0001F600\U0001F468\u200d\U0001F469",
		"<|endoftext|>", strings.Repeat("a", 5000), strings.Repeat("xQz9", 300), strings.Repeat("=", 500), strings.Repeat(" ", 400) + "x",
	} {
		same(t, c, s)
	}
}

func TestCountsAsTheReferenceDoes(t *testing.T) {
	c := codec(t)
	parts := []string{
		" ", " ", "  ", "\n", "\r\n", "\t", "\u00a0", "/", ".", "- ", "'", "'s", "'LL", "`", "**", "<", "the", "Cache", "LATENCY", "camelCase", "hyp-7k2m", "https://example.com/a_b?c=d",
		"x", "Q", "7", "2026", "\u00df", "\u00c9t", "\u01c5", "\u02b0", "\u0301", "\u6f22", "\u3042", "\u0661", "\u00bd", "\U0001F600", "\u200d", "\ufeff", "\u2028", "\u0130",
	}
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOf(rapid.SampledFrom(parts)).Draw(t, "parts"), "")
		same(t, c, s)
		same(t, c, rapid.String().Draw(t, "text"))
	})
}

func FuzzCount(f *testing.F) {
	c := codec(f)
	f.Add("It's 12345 lines,\n\n  of \u6f22\u5b57\u0301 text.")
	f.Fuzz(func(t *testing.T, s string) {
		if n := Count(s); n > len(s) || n == 0 && s != "" {
			t.Fatalf("%d tokens in %q", n, s)
		}
		same(t, c, strings.ToValidUTF8(s, "\ufffd"))
	})
}

func BenchmarkCount(b *testing.B) {
	s := strings.Join(slices.Repeat([]string{"- hyp-7k2m (supported; rests on ev-8j45): The queue's depth doubles under load.\n"}, 100), "")
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		Count(s)
	}
}
