package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/term"

	"github.com/git-ctx/git-ctx/internal/cli/ui"
)

// A page is an answer for a person, with what the commands write on it.
type page struct{ *ui.Page }

// page writes an answer for a person: through git's pager when standard output
// is a terminal. A reader who leaves the pager early is not an error.
func (e *Env) page(ctx context.Context, ids ui.Abbreviator, write func(*page)) error {
	p := &page{&ui.Page{IDs: ids, Colour: e.colour(ctx), Width: e.width()}}
	out, wait := e.pager(ctx)
	buf := bufio.NewWriter(out)
	p.Out = buf
	write(p)
	err := errors.Join(p.Err(), buf.Flush())
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
	cmd.Stdout, cmd.Stderr = e.unheld(), e.Stderr
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

// width is how many cells a line of the terminal has; 0 where standard output is none.
func (e *Env) width() int {
	if !e.StdoutTTY {
		return 0
	}
	if n, err := strconv.Atoi(e.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if f, ok := e.unheld().(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	return usualWidth
}

const usualWidth = 80 // as git takes it, of a terminal that does not say

// unheld is standard output for what answers while the command runs: the file
// itself, so that a child finds the terminal where there is one.
func (e *Env) unheld() io.Writer {
	if h, ok := e.Stdout.(*ui.Held); ok {
		return h.Release()
	}
	return e.Stdout
}
