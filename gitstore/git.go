package gitstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// ErrGitMissing reports that no git program was found on PATH.
var ErrGitMissing = errors.New("git was not found on PATH")

// GitError reports a git process that ended with a non-zero status.
type GitError struct {
	Args     []string // without the program name
	ExitCode int      // -1 when a signal ended the process
	Stderr   string   // trimmed
}

// Error gives git's own last words, or the status when it said nothing.
func (e *GitError) Error() string {
	verb := "git"
	for _, a := range e.Args {
		if !strings.HasPrefix(a, "-") && !strings.Contains(a, "=") {
			verb = "git " + a
			break
		}
	}
	if e.Stderr == "" {
		return fmt.Sprintf("%s: exit status %d", verb, e.ExitCode)
	}
	// One line: what follows git's first is more of the same error, up to an
	// empty line, behind which is advice.
	said, _, _ := strings.Cut(e.Stderr, "\n\n")
	words := strings.FieldsFunc(said, func(r rune) bool { return r == '\n' || r == '\r' })
	for i, w := range words {
		words[i] = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(w), "fatal: "), "error: ")
	}
	return verb + ": " + strings.Join(words, "; ")
}

// objectLost reports that git gave up, or answered from what it could read, because
// an object is missing or damaged.
func (e *GitError) objectLost() bool {
	return slices.ContainsFunc([]string{"Could not read ", "bad object ", "missing object ", "unable to read "}, func(words string) bool {
		return strings.Contains(e.Stderr, words)
	})
}

// IsObjectLost reports that an error comes from an object that is missing or damaged,
// in our words or in git's.
func IsObjectLost(err error) bool {
	var missing *MissingObjectError
	var process *GitError
	return errors.As(err, &missing) || errors.As(err, &process) && process.objectLost()
}

// exitCode returns the status of a failed git process, or -1 for any other error.
func exitCode(err error) int {
	var ge *GitError
	if errors.As(err, &ge) {
		return ge.ExitCode
	}
	return -1
}

// scrubbed reports the variables that change what plumbing answers, and so
// must not leak into it. GIT_DIR and its relatives stay: they say which
// repository the caller means, and git interprets them.
func scrubbed(name string) bool {
	switch name {
	case "LC_ALL", "LANGUAGE", "PWD", "GIT_CONFIG", "GIT_OPTIONAL_LOCKS", "GIT_NO_REPLACE_OBJECTS",
		"GIT_REPLACE_REF_BASE", "GIT_GRAFT_FILE", "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS",
		"GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS",
		"GIT_PAGER_IN_USE", "GIT_FLUSH":
		return true
	}
	return false
}

// gitEnv is the environment of every git child. Replace refs and grafts are off
// because content and parents must match the object ID that names them: a graft
// file of no name is none.
func gitEnv(env []string, dir string) []string {
	out := make([]string, 0, len(env)+5)
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if !scrubbed(name) {
			out = append(out, kv)
		}
	}
	return append(out, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE=", "PWD="+dir)
}

// lookupEnv returns the last value of a variable, which is the one children see.
func lookupEnv(env []string, name string) (string, bool) {
	for _, kv := range slices.Backward(env) {
		if k, v, ok := strings.Cut(kv, "="); ok && k == name {
			return v, true
		}
	}
	return "", false
}

// command prepares a git process that sees the repository exactly as the
// caller's own git would: same directory, same variables, same --git-dir.
func (r *Repo) command(ctx context.Context, args ...string) *exec.Cmd {
	full := args
	if r.gitDirFlag != "" {
		full = append([]string{"--git-dir=" + r.gitDirFlag}, args...)
	}
	cmd := exec.CommandContext(ctx, "git", full...)
	cmd.Dir = r.dir
	cmd.Env = r.env
	// A gentle end lets git remove its lock files; SIGKILL would leave them.
	cmd.Cancel = func() error {
		if cmd.Process.Signal(syscall.SIGTERM) != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
	// A hook or credential helper that keeps the pipes open must not hang us.
	cmd.WaitDelay = 2 * time.Second
	return cmd
}

// Git runs git in the repository and returns its standard output. A non-zero
// status is a *GitError; the output up to then is returned with it.
func (r *Repo) Git(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	cmd := r.command(ctx, args...)
	var out, errOut bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &out, &errOut
	err := gitFailure(ctx, args, cmd.Run(), errOut.String())
	return out.Bytes(), err
}

// gitFailure turns the result of a git process into the package's errors.
func gitFailure(ctx context.Context, args []string, err error, stderr string) error {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &exit):
		return &GitError{Args: args, ExitCode: exit.ExitCode(), Stderr: strings.TrimSpace(stderr)}
	case errors.Is(err, exec.ErrNotFound):
		return ErrGitMissing
	}
	return fmt.Errorf("run git: %w", err)
}
