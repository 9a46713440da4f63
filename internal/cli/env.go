// Package cli is the command line: one file a command, each an options struct
// and a function that runs it. It owns flags, help, output forms, error text and
// exit statuses; what the commands do is the ledger's and the packages' below it.
package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/ledger"
)

// An Env is everything a command takes from the process it runs in.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Environ        []string
	Now            func() time.Time
	Random         io.Reader
	// StdinTTY, StdoutTTY and StderrTTY tell whether these streams are terminals;
	// ControlTTY whether the process has a controlling terminal at all.
	StdinTTY, StdoutTTY, StderrTTY, ControlTTY bool

	// ServeMCP runs the MCP server; nil in programs that do not hold it.
	ServeMCP func(context.Context, MCPRun) error

	// HookWait is how long an agent's host may be kept waiting.
	HookWait time.Duration

	// Set by the global flags.
	dir, gitDir string
	scope       string
	// projectOnly leaves out whatever scope the environment binds the process to.
	projectOnly bool
	format      string
	noPager     bool
	// allowSecrets are the rules for secrets that a command that writes lets pass.
	allowSecrets []string

	stop <-chan struct{} // closed when the command is to end early

	noIndex bool
	repo    *gitstore.Repo
	led     *ledger.Ledger
}

// OSEnv returns the environment of this process.
func OSEnv() *Env {
	return &Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Environ: os.Environ(),
		Now: time.Now, Random: rand.Reader, HookWait: usualHookWait,
		StdinTTY: term.IsTerminal(int(os.Stdin.Fd())), StdoutTTY: term.IsTerminal(int(os.Stdout.Fd())),
		StderrTTY:  term.IsTerminal(int(os.Stderr.Fd())),
		ControlTTY: hasControllingTerminal(),
	}
}

func hasControllingTerminal() bool {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return false
	}
	_ = f.Close()
	return true
}

// passphrase asks a person for that of a signing key; nil where there is no terminal.
func (e *Env) passphrase() func(file string) ([]byte, error) {
	if !e.ControlTTY {
		return nil
	}
	return ui.AskPassphrase(e.stop)
}

// json reports whether the answer is wanted as JSON.
func (e *Env) json() bool { return e.format == "json" }

// ledger opens the repository's ledger, once.
func (e *Env) ledger(ctx context.Context) (*ledger.Ledger, error) {
	if e.repo != nil {
		return e.led, nil
	}
	if err := checkSecretRules(e.allowSecrets); err != nil {
		return nil, err
	}
	scope, err := e.boundScope()
	if err != nil {
		return nil, err
	}
	if e.dir != "" {
		info, err := os.Stat(e.dir)
		if err == nil && !info.IsDir() {
			err = errors.New("it is not a directory")
		}
		if err != nil {
			return nil, &hintedError{fmt.Errorf("option '-C' '%s': %w", e.dir, trimPath(err)), "name a directory that is there"}
		}
	}
	repo, err := gitstore.Open(ctx, gitstore.Options{Dir: e.dir, GitDir: e.gitDir, Env: e.Environ})
	if err != nil {
		return nil, err
	}
	led, err := bound(ctx, repo, ledger.Options{
		Author: e.author(), Scope: scope, Now: e.Now, Random: e.Random, NoIndex: e.noIndex, Getenv: e.Getenv, Passphrase: e.passphrase(),
		AllowSecrets: e.allowSecrets,
	})
	if err != nil {
		return nil, err
	}
	e.repo, e.led = repo, led
	return led, nil
}

// close ends the use of the repository. The error says that part of what was
// answered may be wrong, as an index could not be read whole.
func (e *Env) close() error {
	if e.repo == nil {
		return nil
	}
	err := e.led.Close()
	_ = e.repo.Close() // all that was asked of it was answered
	e.repo = nil
	return err
}

// wrote reports whether the command moved a ref.
func (e *Env) wrote() bool { return e.led != nil && e.led.Wrote() }
