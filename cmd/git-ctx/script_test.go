package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/git-ctx/git-ctx/internal/cli"
	"github.com/git-ctx/git-ctx/internal/gittest"
	"github.com/git-ctx/git-ctx/internal/mcpserver"
)

// TestMain makes the programs that scripts can run: git-ctx itself; `human
// COMMAND`, which gives the command a controlling terminal, so that git ctx
// takes it for a person's; `exits N COMMAND`, which succeeds when the command
// exits with status N; `sshkey FILE [PASSPHRASE]`, which makes a key pair; and
// `types KEYS COMMAND`, see [types]; `handmade FILE EDIT`, see [handmade]. The
// last, conform, is TestConformance's.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"git-ctx": patient, "git-ctx-mcp": mcpProgram, "human": human, "exits": exits, "conform": conform, "sshkey": sshkey, "types": types, "handmade": handmade})
}

// patient is main, but that an agent's host is kept waiting on a slow machine.
func patient() {
	env := cli.OSEnv()
	env.HookWait = time.Minute
	os.Exit(cli.Process(env, os.Args[1:]))
}

// TestScripts runs testdata/script. $SHARED is a folder of real input that may
// lie beside the repository; the condition [shared] tells whether it does.
func TestScripts(t *testing.T) {
	testscript.Run(t, scriptParams(t, "testdata/script"))
}

// scriptParams gives the scripts of a folder a hermetic home and our commands.
func scriptParams(t *testing.T, dir string) testscript.Params {
	t.Helper()
	sharedData, err := filepath.Abs("../../../shared/data")
	if err != nil {
		t.Fatal(err)
	}
	return testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(e *testscript.Env) error {
			for _, kv := range gittest.Env(e.WorkDir) {
				k, v, _ := strings.Cut(kv, "=")
				if k == "HOME" || strings.HasPrefix(k, "GIT_") || strings.HasPrefix(k, "XDG_") || strings.HasPrefix(k, "LC_") {
					e.Setenv(k, v)
				}
			}
			e.Setenv("SHARED", sharedData)
			return os.WriteFile(filepath.Join(e.WorkDir, ".gitconfig"), []byte(gittest.GlobalConfig), 0o644)
		},
		Condition: func(cond string) (bool, error) {
			if cond != "shared" {
				return false, fmt.Errorf("unknown condition %q", cond)
			}
			_, err := os.Stat(sharedData)
			return err == nil, nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"id": cmdID},
	}
}

// cmdID is `id NAME`: it sets $NAME to the last command's standard output.
func cmdID(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: id NAME")
	}
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile("stdout")))
}

// mcpProgram is the program that git ctx mcp becomes.
func mcpProgram() {
	env := cli.OSEnv()
	env.ServeMCP = func(ctx context.Context, r cli.MCPRun) error { return mcpserver.Serve(ctx, mcpserver.Options(r)) }
	os.Exit(cli.Process(env, append([]string{"mcp"}, os.Args[1:]...)))
}

func human() {
	tty, terminal, err := pty.Open()
	if err != nil {
		fmt.Fprintln(os.Stderr, "human:", err)
		os.Exit(3)
	}
	defer tty.Close()
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{terminal}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	os.Exit(exitCode(cmd.Run()))
}

func exits() {
	want, err := strconv.Atoi(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "usage: exits N COMMAND")
		os.Exit(3)
	}
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if got := exitCode(cmd.Run()); got != want {
		fmt.Fprintf(os.Stderr, "exits: status %d, want %d\n", got, want)
		os.Exit(1)
	}
	os.Exit(0)
}

func exitCode(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	fmt.Fprintln(os.Stderr, err)
	return 127
}
