package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/internal/gittest"
)

// A shell runs commands in a hermetic repository, in this process, as an
// agent, at a clock that moves one second with every command.
type shell struct {
	t    *testing.T
	repo *gittest.Repo
	vars map[string]string
	// terminal makes standard output one.
	terminal bool
	now      time.Time
	random   *rand.Rand
}

func newShell(t *testing.T) *shell {
	return &shell{t: t, repo: gittest.New(t, gittest.Plain), vars: map[string]string{"CTX_AGENT": "tester"},
		now: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC), random: rand.New(rand.NewSource(1))}
}

// run runs one command line and returns what it wrote and its exit status.
func (s *shell) run(args ...string) (stdout, stderr string, status int) {
	s.t.Helper()
	var out, errOut bytes.Buffer
	environ := slices.Clone(s.repo.Env)
	for k, v := range s.vars {
		environ = append(environ, k+"="+v)
	}
	getenv := func(name string) string {
		for _, kv := range slices.Backward(environ) {
			if k, v, _ := strings.Cut(kv, "="); k == name {
				return v
			}
		}
		return ""
	}
	s.now = s.now.Add(time.Second)
	env := &Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errOut, Getenv: getenv, Environ: environ,
		Now: func() time.Time { return s.now }, Random: s.random, StdoutTTY: s.terminal}
	status = Main(context.Background(), env, append([]string{"-C", s.repo.Dir}, args...))
	return out.String(), errOut.String(), status
}

// ok runs a command that must succeed and returns its answer without the last line feed.
func (s *shell) ok(args ...string) string {
	s.t.Helper()
	out, errOut, status := s.run(args...)
	if status != 0 {
		s.t.Fatalf("git ctx %s: status %d\n%s", strings.Join(args, " "), status, errOut)
	}
	return strings.TrimSuffix(out, "\n")
}

// answer runs a command for its JSON.
func (s *shell) answer(args ...string) map[string]any {
	s.t.Helper()
	out := s.ok(append(args, "--format=json")...)
	var v map[string]any
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		s.t.Fatalf("git ctx %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	if !strings.HasPrefix(out, "{\n  \"format\": 1") {
		s.t.Errorf("git ctx %s: the answer does not begin with its format:\n%s", strings.Join(args, " "), out)
	}
	return v
}

// keys lists the keys of a JSON value and of all below it, lists as [].
func keys(v any) []string {
	seen := map[string]bool{}
	var walk func(prefix string, v any)
	walk = func(prefix string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, x := range v {
				seen[prefix+k] = true
				walk(prefix+k+".", x)
			}
		case []any:
			for _, x := range v {
				walk(strings.TrimSuffix(prefix, ".")+"[].", x)
			}
		}
	}
	walk("", v)
	var out []string
	for k := range seen {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
