package cli

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/hooks"
	"github.com/git-ctx/git-ctx/internal/agenthost"
	"github.com/git-ctx/git-ctx/internal/install"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

type agentOptions struct {
	user, readOnly bool
	script         scriptFlags
	names          []string
}

type agentVerb struct {
	name, short string
	do          func(agenthost.Options, []string) ([]agenthost.File, error)
}

func newAgentCmd(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "agent", Short: "give coding agents the context without their asking",
		Long: "Register git ctx with the hosts of coding agents: its MCP server, the hooks that hand a session its\n" +
			"packet, and a few lines in the instructions. HOST is claude, codex, gemini, cursor, copilot or opencode;\n" +
			"without any they are those that the project has files of, or that are on PATH. docs/agents.md tells\n" +
			"which files that is.",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args)
			}
			return needsOne(cmd)
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	for _, v := range []agentVerb{
		{"install", "set hosts up; what else is in their files keeps its bytes", agenthost.Install},
		{"uninstall", "take it out again", agenthost.Uninstall},
		{"status", "say what is set up; exit 1 when something is not", agenthost.Status},
	} {
		cmd.AddCommand(newAgentVerb(env, v))
	}
	cmd.AddCommand(newAgentHookCmd(env))
	return cmd
}

func newAgentVerb(env *Env, v agentVerb) *cobra.Command {
	o := &agentOptions{}
	cmd := &cobra.Command{
		Use: v.name + " [HOST...]", Short: v.short, Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.names = args
			return runAgent(cmd.Context(), env, v, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.user, "user", false, "in the files of the user, for all projects, instead of the project's")
	if v.name == "install" {
		f.BoolVar(&o.readOnly, "read-only", false, "register the server without the tools that write")
	}
	o.script.bind(f, "host, part, state, path")
	return cmd
}

// agentJSON is the JSON answer of agent.
type agentJSON struct {
	Format int             `json:"format"`
	User   bool            `json:"user"`
	Files  []agentFileJSON `json:"files"`
}

type agentFileJSON struct {
	Host    string        `json:"host"`
	Part    string        `json:"part"`
	Path    string        `json:"path"`
	State   install.State `json:"state"`
	Why     string        `json:"why,omitempty"`
	Changed bool          `json:"changed"`
}

func runAgent(ctx context.Context, env *Env, v agentVerb, o *agentOptions) error {
	if err := env.formats(); err != nil {
		return err
	}
	at, err := env.agentPlace(ctx, o)
	if err != nil {
		return err
	}
	names := o.names
	if len(names) == 0 {
		if names = agenthost.Find(at); len(names) == 0 {
			return &hintedError{errors.New("no agent's host is found in this project or on PATH"), "git ctx agent " + v.name + " claude"}
		}
		env.note("found: %s", strings.Join(names, ", "))
	}
	found, err := v.do(at, names)
	var unknown *agenthost.UnknownHostError
	if errors.As(err, &unknown) {
		return usagef("git ctx agent "+v.name+" claude", "%w", err)
	}
	if err != nil {
		return err
	}
	if err := env.writeAgents(v, o, found); err != nil {
		return err
	}
	for _, f := range found {
		if v.name != "uninstall" && f.State != install.Installed {
			return errNo
		}
	}
	return nil
}

// agentPlace is where the files are: below the worktree's top, or the home directory.
func (e *Env) agentPlace(ctx context.Context, o *agentOptions) (agenthost.Options, error) {
	at := agenthost.Options{User: o.user, ReadOnly: o.readOnly, OnPath: func(program string) bool {
		_, err := exec.LookPath(program)
		return err == nil
	}}
	if o.user {
		at.Root = e.Getenv("HOME")
		if at.Root == "" {
			return at, &hintedError{errors.New("HOME is not set, so the user's files are not known"), "git ctx agent status"}
		}
		state := e.Getenv("XDG_STATE_HOME")
		if state == "" {
			state = filepath.Join(at.Root, ".local", "state")
		}
		at.Backups = filepath.Join(state, "git-ctx", "agents")
		return at, nil
	}
	led, err := e.ledger(ctx)
	if err != nil {
		return at, err
	}
	if at.Root = led.Repo().WorkTree(); at.Root == "" {
		return at, &hintedError{errors.New("a bare repository has no files for agents"), "git ctx agent install --user"}
	}
	at.Backups = filepath.Join(led.Repo().CommonDir(), "ctx", "agents")
	return at, nil
}

func (e *Env) writeAgents(v agentVerb, o *agentOptions, found []agenthost.File) error {
	if e.json() {
		out := agentJSON{Format: jsonFormat, User: o.user, Files: []agentFileJSON{}}
		for _, f := range found {
			out.Files = append(out.Files, agentFileJSON(f))
		}
		return e.writeJSON(out)
	}
	for _, f := range found {
		if o.script.wanted() {
			if err := o.script.row(e, f.Host, f.Part, string(f.State), f.Path); err != nil {
				return err
			}
			continue
		}
		state := string(f.State)
		if f.Why != "" {
			state += ": " + f.Why
		}
		if _, err := fmt.Fprintf(e.Stdout, "%-8s  %-12s  %s (%s)\n", f.Host, f.Part, text.Visible(state), text.Visible(f.Path)); err != nil {
			return err
		}
	}
	if v.name == "install" && !o.script.wanted() {
		for _, f := range found {
			if f.Host == "codex" && f.Changed {
				e.note("hint: codex runs hooks that you trust: /hooks in a session shows them")
				break
			}
		}
	}
	return nil
}

func newAgentHookCmd(env *Env) *cobra.Command {
	return &cobra.Command{
		Use: "hook HOST EVENT", Short: "answer an event of an agent's host; the host runs it", Hidden: true,
		Args: cobra.ArbitraryArgs, FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := fmt.Fprint(env.Stdout, runAgentHook(cmd.Context(), env, args))
			return err
		},
	}
}

// runAgentHook answers within the time that an agent may be kept waiting, whatever
// happens, and says nothing of what went wrong: the host would show that, or take
// it for an answer.
func runAgentHook(ctx context.Context, env *Env, args []string) string {
	if len(args) != 2 {
		return agenthost.NoAnswer
	}
	ctx, cancel := context.WithTimeout(ctx, env.HookWait)
	defer cancel()
	run := agenthost.Hook{Version: Version, Getenv: env.Getenv, Open: env.openForAgent(args[0])}
	answered := make(chan string, 1)
	go func() {
		text, err := run.Run(ctx, args[0], args[1], env.Stdin)
		if err != nil {
			text = agenthost.NoAnswer
		}
		answered <- text
	}()
	select {
	case text := <-answered:
		return text
	case <-ctx.Done():
		return agenthost.NoAnswer // what still runs ends with the process
	}
}

// openForAgent opens repositories for a host's sessions. It is not [Env.ledger],
// which would have to be closed before the hook may end.
func (e *Env) openForAgent(host string) func(context.Context, string, string) (*ledger.Ledger, error) {
	return func(ctx context.Context, dir, session string) (*ledger.Ledger, error) {
		scope, err := e.boundScope()
		if err != nil {
			return nil, err
		}
		repo, err := gitstore.Open(ctx, gitstore.Options{Dir: dir, Env: hooks.Scrubbed(e.Environ)})
		if err != nil {
			return nil, err
		}
		if session == "" {
			session = e.Getenv("CTX_SESSION")
		}
		author := ledger.Author{Actor: records.Agent(host), Tool: "git-ctx/" + Version, Session: session}
		return bound(ctx, repo, ledger.Options{Author: author, Scope: scope, Now: e.Now, Random: e.Random, Getenv: e.Getenv})
	}
}

// usualHookWait leaves a host that waits for a second some of it.
const usualHookWait = 900 * time.Millisecond
