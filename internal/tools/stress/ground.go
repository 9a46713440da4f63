package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	branchRef    = "refs/ctx/heads/main"
	neighbourRef = "refs/ctx/other" // of a name that means nothing to us
	codeRef      = "refs/heads/x"
)

// userConfig gives git's own commands the time for locks that ours give it: on
// a busy machine they wait for each other longer than a tenth of a second.
const userConfig = `[user]
	name = Ada Example
	email = ada@example.com
[core]
	filesRefLockTimeout = 5000
	packedRefsTimeout = 10000
`

// ground is the repository that everybody works in.
type ground struct {
	dir, bin string
	env      []string
	goal     string // a record that readers show
	base     string // the branch's commit before the writers began
}

// found makes the repository, with a store in it.
func found(ctx context.Context, dir, bin string) (*ground, error) {
	g := &ground{dir: filepath.Join(dir, "repo"), bin: bin}
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") {
			g.env = append(g.env, kv)
		}
	}
	config := filepath.Join(dir, "gitconfig")
	g.env = append(g.env, "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+config)
	if err := os.MkdirAll(g.dir, 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(config, []byte(userConfig), 0o644); err != nil {
		return nil, err
	}
	commit := []string{"commit", "--quiet", "--allow-empty", "-m", "code"}
	for _, args := range [][]string{{"init", "--quiet"}, commit, commit} {
		if _, err := g.git(ctx, args...); err != nil {
			return nil, err
		}
	}
	if _, err := g.ctx(ctx, g.dir, "init", "--review", "any"); err != nil {
		return nil, err
	}
	var err error
	if g.goal, err = g.ctx(ctx, g.dir, "goal", "add", "Keep p99 under 50 ms"); err != nil {
		return nil, err
	}
	g.base, err = g.git(ctx, "rev-parse", branchRef)
	return g, err
}

func (g *ground) git(ctx context.Context, args ...string) (string, error) {
	return g.exec(ctx, g.dir, "git", args...)
}

func (g *ground) ctx(ctx context.Context, dir string, args ...string) (string, error) {
	return g.exec(ctx, dir, g.bin, args...)
}

// exec runs a program; its error holds what it said.
func (g *ground) exec(ctx context.Context, dir, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = dir, g.env
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = errors.New(exit.String() + ": " + strings.TrimSpace(string(exit.Stderr)))
	}
	if err != nil {
		err = fmt.Errorf("%s %s: %w", filepath.Base(program), strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), err
}
