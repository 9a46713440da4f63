package ui

import (
	"fmt"
	"io"
	"strings"

	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

// A Page is an answer for a person under way: text that may go through the
// user's pager, in colour where that is wanted. Write errors are kept until the end.
type Page struct {
	Out    io.Writer
	Colour bool
	IDs    Abbreviator
	// Width is how many cells a line may take; 0 leaves lines as they are.
	Width int
	line  []byte // begun, where lines are wrapped
	err   error
}

// An Abbreviator knows the ids that an abbreviation must tell apart.
type Abbreviator interface {
	Abbreviate(id records.ID, min int) string
}

// SortedIDs is an Abbreviator of a list.
type SortedIDs []records.ID

func (ids SortedIDs) Abbreviate(id records.ID, min int) string {
	return records.Abbreviate(ids, id, min)
}

// A Colour is the parameter of a terminal's colour sequence.
type Colour string

// The colours.
const (
	Plain  Colour = ""
	Bold   Colour = "1"
	Dim    Colour = "2"
	Red    Colour = "31"
	Green  Colour = "32"
	Yellow Colour = "33"
	Cyan   Colour = "36"
)

// Rendered is text that puts colours between its parts by itself.
type Rendered interface{ Render(p *Page) string }

// Painted is text in a colour, filled up with spaces to a width.
type Painted struct {
	Text   string
	Colour Colour
	Width  int
}

// String is the text without its colour.
func (a Painted) String() string { return text.Visible(a.Text) }

// Printf writes one piece of text. The format is ours; every argument that
// is not a number is shown with its hidden characters visible, so that record
// text cannot drive the terminal.
func (p *Page) Printf(format string, args ...any) {
	if p.err != nil {
		return
	}
	for i, a := range args {
		switch a := a.(type) {
		case int:
		case Painted:
			args[i] = p.paint(a)
		case Rendered:
			args[i] = a.Render(p)
		default:
			args[i] = text.Visible(fmt.Sprint(a))
		}
	}
	p.write(fmt.Sprintf(format, args...))
}

// Block writes text of several lines, set in. Empty lines stay empty.
func (p *Page) Block(words string) {
	if words = strings.TrimRight(words, "\n"); words == "" {
		return
	}
	for line := range strings.SplitSeq(words, "\n") {
		if strings.TrimSpace(line) != "" {
			line = "    " + line
		} else {
			line = ""
		}
		p.Printf("%s\n", line)
	}
}

func (p *Page) paint(a Painted) string {
	s := text.Visible(a.Text)
	fill := strings.Repeat(" ", max(0, a.Width-text.Width(s)))
	if p.Colour && a.Colour != Plain && s != "" {
		s = "\x1b[" + string(a.Colour) + "m" + s + "\x1b[m"
	}
	return s + fill
}

// Short abbreviates a record's id.
func (p *Page) Short(id records.ID) string { return p.IDs.Abbreviate(id, query.ShownID) }

// ID is the record's abbreviated id as it is painted everywhere.
func (p *Page) ID(id records.ID) Painted { return Painted{Text: p.Short(id), Colour: Yellow} }

// Err ends a line that was begun, and returns the error of the first write that failed.
func (p *Page) Err() error {
	if p.err == nil && len(p.line) > 0 {
		last := string(p.line)
		p.line = nil
		_, p.err = io.WriteString(p.Out, strings.Join(text.Wrap(last, p.Width, hang(last, p.Width)), "\n"))
	}
	return p.err
}

// write wraps the lines that are whole, and keeps the one that is not.
func (p *Page) write(s string) {
	if p.Width <= 0 {
		_, p.err = io.WriteString(p.Out, s)
		return
	}
	lines := strings.Split(string(p.line)+s, "\n")
	for _, line := range lines[:len(lines)-1] {
		for _, part := range text.Wrap(line, p.Width, hang(line, p.Width)) {
			if _, err := io.WriteString(p.Out, part+"\n"); err != nil {
				p.err = err
				return
			}
		}
	}
	p.line = []byte(lines[len(lines)-1])
}

// hang is how far a line that is wrapped goes on being set in: to its last column
// where that leaves half of the width, else as the line itself and a little more.
func hang(line string, width int) int {
	trimmed := strings.TrimLeft(line, " ")
	in := len(line) - len(trimmed)
	for at := 0; ; {
		gap := strings.Index(trimmed[at:], "  ")
		if gap < 0 {
			break
		}
		at += gap
		at += len(trimmed[at:]) - len(strings.TrimLeft(trimmed[at:], " "))
		if column := text.Width(line[:len(line)-len(trimmed)+at]); column <= width/2 && at < len(trimmed) {
			in = column
		}
	}
	for _, bullet := range []string{"- ", "> ", "* "} {
		if in == len(line)-len(trimmed) && strings.HasPrefix(trimmed, bullet) {
			return in + len(bullet)
		}
	}
	if in < 4 {
		return in + 4
	}
	return in
}
