package ui

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"golang.org/x/term"

	"github.com/git-ctx/git-ctx/internal/text"
)

// The keys that a terminal in raw mode hands on instead of acting on them.
const (
	keyInterrupt = 0x03
	KeyEnd       = 0x04
	keyErase     = 0x08
	keyEnter     = '\r'
	keyKill      = 0x15
	keyEscape    = 0x1b
	KeyDelete    = 0x7f
)

// inRaw runs use while a terminal hands on every key as it is pressed and shows
// none, and leaves the terminal as it was. What is read ends with an *[Interrupt]
// at ctrl-C and with context.Canceled when the command is told to stop.
func inRaw(stop <-chan struct{}, tty *os.File, use func(press func() ([]byte, error)) error) error {
	was, err := term.MakeRaw(int(tty.Fd()))
	if err != nil {
		return fmt.Errorf("set up the terminal: %w", err)
	}
	in := &Stoppable{tty, stop}
	err = use(func() ([]byte, error) {
		var keys [32]byte
		n, err := in.Read(keys[:])
		if err == nil && keys[0] == keyInterrupt {
			err = &Interrupt{syscall.SIGINT}
		}
		return keys[:n], err
	})
	return errors.Join(err, term.Restore(int(tty.Fd()), was))
}

// AskPassphrase returns what asks the person at the controlling terminal for the
// passphrase of a signing key, whatever standard input is.
func AskPassphrase(stop <-chan struct{}) func(file string) ([]byte, error) {
	return func(file string) (secret []byte, err error) {
		tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		if err != nil {
			return nil, err
		}
		defer tty.Close()
		err = inRaw(stop, tty, func(press func() ([]byte, error)) error {
			// Asked only now that nothing typed is shown.
			fmt.Fprintf(tty, "Enter passphrase for key '%s': ", text.VisibleLine(file))
			defer fmt.Fprint(tty, "\r\n")
			secret, err = readSecret(press)
			return err
		})
		return secret, err
	}
}

// readSecret reads a line that nobody sees.
func readSecret(press func() ([]byte, error)) ([]byte, error) {
	var line []byte
	for {
		keys, err := press()
		if err != nil {
			return nil, err
		}
		for _, k := range keys {
			switch k {
			case keyEnter, '\n':
				return line, nil
			case KeyEnd:
				return nil, io.EOF
			case keyInterrupt:
				return nil, &Interrupt{syscall.SIGINT}
			case keyErase, KeyDelete:
				line = line[:max(0, len(line)-1)]
			case keyKill:
				line = line[:0]
			default:
				line = append(line, k)
			}
		}
	}
}

// ReadLine reads a line as the terminal edits it, without its end. Nothing is
// read beyond it. At the end of the input it returns io.EOF.
func ReadLine(in io.Reader) (string, error) {
	var line []byte
	var b [1]byte
	for {
		n, err := in.Read(b[:])
		switch {
		case n > 0 && b[0] == '\n':
			return string(line), nil
		case n > 0:
			line = append(line, b[0])
		case errors.Is(err, io.EOF) && len(line) > 0:
			return string(line), nil
		case err != nil:
			return "", err
		}
	}
}

// ReadKey asks for one key press of a terminal, whose prompt goes to out. Of several
// pressed ahead only the first counts: nobody has seen what the next is asked about.
func ReadKey(stop <-chan struct{}, tty *os.File, out io.Writer, prompt string) (key byte, err error) {
	err = inRaw(stop, tty, func(press func() ([]byte, error)) error {
		if _, err := io.WriteString(out, prompt); err != nil {
			return err
		}
		keys, err := press()
		if err != nil {
			return err
		}
		if key = keys[0]; key == keyEscape && len(keys) > 1 {
			key = 0 // an arrow or the like
		}
		return nil
	})
	return key, err
}

// An Interrupt is the cause with which the context of a command is cancelled when a
// signal asks the process to end.
type Interrupt struct{ Signal syscall.Signal }

// Error is all that is said of it.
func (e *Interrupt) Error() string { return "interrupted" }
