package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/text"
)

// A keyPrompt asks a person at a terminal for one key at a time.
type keyPrompt struct {
	env *Env
	tty *os.File
	// plain reads lines: this terminal cannot hand on single keys.
	plain bool
}

// keyPrompt is nil where no person sits at a terminal.
func (e *Env) keyPrompt() *keyPrompt {
	tty, _ := e.Stdin.(*os.File)
	if tty == nil || !e.StdinTTY || !e.StdoutTTY {
		return nil
	}
	return &keyPrompt{env: e, tty: tty, plain: e.Getenv("TERM") == "dumb"}
}

// key reads one answer. The end of the input is an answer too: to stop.
func (k *keyPrompt) key(prompt string) (byte, error) {
	key, err := k.answer(text.VisibleLine(prompt))
	if errors.Is(err, io.EOF) {
		key, err = ui.KeyEnd, nil
	}
	if k.plain {
		return key, err
	}
	_, werr := fmt.Fprintln(k.env.Stdout, shownKey(key)) // a terminal in raw mode shows none itself
	return key, cmp.Or(err, werr)
}

func (k *keyPrompt) answer(prompt string) (byte, error) {
	if !k.plain {
		return ui.ReadKey(k.env.stop, k.tty, k.env.Stdout, prompt)
	}
	if _, err := io.WriteString(k.env.Stdout, prompt); err != nil {
		return 0, err
	}
	line, err := ui.ReadLine(k.env.input())
	if line = strings.TrimSpace(line); err != nil || line == "" {
		return 0, err
	}
	return line[0], nil
}

// shownKey is how a key that was pressed is shown.
func shownKey(key byte) string {
	if key <= ' ' || key >= ui.KeyDelete {
		return ""
	}
	return string(rune(key))
}
