package install

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWhatIsTakenOutLeavesTheBytesThatWereThere(t *testing.T) {
	lines := rapid.SampledFrom([]string{"", "a", "#!/bin/sh", "*.png binary", "\r", strings.TrimSuffix(blockEnd, "\n"), strings.TrimSuffix(blockStart, "\n") + " "})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(lines, 0, 6).Draw(t, "lines"), "\n")
		for _, at := range []int{0, strings.Index(text, "\n") + 1, len(text)} {
			with := Shell().With(text, "ours\n", at)
			if _, _, body, ok := Shell().Find(with); !ok || body != "ours\n" {
				t.Fatalf("no block in %q", with)
			}
			if got := Shell().Without(with); got != text {
				t.Fatalf("%q came back as %q", text, got)
			}
			if again := Shell().With(with, "ours\n", len(with)); again != with {
				t.Fatalf("a second time changed %q to %q", with, again)
			}
			if newer := Shell().With(with, "newer\n", 0); Shell().Without(newer) != text || !strings.Contains(newer, "newer\n") {
				t.Fatalf("the newer block is not in place: %q", newer)
			}
		}
	})
}

func TestBlockStandsOnLinesOfItsOwn(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", blockStart + "x\n" + blockEnd},
		{"a\n", "a\n" + blockStart + "x\n" + blockEnd},
		{"a", "a\n" + blockGlued + "x\n" + blockEnd},
	} {
		if got := Shell().With(c.text, "x\n", len(c.text)); got != c.want {
			t.Errorf("%q became %q, want %q", c.text, got, c.want)
		}
	}
	if _, _, _, ok := Shell().Find("see # >>> git ctx >>>\n" + blockEnd); ok {
		t.Error("a marker in the middle of a line begins a block")
	}
	if _, _, _, ok := Shell().Find(blockStart + "x\n"); ok {
		t.Error("a block without an end counts")
	}
}
