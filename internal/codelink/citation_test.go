package codelink

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-ctx/git-ctx/records"
)

// digested is what LinesDigest promises, written down the plain way.
func digested(lines []byte) string {
	s := bytes.TrimSuffix(bytes.ReplaceAll(lines, []byte("\r\n"), []byte("\n")), []byte("\n"))
	sum := sha256.Sum256(append(bytes.Clone(s), '\n'))
	return hex.EncodeToString(sum[:])
}

func TestLinesHashInParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "\r", "\n", "\r\n", "bc\n", "", "\n\n"}), 0, 8).Draw(t, "parts")
		h := newLinesHash()
		for _, p := range parts {
			h.write([]byte(p))
		}
		whole := []byte(strings.Join(parts, ""))
		if got, want := h.sum(), digested(whole); got != want || LinesDigest(whole) != want {
			t.Fatalf("%q: %s, want %s", parts, got, want)
		}
	})
}

func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func TestCitedLinesAreFollowed(t *testing.T) {
	cited := numbered(40, 42)
	long := strings.Repeat("x", 200<<10) + "\n"
	for name, c := range map[string]struct{ file, lines, want string }{
		"where they were":          {numbered(1, 60), "40-42", "40-42"},
		"further down":             {"new\nnew\n" + numbered(1, 60), "40-42", "42-44"},
		"further up":               {numbered(30, 60), "40-42", "11-13"},
		"with other line ends":     {strings.ReplaceAll(numbered(30, 60), "\n", "\r\n"), "40-42", "11-13"},
		"at the end without one":   {"a\n" + strings.TrimSuffix(cited, "\n"), "40-42", "2-4"},
		"in a file that got short": {cited, "40-42", "1-3"},
		"behind long lines":        {long + cited + long, "40-42", "2-4"},
		"the nearest of two":       {cited + numbered(1, 60) + cited, "60-62", "64-66"},
		"changed":                  {strings.Replace(numbered(1, 60), "line 41", "line 041", 1), "40-42", ""},
		"joined with another line": {strings.Replace(numbered(1, 60), "line 39\n", "line 39 ", 1), "40-42", ""},
		"in an empty file":         {"", "40-42", ""},
		"far off":                  {strings.Repeat(long, 100) + cited, "1-3", ""},
		"behind much":              {strings.Repeat(long, 100) + "new\n" + cited + strings.Repeat(long, 100), "101-103", "102-104"},
	} {
		t.Run(name, func(t *testing.T) {
			at := newCitation(records.Anchor{Lines: c.lines, SHA256: digested([]byte(cited))})
			if err := findCited(strings.NewReader(c.file), []*citation{at}); err != nil {
				t.Fatal(err)
			}
			got := ""
			if at.found {
				got = at.lines()
			}
			if got != c.want {
				t.Errorf("found at '%s', want '%s'", got, c.want)
			}
		})
	}
}

// Wherever cited lines are put among others, they are found there.
func TestCitedLinesAreFoundAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "b", ""})
		lines := rapid.SliceOfN(word, 1, 12).Draw(t, "lines")
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line end")
		n := rapid.IntRange(1, len(lines)).Draw(t, "count")
		i := rapid.IntRange(0, len(lines)-n).Draw(t, "at")
		was := rapid.IntRange(1, 20).Draw(t, "was")
		text := strings.Join(lines, end)
		if lines[len(lines)-1] == "" || rapid.Bool().Draw(t, "ends") {
			text += end
		}
		c := newCitation(records.Anchor{Lines: fmt.Sprintf("%d-%d", was, was+n-1), SHA256: digested([]byte(strings.Join(lines[i:i+n], "\n") + "\n"))})
		if err := findCited(strings.NewReader(text), []*citation{c}); err != nil {
			t.Fatal(err)
		}
		all := strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
		if !c.found {
			if i+n <= len(all) {
				t.Fatalf("lines %d to %d of %q are not found", i+1, i+n, text)
			}
			return
		}
		if got := digested([]byte(strings.Join(all[c.from-1:c.from-1+n], "\n") + "\n")); got != c.digest {
			t.Fatalf("lines %s of %q are others", c.lines(), text)
		}
	})
}
