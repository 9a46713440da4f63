package cli

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
)

type mcpOptions struct {
	mode, http, tokenFile, actor string
}

// MCPProgram is the program that holds the MCP server. Git keeps what links much
// and is seldom run in programs of their own, so that all others start quickly.
const MCPProgram = "git-ctx-mcp"

// An MCPRun is what the command mcp asks the server for.
type MCPRun struct {
	Write bool // offer the tools that write
	// Version is the program's, Agent the name that writes are recorded under, ""
	// being the client's.
	Version, Agent string
	Session, Model string
	// Open opens the repository anew for each call, as this command line names it or,
	// where dir is not empty, at a directory.
	Open   func(ctx context.Context, dir string, a ledger.Author, noIndex bool) (*ledger.Ledger, error)
	Random func(n int) ([]byte, error)
	Log    *slog.Logger
	// In and Out are the streams of one client, where HTTP is "".
	In  io.Reader
	Out io.Writer
	// HTTP is the address to listen at for clients that know the token.
	HTTP, Token string
	Listening   func(url string)
}

// The modes of the MCP server.
const (
	modeRead  = "read"
	modeWrite = "write"
)

// tokenVariable holds the bearer token of an HTTP server.
const tokenVariable = "CTX_MCP_TOKEN"

func newMCPCmd(env *Env) *cobra.Command {
	o := &mcpOptions{}
	cmd := &cobra.Command{
		Use: "mcp", Short: "serve agents over the Model Context Protocol", Args: noArgs,
		Long: `Serve one agent over standard input and output, or several over streamable HTTP at
http://ADDR/mcp, on the loopback interface alone and for those who know the bearer token: that of
--token-file or $CTX_MCP_TOKEN, else a new one that is printed on standard error.

The server reads only, unless --mode write adds the tools add, update, apply and checkpoint. Whoever
the client is, it is recorded as an agent, by the name it gives itself, and what only a person
may decide becomes a proposal.

The repository is the one found at start, with -C and --git-dir as everywhere; where there is none,
standard input's client is asked for its roots. No call leads to another. With --scope the server sees
and writes that scope beside the project, and no call widens it.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runMCP(cmd.Context(), env, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.mode, "mode", modeRead, "`MODE`: read or write")
	f.StringVar(&o.http, "http", "", "serve HTTP at `ADDR`, as 127.0.0.1:8080; port 0 takes a free one")
	f.StringVar(&o.tokenFile, "token-file", "", "read the bearer token from `FILE`")
	f.StringVar(&o.actor, "actor", "", "record writes as agent/`NAME`, not by the client's name")
	return cmd
}

func runMCP(ctx context.Context, env *Env, o *mcpOptions) error {
	switch {
	case o.mode != modeRead && o.mode != modeWrite:
		return usagef("git ctx mcp --mode write", "unknown --mode '%s': it is read or write", o.mode)
	case o.tokenFile != "" && o.http == "":
		return usagef("git ctx mcp --http 127.0.0.1:0 --token-file FILE", "option '--token-file' goes with '--http'")
	case env.ServeMCP == nil:
		return env.execMCP(ctx, o)
	}
	open, err := env.openEach()
	if err != nil {
		return err
	}
	run := MCPRun{
		Write: o.mode == modeWrite, Version: Version, Agent: o.actor, Session: env.Getenv("CTX_SESSION"), Model: env.Getenv("CTX_MODEL"),
		Open: open, Random: env.random, Log: slog.New(slog.NewTextHandler(env.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		In: env.Stdin, Out: env.unheld(), HTTP: o.http,
	}
	if o.http != "" {
		made := false
		if run.Token, made, err = env.token(o.tokenFile); err != nil {
			return err
		}
		run.Listening = func(url string) {
			env.note("serving %s", url)
			if made {
				env.note("bearer token: %s", run.Token)
			}
		}
	}
	return env.ServeMCP(ctx, run)
}

// execMCP hands over to the program that holds the server: the one beside this
// program, else the one on PATH.
func (e *Env) execMCP(ctx context.Context, o *mcpOptions) error {
	program, err := findBeside(MCPProgram)
	if err != nil {
		return &hintedError{fmt.Errorf("program '%s': %w", MCPProgram, err), "go install github.com/git-ctx/git-ctx/cmd/" + MCPProgram + "@latest"}
	}
	args := []string{program}
	for _, f := range []struct{ flag, value string }{{"-C", e.dir}, {"--git-dir", e.gitDir}, {"--scope", e.scope}, {"--mode", o.mode}, {"--http", o.http},
		{"--token-file", o.tokenFile}, {"--actor", o.actor}} {
		if f.value != "" {
			args = append(args, f.flag, f.value)
		}
	}
	if err := become(ctx, args, e.Environ); err != nil {
		return fmt.Errorf("run '%s': %w", program, err)
	}
	return nil
}

// findBeside finds a program of ours: in the folder of this one, else on PATH.
func findBeside(name string) (string, error) {
	if self, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		if found, err := exec.LookPath(filepath.Join(filepath.Dir(self), name)); err == nil {
			return found, nil
		}
	}
	found, err := exec.LookPath(name)
	if err != nil {
		return "", errors.New("it is neither beside this program nor on PATH")
	}
	return found, nil
}

// token is the bearer token of the file or the environment, else a new one.
func (e *Env) token(file string) (token string, made bool, err error) {
	given := e.Getenv(tokenVariable)
	if file != "" {
		data, err := e.readInput(file, 4<<10, "a token file holds")
		if err != nil {
			return "", false, err
		}
		given = string(data)
	}
	const least = 16
	if given = strings.TrimSpace(given); len(given) >= least {
		return given, false, nil
	}
	if given != "" || file != "" {
		return "", false, fmt.Errorf("bearer token: it has %d characters, and %d are the least", len(given), least)
	}
	b, err := e.random(24)
	return hex.EncodeToString(b), true, err
}

// openEach returns what opens the repository anew for each call of a server, as
// this command line and environment name it, or at a directory.
func (e *Env) openEach() (func(context.Context, string, ledger.Author, bool) (*ledger.Ledger, error), error) {
	start, err := filepath.Abs(e.dir)
	if err != nil {
		return nil, fmt.Errorf("option '-C' '%s': %w", e.dir, err)
	}
	scope, err := e.boundScope()
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, dir string, a ledger.Author, noIndex bool) (*ledger.Ledger, error) {
		o := gitstore.Options{Dir: dir, Env: e.Environ}
		if dir == "" {
			o.Dir, o.GitDir = start, e.gitDir
		}
		repo, err := gitstore.Open(ctx, o)
		if err != nil {
			return nil, err
		}
		return bound(ctx, repo, ledger.Options{Author: a, Scope: scope, Now: e.Now, Random: e.Random, NoIndex: noIndex})
	}, nil
}

func (e *Env) random(n int) ([]byte, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(e.Random, b); err != nil {
		return nil, fmt.Errorf("read random bytes: %w", err)
	}
	return b, nil
}
