package text

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// cells counts as most terminals do, whatever the locale: East Asian wide and emoji
// as two cells, what is ambiguous as one. It is never changed.
var cells = &runewidth.Condition{StrictEmojiNeutral: true}

// Width is how many cells of a terminal s takes, which is one line. The sequences
// by which a terminal changes colours take none.
func Width(s string) int {
	width := 0
	for {
		before, after, found := strings.Cut(s, "\x1b[")
		width += cells.StringWidth(before)
		if !found {
			return width
		}
		_, s, _ = strings.Cut(after, "m")
	}
}

// Wrap breaks a line at its spaces, and between wide characters, which Chinese and
// Japanese write without any, so that its parts take at most width cells. All but
// the first are set in by hang. A word that is wider by itself stays whole.
func Wrap(line string, width, hang int) []string {
	if width <= 0 || Width(line) <= width {
		return []string{line}
	}
	var lines []string
	lead := strings.Repeat(" ", min(hang, max(0, width-1)))
	part, used := "", 0
	for _, a := range atoms(line) {
		if w := Width(a); part != "" && strings.TrimSpace(part) != "" && used+Width(strings.TrimRight(a, " ")) > width {
			lines = append(lines, strings.TrimRight(part, " "))
			part, used = lead+a, len(lead)+w
		} else {
			part, used = part+a, used+w
		}
	}
	return append(lines, strings.TrimRight(part, " "))
}

// atoms are the pieces of a line that stay whole, each with the spaces after it.
// A line's indentation is one of its own.
func atoms(line string) []string {
	var all []string
	start, spaces, prev := 0, false, rune(0)
	for i, r := range line {
		wide := cells.RuneWidth(r) == 2 || cells.RuneWidth(prev) == 2
		if i > start && r != ' ' && (spaces || wide && !strings.ContainsRune("。、，．！？：；）」』】》〉…", r) && cells.RuneWidth(r) > 0) {
			all = append(all, line[start:i])
			start = i
		}
		spaces, prev = r == ' ', r
	}
	return append(all, line[start:])
}
