package index

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-ctx/git-ctx/records"
)

// snippetAt is the snippet of a hit's record.
func snippetAt(s *Snap, h Hit, q string) Snippet {
	r, _ := s.Record(h.ID)
	return SnippetOf(r, q)
}

// marked writes a snippet with its marks in brackets.
func marked(s Snippet) string {
	var b strings.Builder
	at := 0
	for _, m := range s.Marks {
		b.WriteString(s.Text[at:m[0]] + "[" + s.Text[m[0]:m[1]] + "]")
		at = m[1]
	}
	return b.String() + s.Text[at:]
}

func TestSnippetMarksWhatWasFound(t *testing.T) {
	r := rec("dec-000000000a", records.Accepted, "Title", func(r *records.Record) {
		r.Body = "Nothing here.\nThe Caf\u00e9 cache, a write-through cache, caches.\n"
		r.Verdict.Reason = "quick\n"
	})
	for q, want := range map[string]string{
		"cache":                           "The Caf\u00e9 [cache], a write-through [cache], caches.",
		"cache*":                          "The Caf\u00e9 [cache], a write-through [cache], [caches].",
		"cafe":                            "The [Caf\u00e9] cache, a write-through cache, caches.",
		"write-through":                   "The Caf\u00e9 cache, a [write-through] cache, caches.",
		`"through cache" write`:           "The Caf\u00e9 cache, a [write]-[through cache], caches.",
		`"cache through"`:                 "Nothing here.",
		"quick":                           "[quick]",
		"title":                           "Nothing here.",
		`"write through" "through cache"`: "The Caf\u00e9 cache, a [write-through cache], caches.",
	} {
		if got := marked(SnippetOf(r, q)); got != want {
			t.Errorf("%s: %s, want %s", q, got, want)
		}
	}
}

// Marks are places of the text whatever it and the query are.
func TestSnippetMarksAreInTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := strings.ToValidUTF8(rapid.String().Draw(t, "body"), "") + strings.Repeat(" word", rapid.IntRange(0, 60).Draw(t, "more"))
		r := rec("dec-000000000a", records.Accepted, "Title", func(r *records.Record) { r.Body = body })
		s := SnippetOf(r, rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"word", "wor*", body})).Draw(t, "query"))
		at := 0
		for _, m := range s.Marks {
			if m[0] < at || m[1] <= m[0] || m[1] > len(s.Text) {
				t.Fatalf("marks %v in %q", s.Marks, s.Text)
			}
			at = m[1]
		}
	})
}
