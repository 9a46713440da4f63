package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

// A page is an answer for a person under way: text that may go through the
// user's pager, in colour where that is wanted. Write errors are kept until the end.
type page struct {
	w      io.Writer
	colour bool
	ids    abbreviator
	err    error
}

// An abbreviator knows the ids that an abbreviation must tell apart.
type abbreviator interface {
	Abbreviate(id records.ID, min int) string
}

// sortedIDs is an abbreviator of a list.
type sortedIDs []records.ID

func (ids sortedIDs) Abbreviate(id records.ID, min int) string {
	return records.Abbreviate(ids, id, min)
}

// A colour is the parameter of a terminal's colour sequence.
type colour string

const (
	plain  colour = ""
	bold   colour = "1"
	dim    colour = "2"
	red    colour = "31"
	green  colour = "32"
	yellow colour = "33"
	cyan   colour = "36"
)

// painted is text in a colour, filled up with spaces to a width.
type painted struct {
	text   string
	colour colour
	width  int
}

// String is the text without its colour.
func (a painted) String() string { return text.Visible(a.text) }

// printf writes one piece of text. The format is ours; every argument that
// is not a number is shown with its hidden characters visible, so that record
// text cannot drive the terminal.
func (p *page) printf(format string, args ...any) {
	if p.err != nil {
		return
	}
	for i, a := range args {
		switch a := a.(type) {
		case int:
		case painted:
			args[i] = p.paint(a)
		case markedText:
			args[i] = p.marked(a.Snippet)
		default:
			args[i] = text.Visible(fmt.Sprint(a))
		}
	}
	_, p.err = fmt.Fprintf(p.w, format, args...)
}

// block writes text of several lines, set in. Empty lines stay empty.
func (p *page) block(text string) {
	if text = strings.TrimRight(text, "\n"); text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) != "" {
			line = "    " + line
		} else {
			line = ""
		}
		p.printf("%s\n", line)
	}
}

func (p *page) paint(a painted) string {
	s := text.Visible(a.text)
	fill := strings.Repeat(" ", max(0, a.width-utf8.RuneCountInString(s)))
	if p.colour && a.colour != plain && s != "" {
		s = "\x1b[" + string(a.colour) + "m" + s + "\x1b[m"
	}
	return s + fill
}

// short abbreviates a record's id.
func (p *page) short(id records.ID) string { return p.ids.Abbreviate(id, query.ShownID) }

// id is the record's abbreviated id as it is painted everywhere.
func (p *page) id(id records.ID) painted { return painted{text: p.short(id), colour: yellow} }

// page writes an answer for a person: through git's pager when standard output
// is a terminal. A reader who leaves the pager early is no error.
func (e *Env) page(ctx context.Context, ids abbreviator, write func(*page)) error {
	p := &page{ids: ids, colour: e.colour(ctx)}
	out, wait := e.pager(ctx)
	buf := bufio.NewWriter(out)
	p.w = buf
	write(p)
	err := errors.Join(p.err, buf.Flush())
	if wait == nil {
		return err
	}
	wait()
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// pager starts the user's pager and returns where to write, and what ends it;
// nil when there is none to wait for.
func (e *Env) pager(ctx context.Context) (io.Writer, func()) {
	if !e.StdoutTTY || e.noPager || e.repo == nil {
		return e.Stdout, nil
	}
	out, err := e.repo.Git(ctx, nil, "var", "GIT_PAGER")
	program := strings.TrimSpace(string(out))
	if err != nil || program == "" || program == "cat" {
		return e.Stdout, nil
	}
	// Not bound to ctx: an interrupt is the pager's to handle, as with git's own.
	cmd := exec.Command("sh", "-c", program)
	cmd.Stdout, cmd.Stderr = e.Stdout, e.Stderr
	cmd.Env = append([]string{"LESS=FRX", "LV=-c"}, e.Environ...) // the user's own win, coming later
	in, err := cmd.StdinPipe()
	if err != nil {
		return e.Stdout, nil
	}
	if err := cmd.Start(); err != nil {
		return e.Stdout, nil
	}
	return in, func() {
		_ = in.Close()
		_ = cmd.Wait() // its status says nothing about the answer
	}
}

// colour reports whether answers for a person are coloured: on a terminal, or
// in the pager that git put us in, unless NO_COLOR or color.ui forbid it.
func (e *Env) colour(ctx context.Context) bool {
	if e.Getenv("NO_COLOR") != "" {
		return false
	}
	wanted := "auto"
	if e.repo != nil {
		if v, ok, err := e.repo.Config(ctx, "color.ui"); err == nil && ok {
			wanted = strings.ToLower(v)
		}
	}
	switch wanted {
	case "always":
		return true
	case "never", "false", "no", "off", "0":
		return false
	}
	return (e.StdoutTTY || e.Getenv("GIT_PAGER_IN_USE") == "true") && e.Getenv("TERM") != "dumb"
}
