package merge

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDiff3(t *testing.T) {
	tests := []struct {
		name, base, ours, theirs, want string // one character a line; want "!" is a conflict
	}{
		{"different places", "abcde", "aXcde", "abcdY", "aXcdY"},
		{"same change", "abc", "aXc", "aXc", "aXc"},
		{"same line", "abc", "aXc", "aYc", "!"},
		{"neighbouring lines", "abcd", "aXcd", "abYd", "!"},
		{"both insert at one place", "ab", "aXb", "aYb", "!"},
		{"both append", "ab", "abX", "abY", "!"},
		{"delete and change", "abc", "ac", "aXc", "!"},
		{"delete and change elsewhere", "abcd", "acd", "abcX", "acX"},
		{"one deletes all", "abc", "", "abc", ""},
		{"from nothing", "", "X", "Y", "!"},
		{"two changes against one that spans them", "abcdef", "aXcdYf", "aZf", "!"},
		{"insert beside a distant change", "abcdef", "Xabcdef", "abcdeY", "XabcdeY"},
	}
	split := func(s string) []string { return strings.Split(s, "")[:len(s)] }
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := diff3(split(tt.base), split(tt.ours), split(tt.theirs), nil)
			if want := tt.want; ok != (want != "!") || ok && strings.Join(got, "") != want {
				t.Errorf("diff3 = %q, %v, want %q", got, ok, want)
			}
		})
	}
}

func TestDiffTurnsBaseIntoSide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"a", "b", "c"})
		base, side := rapid.SliceOfN(line, 0, 12).Draw(t, "base"), rapid.SliceOfN(line, 0, 12).Draw(t, "side")
		var got []string
		pos, edits := 0, 0
		for _, h := range diff(base, side) {
			if h.b0 < pos || pos > 0 && h.b0 == pos {
				t.Fatalf("hunks touch: %v", diff(base, side))
			}
			got = append(append(got, base[pos:h.b0]...), side[h.s0:h.s1]...)
			pos, edits = h.b1, edits+h.b1-h.b0+h.s1-h.s0
		}
		got = append(got, base[pos:]...)
		if !slices.Equal(got, side) {
			t.Fatalf("applying the diff gives %q, want %q", got, side)
		}
		if want := len(base) + len(side) - 2*common(base, side); edits != want {
			t.Fatalf("%d edits, the shortest script has %d", edits, want)
		}
	})
}

// common is the length of the longest common subsequence.
func common(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

func TestDiffOfUnlikeTextsStaysBounded(t *testing.T) {
	base, side := make([]string, 50_000), make([]string, 50_000)
	for i := range base {
		base[i], side[i] = "a"+strings.Repeat("x", i%97), "b"+strings.Repeat("y", i%89)
	}
	side[0], side[len(side)-1] = base[0], base[len(base)-1]
	if got := diff(base, side); len(got) != 1 || got[0] != (hunk{1, 49_999, 1, 49_999}) {
		t.Errorf("diff = %v, want one hunk", got)
	}
}
