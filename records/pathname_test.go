package records

import "testing"

// TestPathsAreBytes: a record's text is in Unicode form C, and yet the name of a file
// comes back from it byte for byte.
func TestPathsAreBytes(t *testing.T) {
	for name, text := range map[string]string{
		"docs/caf\u00e9.md":  "docs/caf\u00e9.md", // form C is what it is
		"docs/cafe\u0301.md": `"docs/cafe\314\201.md"`,
		"caf\xe9.md":         `"caf\351.md"`, // Latin-1
		`"quoted".md`:        `"\"quoted\".md"`,
		"two\nlines.md":      `"two\012lines.md"`,
		`a"b\c.md`:           `a"b\c.md`,
		"\u1100\u1161 \\x":   `"\341\204\200\341\205\241 \\x"`,
	} {
		if got := formatPath(name); got != text {
			t.Errorf("%+q is spelled %s, not %s", name, got, text)
		}
		if got := parsePath(text); got != name {
			t.Errorf("%s is read as %+q, not %+q", text, got, name)
		}
		r := mustParse(t, whole)
		r.Anchors = []Anchor{{Path: name, Lines: "1-2"}}
		src, err := Format(r)
		if err != nil {
			t.Fatalf("%+q: %v", name, err)
		}
		back, err := Parse("", src)
		if err != nil {
			t.Fatalf("%+q: %v\n%s", name, err, src)
		}
		if back.Anchors[0].Path != name {
			t.Errorf("%+q came back as %+q from\n%s", name, back.Anchors[0].Path, src)
		}
	}
	for _, text := range []string{`"`, `"a`, `"\x41"`, `"plain"`} { // nothing that formatPath writes
		if got := parsePath(text); got != text {
			t.Errorf("%s is read as %q", text, got)
		}
	}
}
