package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/records"
)

// TestActorComesFromTheChannel pins who each environment is taken for, and that
// the design page lists every variable.
func TestActorComesFromTheChannel(t *testing.T) {
	env := func(tty bool, vars map[string]string) *Env {
		return &Env{ControlTTY: tty, Getenv: func(k string) string { return vars[k] }}
	}
	if a := env(true, nil).actor(); a != records.Human {
		t.Errorf("at a terminal: %s", a)
	}
	if a := env(false, nil).actor(); a != "agent/script" {
		t.Errorf("without one: %s", a)
	}
	page, err := os.ReadFile("../../docs/design/trust.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range agentVariables {
		want := "agent/" + v.agent
		if v.agent == "" {
			want = "agent/some-1.name"
		}
		if a := env(true, map[string]string{v.variable: "Some 1.name"}).actor(); string(a) != want {
			t.Errorf("%s at a terminal: %s, want %s", v.variable, a, want)
		}
		if !strings.Contains(string(page), "`"+v.variable+"`") {
			t.Errorf("docs/design/trust.md does not list %s", v.variable)
		}
	}
	both := map[string]string{"CLAUDECODE": "1", "CTX_AGENT": "mine"}
	if a := env(true, both).actor(); a != "agent/mine" {
		t.Errorf("named by hand: %s", a)
	}
}
