package cli

import (
	"io"
	"strings"
	"testing"
	"time"
)

// A host whose input never ends is answered all the same.
func TestAgentHookEndsInTime(t *testing.T) {
	in, hold := io.Pipe()
	defer hold.Close()
	var out, talk strings.Builder
	env := &Env{Stdin: in, Stdout: &out, Stderr: &talk, Getenv: func(string) string { return "" }, Now: time.Now, HookWait: time.Millisecond}
	if got := Main(t.Context(), env, []string{"agent", "hook", "claude", "SessionStart"}); got != 0 || out.String() != "{}\n" || talk.Len() > 0 {
		t.Errorf("status %d, out %q, talk %q", got, out.String(), talk.String())
	}
}
