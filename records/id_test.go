package records

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestNewID(t *testing.T) {
	if got := NewID(Hypothesis, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}); got != "hyp-zzzzzzzzzz" {
		t.Errorf("NewID = %s", got)
	}
	if got := NewID(Goal, []byte{0x08, 0x86, 0x42, 0x98, 0xe8, 0x4a, 0x80}); got != "goal-123456789a" {
		t.Errorf("NewID = %s", got)
	}
	if got := NewID(Task, nil); got != "task-0000000000" {
		t.Errorf("NewID without bytes = %s", got)
	}
	if got := NewNonce([]byte{0x08, 0x86, 0x42, 0x98}); got != "123456" {
		t.Errorf("NewNonce = %s", got)
	}
}

func TestImportIDIsStable(t *testing.T) {
	a := ImportID(Task, "beads", "bd-1")
	// The value is part of the format: two versions must import to one id.
	if a != "task-a32r9r91t8" {
		t.Errorf("ImportID = %s", a)
	}
	for _, b := range []ID{ImportID(Task, "beads", "bd-2"), ImportID(Task, "beadsb", "d-1"), ImportID(Goal, "beads", "bd-1")} {
		if a == b {
			t.Errorf("two sources have the id %s", a)
		}
	}
}

func TestParseID(t *testing.T) {
	for in, want := range map[string]ID{
		"hyp-7k3m9q2x4w": "hyp-7k3m9q2x4w",
		"HYP-7K3M9Q2X4W": "hyp-7k3m9q2x4w",
		"ev-OIL3m9q2x4":  "ev-0113m9q2x4",
		"ev-OILo3m9q2x":  "ev-01103m9q2x",
		"hyp-7k3m":       "",
		"hyp-7k3m9q2x4u": "",
		"7k3m9q2x4w":     "",
		"foo-7k3m9q2x4w": "",
		"hyp7k3m9q2x4w":  "",
		"":               "",
		"-":              "",
	} {
		got, err := ParseID(in)
		if (err == nil) != (want != "") || got != want {
			t.Errorf("ParseID(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
}

func TestIDPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := anyID(t, anyKind(t), "id")
		back, err := PathID(IDPath(id))
		if err != nil || back != id {
			t.Fatalf("PathID(%s) = %s, %v", IDPath(id), back, err)
		}
	})
	good := "records/hypothesis/7/k/hyp-7k3m9q2x4w.ctx.yaml"
	if id, err := PathID(good); err != nil || id != "hyp-7k3m9q2x4w" {
		t.Errorf("PathID(%s) = %s, %v", good, id, err)
	}
	for _, bad := range []string{
		"", "records", strings.Replace(good, "/7/k/", "/7/3/", 1), strings.Replace(good, "hypothesis", "task", 1),
		strings.TrimSuffix(good, ".ctx.yaml"), "x/" + good, strings.Replace(good, "hyp-", "", 1), strings.ToUpper(good),
	} {
		if id, err := PathID(bad); err == nil {
			t.Errorf("PathID(%s) = %s", bad, id)
		}
	}
}

func TestAbbreviateAndMatch(t *testing.T) {
	ids := []ID{"ev-7k3m000000", "hyp-7k3m9q2x4w", "hyp-7k3m9z0000", "hyp-8aaaaaaaaa", "task-7k3m9q2x4w"}
	for id, want := range map[ID]string{
		"ev-7k3m000000": "ev-7k3m", "hyp-7k3m9q2x4w": "hyp-7k3m9q", "hyp-8aaaaaaaaa": "hyp-8aaa",
		"task-7k3m9q2x4w": "task-7k3m", "hyp-8aaaaaaaab": "hyp-8aaaaaaaab",
	} {
		if got := Abbreviate(ids, id, 0); got != want {
			t.Errorf("Abbreviate(%s) = %s, want %s", id, got, want)
		}
	}
	if got := Abbreviate(ids, "hyp-8aaaaaaaaa", 7); got != "hyp-8aaaaaa" {
		t.Errorf("Abbreviate with 7 characters = %s", got)
	}
	for s, want := range map[string][]ID{
		"7k3m":           {"ev-7k3m000000", "hyp-7k3m9q2x4w", "hyp-7k3m9z0000", "task-7k3m9q2x4w"},
		"7K3M9":          {"hyp-7k3m9q2x4w", "hyp-7k3m9z0000", "task-7k3m9q2x4w"},
		"hyp-7k3m":       {"hyp-7k3m9q2x4w", "hyp-7k3m9z0000"},
		"hyp-7k3m9q2x4w": {"hyp-7k3m9q2x4w"},
		"ev-7k3mOOO":     {"ev-7k3m000000"},
		"hyp-9999":       nil,
	} {
		if got, err := MatchPrefix(ids, s); err != nil || !slices.Equal(got, want) {
			t.Errorf("MatchPrefix(%s) = %s, %v; want %s", s, got, err, want)
		}
	}
	for _, s := range []string{"hyp-7k3", "7k3", "", "hyp-", "foo-7k3m", "hyp-7k3u", "hyp-7k3m9q2x4w0", "a b c d"} {
		if got, err := MatchPrefix(ids, s); err == nil {
			t.Errorf("MatchPrefix(%q) = %s", s, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		var ids []ID
		for range rapid.IntRange(1, 30).Draw(t, "count") {
			id := anyID(t, anyKind(t), "id")
			ids = append(ids, id[:len(id)-8]+"00000000") // close neighbours
		}
		slices.Sort(ids)
		ids = slices.Compact(ids)
		for _, id := range ids {
			if got, err := MatchPrefix(ids, Abbreviate(ids, id, 0)); err != nil || !slices.Equal(got, []ID{id}) {
				t.Fatalf("the abbreviation %s of %s matches %s", Abbreviate(ids, id, 0), id, got)
			}
		}
	})
}

func TestNormalize(t *testing.T) {
	for a, b := range map[string]string{
		"Use a Cache.":       "use  a cache",
		"re-use":             "re use",
		"\uff35\uff53\uff45": "use",
		"Don't!":             "dont",
		"caf\u00e9":          "CAFE\u0301",
		"`code` *here*":      "code here",
		"\ttabs\n":           "tabs",
		// Nothing that a reader cannot see tells two texts apart.
		"re\u200buse": "reuse", "re\u034fuse": "reuse", "re\ufe0fuse": "reuse", "re\u3164use": "reuse", "re\uffa0use": "reuse",
		"re\u2800use": "reuse", "re\u00aduse": "reuse", "re\u115fuse": "reuse", "re\u2060use": "reuse", "re\U000e0041use": "reuse", "\u202ereuse\u202c": "reuse",
		// Marks of emphasis, dashes and the end of a sentence say nothing.
		"**two words**": "two words", "use redis \u2013 now": "use redis now", "Stop!": "stop", "5-10": "5 10", "ada@example": "ada example",
		"\u22125": "-5", "\u20135": "-5", "* a point": "a point",
	} {
		if Normalize(a) != Normalize(b) {
			t.Errorf("%q and %q differ: %q, %q", a, b, Normalize(a), Normalize(b))
		}
	}
	for a, b := range map[string]string{
		"Use C++": "Use C", "Use C#": "Use C", "p99 < 5 ms": "p99 > 5 ms", "reuse": "re use", "1.5": "15", "a": "b", "a b": "ab",
		// Signs that negate or compare, and those that stand before a word.
		"Allow -5": "Allow 5", "(-5)": "5", "-.5": ".5", "-$5": "$5", "x != y": "x = y", "x!=y": "x=y", "a -> b": "a > b",
		"!important": "important", "@internal": "internal", "*args": "args", "!(done)": "done", "Ignore *.go": "Ignore .go", "!!ready": "ready",
	} {
		if Normalize(a) == Normalize(b) {
			t.Errorf("%q and %q are the same: %q", a, b, Normalize(a))
		}
	}
	if Normalize(" ... !") != "" {
		t.Error("punctuation alone is not empty")
	}
	rapid.Check(t, func(t *rapid.T) {
		s := Normalize(rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("a5 !*@-=(.\u2212\u3164'`")))).Draw(t, "s"))
		if again := Normalize(s); again != s {
			t.Fatalf("not idempotent: %q, %q", s, again)
		}
	})
}

func TestFraction(t *testing.T) {
	for in, want := range map[string]string{"0": "0", "1": "1", "0.7": "0.7", "0.70": "0.7", "0.75": "0.75", "0.05": "0.05", "1.00": "1", "0.0": "0"} {
		f, err := ParseFraction(in)
		if err != nil || f.String() != want {
			t.Errorf("ParseFraction(%s) = %s, %v; want %s", in, f, err, want)
		}
		if js, err := json.Marshal(f); err != nil || string(js) != want {
			t.Errorf("JSON of %s = %s, %v", in, js, err)
		}
	}
	for _, in := range []string{"", "1.01", "2", "-0", "-1", ".5", "0.", "0.123", "00.5", "1e0", "0,5", " 1", "0.+1", "NaN", "0x1"} {
		if f, err := ParseFraction(in); err == nil {
			t.Errorf("ParseFraction(%q) = %s", in, f)
		}
	}
}

func TestParseInstant(t *testing.T) {
	for in, want := range map[string]string{
		"2026-11-30T10:12:31Z":      "2026-11-30T10:12:31Z",
		"2026-11-30T10:12:31+02:00": "2026-11-30T08:12:31Z",
		"2026-11-30":                "2026-11-30T00:00:00Z",
	} {
		got, err := ParseInstant(in)
		if err != nil || FormatInstant(got) != want || got.Location() != time.UTC {
			t.Errorf("ParseInstant(%s) = %s, %v; want %s", in, got, err, want)
		}
	}
	for _, in := range []string{"", "2026", "2026-13-01", "2026-02-30", "2026-11-30 10:12:31", "2026-11-30T10:12:31", "2026-11-30T10:12:31.5Z", "0001-01-01", "now"} {
		if got, err := ParseInstant(in); err == nil {
			t.Errorf("ParseInstant(%q) = %s", in, got)
		}
	}
}
