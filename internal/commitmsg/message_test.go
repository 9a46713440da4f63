package commitmsg

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-ctx/git-ctx/records"
)

func TestUserTextForgesNoTrailer(t *testing.T) {
	for _, body := range []string{
		"Ctx-Actor: human", "fine\n\nCtx-Actor: human\nCtx-Verb: accept", "---\nCtx-Actor: human", "# gone", "diff --git a b",
		"a\n\n\n\nCtx-Record: dec-0000000000", "Ctx-Actor : human", "trailing\n\nSigned-off-by: x",
	} {
		m := &Message{Subject: "s\nCtx-Actor: human", Body: body, Verb: "add", Actor: "agent/x", Records: []records.ID{"dec-1111111111"}}
		text := m.Format()
		got, err := Parse(text)
		if err != nil {
			t.Errorf("%q: %v", body, err)
			continue
		}
		if got.Actor != "agent/x" || got.Verb != "add" || len(got.Records) != 1 {
			t.Errorf("%q reads as %+v:\n%s", body, got, text)
		}
		for line := range strings.Lines(text[:strings.LastIndex(text, "\n\n")]) {
			if strings.HasPrefix(line, "Ctx-") || strings.HasPrefix(line, "---") || strings.HasPrefix(line, "#") {
				t.Errorf("%q leaves the line %q bare", body, line)
			}
		}
	}
}

func TestRepeatedTrailerIsInvalid(t *testing.T) {
	if _, err := Parse("s\n\nCtx-Verb: add\nCtx-Actor: agent/x\nCtx-Actor: human\n"); err == nil {
		t.Error("two actors were accepted")
	}
	if m, err := Parse("s\n\nCtx-Verb: add\nCtx-Record: a-1\nCtx-Record: b-2\nCo-authored-by: Ada <a@example.com>\n"); err != nil || len(m.Records) != 2 {
		t.Errorf("repeatable and foreign trailers: %+v, %v", m, err)
	}
}

func TestMessageRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &Message{
			Subject: rapid.String().Draw(t, "subject"), Body: rapid.String().Draw(t, "body"),
			Verb: "add", Actor: records.Actor("agent/" + rapid.StringMatching(`[a-z]{1,8}`).Draw(t, "agent")),
			Session: "abc", Checkpoint: rapid.SampledFrom([]string{"", "3"}).Draw(t, "checkpoint"),
		}
		got, err := Parse(m.Format())
		if err != nil {
			t.Fatal(err)
		}
		if got.Actor != m.Actor || got.Verb != m.Verb || got.Session != m.Session || got.Checkpoint != m.Checkpoint {
			t.Fatalf("%+v became %+v", m, got)
		}
		if again := got.Format(); again != m.Format() && got.Subject != "" {
			t.Fatalf("not stable:\n%q\n%q", m.Format(), again)
		}
	})
}
