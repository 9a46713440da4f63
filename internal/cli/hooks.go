package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/hooks"
	"github.com/git-ctx/git-ctx/internal/install"
	"github.com/git-ctx/git-ctx/internal/text"
)

func newHooksCmd(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "hooks", Short: "set up git's merges and hooks to know the context",
		Long: `Set up the merge driver, by which git merges checked out records as 'git ctx merge' does, and
git ctx's part of git's hooks. A hook that is there keeps its place and runs as before; where
husky, lefthook or pre-commit manages git's hooks, ours stands where that program looks.

A commit shows the decisions in force on the staged files and what is wrong with them, and stops
on errors only with ctx.hooks.block=true; its message names the work in hand in Ctx-Task and
Ctx-Decision trailers. With ctx.sync=push a push takes the context along, for at most
ctx.syncTimeout seconds (10). After an amend or a rebase anchors name the commits that are
there now. With ctx.follow context branches follow checkouts and merges of code.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args)
			}
			return needsOne(cmd)
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	for _, sub := range []struct {
		name, short string
		do          func(context.Context, *gitstore.Repo) ([]hooks.GitHook, error)
	}{
		{"install", "set up the merge driver and git's hooks", installHooks},
		{"uninstall", "take both out again", uninstallHooks},
		{"status", "say what is set up, and whether git uses it; exit 1 when not", hooks.StatusGit},
	} {
		cmd.AddCommand(&cobra.Command{Use: sub.name, Short: sub.short, Args: noArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				return runHooks(cmd.Context(), env, sub.do, sub.name == "uninstall")
			}})
	}
	return cmd
}

func installHooks(ctx context.Context, repo *gitstore.Repo) ([]hooks.GitHook, error) {
	if err := hooks.InstallDriver(ctx, repo); err != nil {
		return nil, err
	}
	return hooks.InstallGit(ctx, repo)
}

func uninstallHooks(ctx context.Context, repo *gitstore.Repo) ([]hooks.GitHook, error) {
	if err := hooks.UninstallDriver(ctx, repo); err != nil {
		return nil, err
	}
	return hooks.UninstallGit(ctx, repo)
}

// hooksJSON is the JSON answer of hooks.
type hooksJSON struct {
	Format int        `json:"format"`
	Driver driverJSON `json:"merge_driver"`
	Hooks  []hookJSON `json:"hooks"`
}

type driverJSON struct {
	Ready      bool   `json:"ready"`
	Command    string `json:"command,omitempty"`
	Attributes bool   `json:"attributes"`
	Runs       bool   `json:"runs"`
}

type hookJSON struct {
	Name  string        `json:"name"`
	State install.State `json:"state"`
	Path  string        `json:"path"`
	Via   string        `json:"via,omitempty"`
	Why   string        `json:"why,omitempty"`
	Lines string        `json:"lines,omitempty"`
}

func runHooks(ctx context.Context, env *Env, do func(context.Context, *gitstore.Repo) ([]hooks.GitHook, error), gone bool) error {
	if err := env.formats(); err != nil {
		return err
	}
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	found, err := do(ctx, led.Repo())
	if err != nil {
		return err
	}
	d, err := hooks.DriverStatus(ctx, led.Repo())
	if err != nil {
		return err
	}
	out := hooksJSON{Format: jsonFormat, Driver: driverJSON{d.Ready(), d.Command, d.Attributes, d.Runs}, Hooks: []hookJSON{}}
	ready := d.Ready()
	for _, h := range found {
		out.Hooks = append(out.Hooks, hookJSON{h.Name, h.State, h.Path, h.Via, h.Why, h.Lines})
		ready = ready && h.State == install.Installed
	}
	if env.json() {
		err = env.writeJSON(out)
	} else {
		err = env.writeHooks(out)
	}
	if err == nil && !ready && !gone {
		return errNo
	}
	return err
}

func (e *Env) writeHooks(out hooksJSON) error {
	driver := "installed"
	switch {
	case out.Driver.Ready:
	case out.Driver.Command == "" && !out.Driver.Attributes:
		driver = "absent"
	case !out.Driver.Attributes:
		driver = "bypassed: git's attributes do not give it the records"
	case !out.Driver.Runs:
		driver = "broken: git does not find git-ctx, so put it on PATH"
	default:
		driver = fmt.Sprintf("bypassed: merge.ctx.driver is '%s'", out.Driver.Command)
	}
	if _, err := fmt.Fprintf(e.Stdout, "%-18s  %s\n", "merge driver", text.Visible(driver)); err != nil {
		return err
	}
	for _, h := range out.Hooks {
		state := string(h.State)
		if h.State == install.Bypassed {
			state = "installed but bypassed"
		}
		if h.Via != "" && h.State == install.Installed {
			state += " through " + h.Via
		}
		if h.Why != "" {
			state += ": " + h.Why
		}
		if _, err := fmt.Fprintf(e.Stdout, "%-18s  %s (%s)\n", h.Name, text.VisibleLine(state), text.VisibleLine(h.Path)); err != nil {
			return err
		}
		if lines := strings.TrimSuffix(h.Lines, "\n"); strings.Contains(lines, "\n") {
			e.note("hint: add to its configuration:\n%s", lines)
		} else if lines != "" {
			e.note("hint: have that hook call: %s", lines)
		}
	}
	return nil
}

func newHookCmd(env *Env) *cobra.Command {
	return &cobra.Command{
		Use: "hook NAME [ARG...]", Short: "do git ctx's part of a git hook; git runs it", Hidden: true, DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("git ctx hooks status", "'hook' needs the name of a git hook")
			}
			return runHook(cmd.Context(), env, args[0], args[1:])
		},
	}
}

// runHook never fails what the user was doing, but where ctx.hooks.block asks
// for that: it tells and ends well.
func runHook(ctx context.Context, env *Env, name string, args []string) error {
	env.Environ = hooks.Environ(name, env.Environ)
	env.projectOnly = true // what it writes into commits and sends to remotes is everybody's
	led, err := env.ledger(ctx)
	if err == nil {
		err = hooks.Run(ctx, led, hooks.Call{Name: name, Args: args, In: env.Stdin, Out: plainWriter{env.Stderr}})
	}
	switch {
	case errors.Is(err, hooks.ErrStop):
		return errNo
	case err != nil:
		env.note("git ctx: its part of the %s hook failed: %v", name, err)
	}
	return nil
}

// plainWriter shows what could drive a terminal as escapes.
type plainWriter struct{ w io.Writer }

func (p plainWriter) Write(b []byte) (int, error) {
	if _, err := io.WriteString(p.w, text.Visible(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// setUpMerges installs the merge driver where a command makes a store. It is no
// condition of one, so a failure is only told.
func (e *Env) setUpMerges(ctx context.Context, repo *gitstore.Repo) {
	if err := hooks.InstallDriver(ctx, repo); err != nil {
		e.note("warning: %v: git will not merge checked out records before 'git ctx hooks install'", err)
	}
}
