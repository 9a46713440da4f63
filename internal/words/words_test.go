package words

import (
	"slices"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// folded returns the words of s, a part in brackets.
func folded(s string) []string {
	var ws []string
	Each(s, func(w Word) {
		t := string(w.Folded)
		if w.Part {
			t = "(" + t + ")"
		}
		ws = append(ws, t)
	})
	return ws
}

func TestCompoundsAreSplit(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want []string
	}{
		{"", nil},
		{"a b-c", nil},
		{"The lru_cache of cache.go", []string{"the", "lru", "cache", "of", "cache", "go"}},
		{"lruCache", []string{"lrucache", "(lru)", "(cache)"}},
		{"SQLView2Row", []string{"sqlview2row", "(sql)", "(view2)", "(row)"}},
		{"FindBeadsDir()", []string{"findbeadsdir", "(find)", "(beads)", "(dir)"}},
		{"HTTP p99 sha256", []string{"http", "p99", "sha256"}},
		{"\u00c4ra\u017eas caf\u00e9 cafe\u0301", []string{"arazas", "cafe", "cafe"}},
		{"x\u6f22\u5b57y abc\u6f22", []string{"\u6f22", "\u5b57", "abc", "\u6f22"}},
		{"\u201cquoted\u201d\u2014words", []string{"quoted", "words"}},
	} {
		if got := folded(tt.in); !slices.Equal(got, tt.want) {
			t.Errorf("words of %q: %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestOneWordHasOneStem(t *testing.T) {
	for _, ws := range [][]string{
		{"cache", "caches", "cached", "caching"}, {"retry", "retries", "retried"}, {"run", "running", "runs"}, {"abbreviate", "abbreviating", "abbreviation"},
		{"valid", "validity"}, {"conclude", "concluded"}, {"generate", "generating", "generation"},
	} {
		for _, w := range ws[1:] {
			if Stem(w) != Stem(ws[0]) {
				t.Errorf("%s is %s, %s is %s", ws[0], Stem(ws[0]), w, Stem(w))
			}
		}
	}
	if Stem("cache") == Stem("case") {
		t.Error("control: two words have one stem")
	}
	if got := Stem("\u6f22"); got != "\u6f22" {
		t.Errorf("a word of another script becomes %q", got)
	}
}

func TestWordsStandInTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		at := 0
		Each(s, func(w Word) {
			if w.From < 0 || w.To > len(s) || w.From >= w.To || len(w.Folded) == 0 || len(w.Folded) > maxWord || !utf8.Valid(w.Folded) {
				t.Fatalf("word %q at %d to %d of %q", w.Folded, w.From, w.To, s)
			}
			if !w.Part && w.From < at {
				t.Fatalf("word at %d after one that ends at %d", w.From, at)
			}
			if !w.Part {
				at = w.To
			}
			if again := folded(string(w.Folded)); len(again) != 1 || again[0] != string(w.Folded) {
				t.Fatalf("%q folds to %q", w.Folded, again)
			}
			Stem(string(w.Folded))
		})
	})
}
