package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/crypto/ssh"
	"golang.org/x/term"
)

// sshkey is `sshkey FILE [PASSPHRASE]`: it makes a key pair, FILE and FILE.pub.
func sshkey() {
	err := makeKey(os.Args[1], os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "sshkey:", err)
		os.Exit(3)
	}
	os.Exit(0)
}

func makeKey(file string, passphrase []string) error {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	var block *pem.Block
	if len(passphrase) > 0 {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte(passphrase[0]))
	} else {
		block, err = ssh.MarshalPrivateKey(private, "")
	}
	if err != nil {
		return err
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
		return err
	}
	return os.WriteFile(file+".pub", ssh.MarshalAuthorizedKey(key), 0o644)
}

// types is `types KEYS COMMAND`: it runs the command at a terminal of its own,
// as a person does, and types the words of KEYS, one each time the terminal
// shows a prompt. In a word ^D, ^C and ^M stand for those keys, and _ for a
// space; the word ^! resizes the terminal and types nothing; ^RUN runs
// $MEANWHILE in a shell first; ^[ is escape; ^TERM ends the command by a signal. What the terminal showed goes to standard output without
// carriage returns. It fails when the terminal is left in another mode, and when a
// minute passes without a prompt that it knows.
func types() {
	code, err := typeAt(strings.Fields(os.Args[1]), os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "types:", err)
		os.Exit(3)
	}
	os.Exit(code)
}

func typeAt(words, command []string) (int, error) {
	keys, terminal, err := pty.Open()
	if err != nil {
		return 0, err
	}
	defer keys.Close()
	if err := pty.Setsize(keys, &pty.Winsize{Rows: 50, Cols: 200}); err != nil {
		return 0, err
	}
	before, err := term.GetState(int(terminal.Fd()))
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	shown := make(chan []byte)
	go func() {
		defer close(shown)
		buf := make([]byte, 4096)
		for {
			n, err := keys.Read(buf)
			if n > 0 {
				shown <- bytes.Clone(buf[:n])
			}
			if err != nil {
				return
			}
		}
	}()
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	t := &typist{words: words, keys: keys, process: cmd.Process}
	for {
		select {
		case <-time.After(time.Minute):
			_ = cmd.Process.Kill()
			return 0, fmt.Errorf("nothing happened for a minute, with %q left to type, after\n%s", t.words, t.all.String())
		case data, ok := <-shown:
			if !ok {
				return 0, io.ErrUnexpectedEOF // we hold the terminal open, so this cannot be
			}
			if err := t.saw(data); err != nil {
				return 0, err
			}
		case err := <-done:
			after, merr := term.GetState(int(terminal.Fd()))
			if merr != nil {
				return 0, merr
			}
			_ = terminal.Close() // ends the reading of what is left to show
			for data := range shown {
				t.all.Write(data)
			}
			_, _ = os.Stdout.Write(bytes.ReplaceAll(t.all.Bytes(), []byte("\r"), nil))
			if !reflect.DeepEqual(before, after) {
				return 0, fmt.Errorf("the terminal was left in another mode")
			}
			if len(t.words) > 0 {
				return 0, fmt.Errorf("there was no prompt for %q", t.words)
			}
			return signalled(exitCode(err), cmd), nil
		}
	}
}

// signalled is the status by which a shell tells of a process that a signal ended.
func signalled(code int, cmd *exec.Cmd) int {
	if w, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return code
}

// A typist answers prompts.
type typist struct {
	words   []string
	keys    *os.File
	process *os.Process
	all     bytes.Buffer
	tail    string // since the last answer
}

// prompts are the ends of what is shown when an answer is waited for.
var prompts = []string{"?]: ", "reason: ", "': ", "> ", "[y/N] "}

func (t *typist) saw(data []byte) error {
	t.all.Write(data)
	t.tail += string(data)
	for _, p := range prompts {
		if strings.HasSuffix(t.tail, p) {
			t.tail = ""
			return t.answer()
		}
	}
	return nil
}

func (t *typist) answer() error {
	if len(t.words) == 0 {
		return fmt.Errorf("there is nothing left to type at\n%s", t.all.String())
	}
	word := t.words[0]
	t.words = t.words[1:]
	switch word {
	case "^!":
		if err := pty.Setsize(t.keys, &pty.Winsize{Rows: 10, Cols: 30}); err != nil {
			return err
		}
		return t.answer()
	case "^RUN":
		cmd := exec.Command("sh", "-ec", os.Getenv("MEANWHILE"))
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("meanwhile: %w", err)
		}
		return t.answer()
	case "^TERM":
		return t.process.Signal(syscall.SIGTERM)
	}
	word = strings.NewReplacer("^D", "\x04", "^C", "\x03", "^M", "\r", "^[", "\x1b", "_", " ").Replace(word)
	_, err := t.keys.WriteString(word)
	return err
}
