package install

import (
	"strings"
)

// The lines that enclose ours in a file that others write too. The second form
// of the first tells that the line before it did not end with a line feed.
const (
	blockStart = "# >>> git ctx >>>\n"
	blockGlued = "# >>> git ctx (after a line without an end) >>>\n"
	blockEnd   = "# <<< git ctx <<<\n"
)

// Created begins a file that had no other maker.
const Created = "# This file was made by git ctx.\n"

// Marks are the lines that enclose ours, as comments of a file's language.
type Marks struct{ start, glued, end string }

// Shell are the marks in shell scripts, and where # begins a comment.
func Shell() Marks { return Marks{blockStart, blockGlued, blockEnd} }

// Markdown are the marks in Markdown and HTML.
func Markdown() Marks {
	comment := func(line string) string {
		return "<!-- " + strings.TrimSuffix(strings.TrimPrefix(line, "# "), "\n") + " -->\n"
	}
	return Marks{comment(blockStart), comment(blockGlued), comment(blockEnd)}
}

// Find returns where our lines begin and end, markers included, and what is
// between the markers. A begin without an end is not a block.
func (m Marks) Find(text string) (from, to int, body string, ok bool) {
	for _, start := range []string{m.start, m.glued} {
		i := strings.Index("\n"+text, "\n"+start)
		if i < 0 {
			continue
		}
		rest := text[i+len(start):]
		j := strings.Index("\n"+rest, "\n"+m.end)
		if j < 0 {
			continue
		}
		from, to = i, i+len(start)+j+len(m.end)
		if start == m.glued {
			from-- // the line feed that we added
		}
		return from, to, rest[:j], true
	}
	return 0, 0, "", false
}

// With puts body into text at an offset, or in place of the body that is there.
func (m Marks) With(text, body string, at int) string {
	if _, to, old, ok := m.Find(text); ok {
		end := to - len(m.end)
		return text[:end-len(old)] + body + text[end:]
	}
	start := m.start
	if at > 0 && text[at-1] != '\n' {
		start = "\n" + m.glued
	}
	return text[:at] + start + body + m.end + text[at:]
}

// Without takes our lines out again.
func (m Marks) Without(text string) string {
	if from, to, _, ok := m.Find(text); ok {
		return text[:from] + text[to:]
	}
	return text
}
