package records

import "testing"

func TestBlank(t *testing.T) {
	for _, s := range []string{"", " \t\n", "\u200b", "\ufeff", "\u00ad\u2060", "\u3164", "\u2800 ", "\u0301", "\u202e\u2066", "\x00\x1b"} {
		if !Blank(s) {
			t.Errorf("%+q counts as visible", s)
		}
	}
	for _, s := range []string{"a", "?", "\u4e16", "\U0001f600", "\u200b.", "\ufffd", "1"} {
		if Blank(s) {
			t.Errorf("%+q counts as blank", s)
		}
	}
}
