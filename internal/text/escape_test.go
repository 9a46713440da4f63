package text

import (
	"encoding/json"
	"testing"
)

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"":                     "",
		"plain\n\ttext":        "plain\n\ttext",
		"größer 大きい 🚀":         "größer 大きい 🚀",
		"\x1b[31mred\x07":      `\u{1b}[31mred\u{7}`,
		"a\r\nb\rc":            "a\nb\\u{d}c",
		"\x9b2J":               `\u{fffd}2J`,
		"\u009b2J":             `\u{9b}2J`,
		"a\u202eb\u2066c":      `a\u{202e}b\u{2066}c`,
		"a\u2028b\u2029c":      `a\u{2028}b\u{2029}c`,
		"a\u200bb\ufeff":       `a\u{200b}b\u{feff}`,
		"a\u3164b\u115fc":      `a\u{3164}b\u{115f}c`,
		"a\ufe0f \u26a0\ufe0f": `a\u{fe0f} ` + "\u26a0\ufe0f",
		"a\U000e0101b":         `a\u{e0101}b`,
		"\U000e0041":           `\u{e0041}`,
		"a\u2800b\ue000":       `a\u{2800}b\u{e000}`,
		"not \ufffd known":     "not \ufffd known",
		"bad \xff\xfe":         `bad \u{fffd}\u{fffd}`,
		"\r\n\ufffd\xff":       "\n\ufffd\\u{fffd}",
	} {
		if got := Visible(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	if got := VisibleLine("a\n\tb\x1b"); got != `a\n\tb\u{1b}` {
		t.Errorf("one line: %q", got)
	}
}

func TestJSONKeepsTheValue(t *testing.T) {
	for in, want := range map[string]string{
		"plain größer\n\tx": `"plain größer\n\tx"`,
		"a\u3164b":          `"a\u3164b"`,
		"a\U000e0101b":      `"a\udb40\udd01b"`,
		"\u26a0\ufe0f":      "\"\u26a0\ufe0f\"",
	} {
		plain, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		got := JSON(plain)
		var back string
		if err := json.Unmarshal(got, &back); err != nil || back != in || string(got) != want {
			t.Errorf("%q became %s, want %s; read again it is %q (%v)", in, got, want, back, err)
		}
	}
}
