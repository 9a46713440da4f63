package cli

import (
	"strings"

	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// agentVariables lists the environment variables that only an agent's host
// sets, and the agent each stands for. CTX_AGENT names any other.
var agentVariables = []struct{ variable, agent string }{
	{"CLAUDECODE", "claude-code"},
	{"CODEX_SANDBOX", "codex"},
	{"CODEX_SANDBOX_NETWORK_DISABLED", "codex"},
	{"CODEX_THREAD_ID", "codex"},
	{"GEMINI_CLI", "gemini"},
	{"CURSOR_AGENT", "cursor"},
	{"OPENCODE", "opencode"},
	{"COPILOT_AGENT_SESSION_ID", "copilot"},
	{"AMP_CURRENT_THREAD_ID", "amp"},
	{"AUGMENT_AGENT", "augment"},
	{"GOOSE_TERMINAL", "goose"},
}

// author says who runs this command, from the channel alone: nothing on the
// command line can claim to be a person.
func (e *Env) author() ledger.Author {
	return ledger.Author{Actor: e.actor(), Tool: "git-ctx/" + Version, Model: e.Getenv("CTX_MODEL"), Session: e.Getenv("CTX_SESSION")}
}

func (e *Env) actor() records.Actor {
	if name := e.Getenv("CTX_AGENT"); name != "" {
		return agent(name)
	}
	for _, v := range agentVariables {
		if e.Getenv(v.variable) != "" {
			return agent(v.agent)
		}
	}
	if !e.ControlTTY {
		return agent("script")
	}
	return records.Human
}

// agent makes an actor of a name that the environment gives.
func agent(name string) records.Actor {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '.', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, name)
	return records.Actor("agent/" + clean)
}
