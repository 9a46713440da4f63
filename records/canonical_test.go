package records

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// typical is a record like most: twenty lines, judged, linked, with a short body.
const typical = `id: dec-4k2p9x0000
kind: decision
title: Use a write-through cache for session lookups
body: |
  Reads outnumber writes forty to one, and a cold cache costs two seconds.
  Write-through keeps the cache warm across deploys.
question: How are sessions cached?
verdict:
  state: accepted
  of: 5b1e7a0c93d2
  reason: p99 fell from 900 ms to 80 ms in the canary
  by: Ada Example
  actor: human
  at: 2026-11-30T10:12:31Z
  n: 8f3k2m
links:
  rests-on:
    - ev-9f2c4d7a1b
created:
  actor: agent/claude-code
  at: 2026-11-30T09:00:00Z
`

// agree fails unless the strict reader takes what the canonical one took, to an
// equal record whose encoding is the file. It reports whether that was taken.
func agree(t interface {
	Helper()
	Fatalf(string, ...any)
}, data []byte) bool {
	t.Helper()
	fast, ok := parseCanonical("", data)
	if !ok {
		return false
	}
	strict, err := parseYAML("", data)
	if err != nil {
		t.Fatalf("the strict reader refuses what the canonical one takes: %v\n%q", err, data)
	}
	if !reflect.DeepEqual(fast, strict) {
		t.Fatalf("the canonical reader gives\n%#v\nnot\n%#v\nof\n%q", fast, strict, data)
	}
	if !bytes.Equal(strict.encode(), data) {
		t.Fatalf("the canonical reader takes what is not canonical:\n%q", data)
	}
	return true
}

func TestCanonicalReaderTakesEveryRecord(t *testing.T) {
	for _, s := range []string{whole, small, typical} {
		if !agree(t, []byte(s)) {
			t.Errorf("not taken:\n%s", s)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		data := anyRecord(t).encode()
		if !agree(t, data) {
			t.Fatalf("not taken:\n%s", data)
		}
	})
}

// TestCanonicalReaderLeavesTheRest has files that YAML reads as records, in
// spellings that are not canonical, and some that nobody reads.
func TestCanonicalReaderLeavesTheRest(t *testing.T) {
	for name, c := range map[string]struct {
		old, new string
		strict   bool // whether the strict reader takes it
	}{
		"CRLF":               {"\n", "\r\n", true},
		"document start":     {"id: dec", "---\nid: dec", true},
		"flow style":         {"\n    - ev-9f2c4d7a1b", " [ev-9f2c4d7a1b]", true},
		"needless quotes":    {"by: Ada Example", `by: "Ada Example"`, true},
		"single quotes":      {"by: Ada Example", `by: 'Ada Example'`, true},
		"needless escape":    {"by: Ada Example", `by: "Ada\u0020Example"`, true},
		"space after value":  {"human\n", "human \n", true},
		"two spaces":         {"by: Ada", "by:  Ada", true},
		"other indentation":  {"    - ev", "      - ev", true},
		"folded text":        {"body: |", "body: >", true},
		"kept newlines":      {"body: |", "body: |+", true},
		"blank line":         {"title:", "\ntitle:", true},
		"keys out of order":  {"  by: Ada Example\n  actor: human\n", "  actor: human\n  by: Ada Example\n", true},
		"bare date":          {"09:00:00Z", "00:00:00+00:00", true},
		"no last newline":    {"09:00:00Z\n", "09:00:00Z", true},
		"comment":            {"kind: decision", "kind: decision # really", false},
		"tag":                {"Ada Example", "!!str Ada Example", false},
		"anchor":             {"Ada Example", "&a Ada Example", false},
		"duplicate key":      {"  n: 8f3k2m", "  n: 8f3k2m\n  n: 8f3k2m", false},
		"duplicate relation": {"created:", "  rests-on:\n    - ev-9f2c4d7a1b\ncreated:", false},
		"duplicate extra":    {"09:00:00Z\n", "09:00:00Z\nx-a: b\nx-a: b\n", false},
		"duplicate conflict": {"links:", "conflicts:\n  - field: x-a\n    sides:\n      - a\n    sides:\n      - a\nlinks:", false},
		"duplicate in extra": {"09:00:00Z\n", "09:00:00Z\nx-a:\n  b: c\n  b: c\n", false},
		"NUL in extra":       {"09:00:00Z\n", "09:00:00Z\nx-a: \"\\0\"\n", false},
		"long key in extra":  {"09:00:00Z\n", "09:00:00Z\nx-a:\n  \"" + strings.Repeat(`\u0001`, 200) + "\": a\n", false},
		"deep extra":         {"09:00:00Z\n", "09:00:00Z\nx-a:\n  " + strings.Repeat("- ", 17) + "a\n", false},
		"deepest":            {"09:00:00Z\n", "09:00:00Z\nx-a:\n  " + strings.Repeat("- ", 10000) + "a\n", false},
		"state":              {"accepted", "supported", false},
		"actor":              {"actor: human", "actor: robot", false},
		"field of a kind":    {"question:", "source:", false},
		"relation of a kind": {"rests-on", "serves", false},
		"empty title":        {"Use a write-through cache for session lookups", `""`, false},
		"second document":    {"created:", "---\ncreated:", false},
		"conflict marker":    {"title:", "=======\ntitle:", false},
		"control character":  {"Ada Example", "Ada\x7fExample", false},
		"invalid UTF-8":      {"Ada Example", "Ada \xff", false},
		"too large":          {"Reads", strings.Repeat("x", MaxSize), false},
		"empty":              {typical, "", false},
		"newline alone":      {typical, "\n", false},
		"tab":                {"  of:", "\tof:", false},
	} {
		if !strings.Contains(typical, c.old) {
			t.Errorf("%s: '%s' is not in the record", name, c.old)
		}
		n := 1
		if c.old == "\n" {
			n = -1
		}
		data := []byte(strings.Replace(typical, c.old, c.new, n))
		if _, ok := parseCanonical("", data); ok {
			t.Errorf("%s: taken", name)
		}
		if _, err := parseYAML("", data); (err == nil) != c.strict {
			t.Errorf("%s: the strict reader says %v", name, err)
		}
	}
	if _, ok := parseCanonical(wholePath, []byte(typical)); ok {
		t.Error("taken under another record's name")
	}
}

// TestMutatedFilesAgree damages files the way hands, tools and merges do.
func TestMutatedFilesAgree(t *testing.T) {
	taken := 0
	defer func() {
		if taken == 0 && !testing.Short() { // few draws may meet none
			t.Error("no damaged file was taken, so nothing was compared")
		}
	}()
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SampledFrom([]string{whole, typical, small}).Draw(t, "file")
		if rapid.Bool().Draw(t, "random") {
			data = string(anyRecord(t).encode())
		}
		for range rapid.IntRange(1, 3).Draw(t, "mutations") {
			data = mutated(t, data)
		}
		if agree(t, []byte(data)) {
			taken++
		}
	})
}

// TestRecordsShareNoValues changes the values that a record holds as trees, which
// must leave the next record alone.
func TestRecordsShareNoValues(t *testing.T) {
	data := []byte(strings.Replace(small, "created:", "conflicts:\n  - field: x-b\n    sides:\n      - human\n      - task\ncreated:", 1) +
		"x-a:\n  title: human\n")
	r, ok := parseCanonical("", data)
	if !ok {
		t.Fatal("not taken")
	}
	for _, n := range []*Value{r.Extra[0].Value.Items[0], r.Extra[0].Value.Items[1], r.Conflicts[0].Sides[0]} {
		n.Text = "changed"
	}
	if !agree(t, data) {
		t.Error("a changed record changed the reader")
	}
}

func mutated(t *rapid.T, data string) string {
	lines := strings.SplitAfter(data, "\n")
	i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
	j := rapid.IntRange(0, len(lines)-1).Draw(t, "other line")
	at := rapid.IntRange(0, len(data)).Draw(t, "offset")
	switch rapid.IntRange(0, 7).Draw(t, "mutation") {
	case 0:
		lines[i], lines[j] = lines[j], lines[i]
	case 1:
		lines = slices.Insert(lines, i, lines[j])
	case 2:
		lines = slices.Delete(lines, i, i+1)
	case 3:
		lines[i] = rapid.SampledFrom([]string{" ", "  ", "    ", "- ", "\n"}).Draw(t, "indentation") + lines[i]
	case 4:
		lines[i] = strings.TrimPrefix(strings.TrimPrefix(lines[i], " "), " ")
	case 5:
		if at < len(data) {
			b := []byte(data)
			b[at] = rapid.Byte().Draw(t, "byte")
			return string(b)
		}
	case 6:
		return data[:at] + nasty(t, "insertion") + data[at:]
	case 7: // the value of one line on another, where it may be of the wrong type
		_, value, ok := strings.Cut(lines[j], ": ")
		if key, _, found := strings.Cut(lines[i], ": "); ok && found {
			lines[i] = key + ": " + value
		}
	}
	return strings.Join(lines, "")
}

func FuzzCanonical(f *testing.F) {
	for _, s := range []string{whole, small, typical, "a:\n  - - b: \"\\u00e9\"\n", "a: |+\n  b\n\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) { agree(t, data) })
}

func BenchmarkParseTypical(b *testing.B) {
	data := []byte(typical)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("", data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseYAML(b *testing.B) {
	data := []byte(typical)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parseYAML("", data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDigestTypical(b *testing.B) {
	r := mustParse(b, typical)
	b.ReportAllocs()
	for b.Loop() {
		r.Digest()
	}
}
