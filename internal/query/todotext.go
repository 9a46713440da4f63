package query

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/packet"
)

// An extent is the length of a text in both measures that limit it.
type extent struct{ tokens, chars int }

func (e extent) within(limit extent) bool { return e.tokens <= limit.tokens && e.chars <= limit.chars }

func (e extent) share(percent int) extent {
	return extent{e.tokens * percent / 100, e.chars * percent / 100}
}

// A todoText is what a plan says beside its packet: sections of lines, each as
// far as there is room.
type todoText struct {
	next, gaps, findings *todoSection
}

type todoSection struct {
	heading string
	all     string // the command that lists all
	lines   []string
	shown   int
}

func newTodoText() *todoText {
	return &todoText{
		next:     &todoSection{heading: "Next", all: "git ctx next -n 0"},
		gaps:     &todoSection{heading: "Gaps", all: "git ctx gaps"},
		findings: &todoSection{heading: "Findings", all: "git ctx audit"},
	}
}

// sections are in the order in which they stand.
func (t *todoText) sections() []*todoSection { return []*todoSection{t.next, t.gaps, t.findings} }

func (s *todoSection) add(line string) { s.lines = append(s.lines, line) }

// text is the section as it stands, "" for one that has nothing to say.
func (s *todoSection) text() string {
	if len(s.lines) == 0 {
		return ""
	}
	text := "\n## " + s.heading + "\n\n" + strings.Join(s.lines[:s.shown], "")
	if more := len(s.lines) - s.shown; more > 0 {
		text += fmt.Sprintf("- %d more: `%s`\n", more, s.all)
	}
	return text
}

func (t *todoText) text() string {
	var b strings.Builder
	for _, s := range t.sections() {
		b.WriteString(s.text())
	}
	return b.String()
}

// fill shows lines in turn, one of each section, until the next would not fit,
// and returns the extent of the text. The sections' frames stand in any case.
func (t *todoText) fill(limit extent) extent {
	used := t.measure()
	for grown := true; grown; {
		grown = false
		for _, s := range t.sections() {
			if s.shown == len(s.lines) {
				continue
			}
			s.shown++
			now := t.measure()
			if !now.within(limit) {
				s.shown--
				continue
			}
			used, grown = now, true
		}
	}
	return used
}

func (t *todoText) measure() extent {
	tokens, chars := packet.Measure(t.text())
	return extent{tokens, chars}
}

// drop takes the last line shown back; false when there is none.
func (t *todoText) drop() bool {
	for _, s := range slices.Backward(t.sections()) {
		if s.shown > 0 {
			s.shown--
			return true
		}
	}
	return false
}
