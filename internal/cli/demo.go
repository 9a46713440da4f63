package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

func newDemoCmd(env *Env) *cobra.Command {
	var keep string
	cmd := &cobra.Command{
		Use: "demo", Short: "tell a short story in a scratch repository", Args: noArgs,
		Long: `Runs the real commands in a repository of its own, which is removed at the end,
and touches nothing else.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDemo(cmd.Context(), env, keep) },
	}
	cmd.Flags().StringVar(&keep, "keep", "", "make the repository in `DIR`, a new folder, and leave it there")
	return cmd
}

// runDemo plays the story in a scratch repository.
func runDemo(ctx context.Context, env *Env, keep string) (err error) {
	home, err := os.MkdirTemp("", "git-ctx-demo-")
	if err != nil {
		return fmt.Errorf("make a folder for the demo: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	dir := filepath.Join(home, "shop")
	if keep != "" {
		if dir, err = filepath.Abs(env.path(keep)); err != nil {
			return fmt.Errorf("find '%s': %w", keep, err)
		}
		if _, err := os.Lstat(dir); err == nil {
			return usagef("", "keep '%s': it exists already, and the demo wants a folder of its own", keep)
		}
	}
	s := &stage{env: env, dir: dir, environ: demoEnviron(env, home), named: make(map[string]string)}
	if err := s.build(ctx, home); err != nil {
		return err
	}
	for _, scene := range story {
		if err := s.play(ctx, scene); err != nil {
			return err
		}
	}
	if keep != "" {
		env.note("the repository is in %s", dir)
	}
	return nil
}

// demoEnviron is an environment in which git knows one made-up user and reads
// no configuration of the machine's.
func demoEnviron(env *Env, home string) []string {
	var out []string
	for _, kv := range env.Environ {
		name, _, _ := strings.Cut(kv, "=")
		switch {
		case strings.HasPrefix(name, "GIT_"), strings.HasPrefix(name, "CTX_"), strings.HasPrefix(name, "XDG_"), name == "HOME":
		default:
			out = append(out, kv)
		}
	}
	return append(out, "HOME="+home, "XDG_CONFIG_HOME="+home, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL="+filepath.Join(home, "gitconfig"), "GIT_TERMINAL_PROMPT=0", "CTX_AGENT=ada-agent")
}

const demoConfig = `[user]
	name = Ada Example
	email = ada@example.com
[init]
	defaultBranch = main
[maintenance]
	auto = false
[gc]
	auto = 0
`

// A stage is the scratch repository with what the story has named so far.
type stage struct {
	env     *Env
	dir     string
	environ []string
	named   map[string]string // ids by the name a step gives them
}

// build makes the repository, with one file of code.
func (s *stage) build(ctx context.Context, home string) error {
	if err := os.WriteFile(filepath.Join(home, "gitconfig"), []byte(demoConfig), 0o600); err != nil {
		return fmt.Errorf("write the demo's configuration: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(s.dir, "checkout"), 0o777); err != nil {
		return fmt.Errorf("make '%s': %w", s.dir, trimPath(err))
	}
	code := filepath.Join(s.dir, "checkout", "payment.go")
	if err := os.WriteFile(code, []byte("package checkout\n\nconst retries = 4\n"), 0o666); err != nil {
		return fmt.Errorf("write '%s': %w", code, trimPath(err))
	}
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "checkout"}, {"commit", "--quiet", "--message", "Checkout talks to the payment service"}} {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir, cmd.Env = s.dir, s.environ
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s in the demo's repository: %w: %s", args[0], err, bytes.TrimSpace(out))
		}
	}
	return nil
}

// play prints a scene's heading and runs its steps.
func (s *stage) play(ctx context.Context, sc scene) error {
	if _, err := fmt.Fprintf(s.env.Stdout, "\n# %s\n", sc.what); err != nil {
		return err
	}
	for _, st := range sc.steps {
		if err := s.run(ctx, st); err != nil {
			return err
		}
	}
	return nil
}

// run runs one command in this process and prints it with what it said.
func (s *stage) run(ctx context.Context, st step) error {
	args := make([]string, len(st.args))
	for i, a := range st.args {
		args[i] = os.Expand(a, func(name string) string { return s.named[name] })
	}
	environ, prompt := s.environ, "$ "
	if st.agent != "" {
		environ = append(environ[:len(environ):len(environ)], "CTX_AGENT="+st.agent)
		prompt += "CTX_AGENT=" + st.agent + " "
	}
	if _, err := fmt.Fprintf(s.env.Stdout, "%sgit ctx %s\n", prompt, strings.Join(quoteAll(args), " ")); err != nil {
		return err
	}
	var out, talk bytes.Buffer
	got := Main(ctx, &Env{
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &talk, Environ: environ, Getenv: lookupIn(environ),
		Now: s.env.Now, Random: s.env.Random,
	}, append([]string{"-C", s.dir}, args...))
	if st.name != "" {
		s.named[st.name] = strings.TrimSpace(out.String())
	}
	if _, err := fmt.Fprint(s.env.Stdout, out.String(), talk.String()); err != nil {
		return err
	}
	if got != st.status {
		return fmt.Errorf("demo step '%s': it ended with status %d, and the story wants %d", st.args[0], got, st.status)
	}
	return nil
}

// lookupIn looks variables up in an environment, the last of a name counting.
func lookupIn(environ []string) func(string) string {
	return func(name string) string {
		for i := len(environ) - 1; i >= 0; i-- {
			if v, ok := strings.CutPrefix(environ[i], name+"="); ok {
				return v
			}
		}
		return ""
	}
}
