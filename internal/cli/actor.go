package cli

import (
	"cmp"

	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// agentVariables lists the environment variables that only an agent's host, or
// a machine that nobody sits at, sets, and the agent each stands for; "" is an
// agent that the value names. docs/design/trust.md tells what each comes from.
var agentVariables = []struct{ variable, agent string }{
	{"CTX_AGENT", ""},
	{"CLAUDECODE", "claude-code"},
	{"CODEX_SANDBOX", "codex"},
	{"CODEX_SANDBOX_NETWORK_DISABLED", "codex"},
	{"CODEX_THREAD_ID", "codex"},
	{"CODEX_CI", "codex"},
	{"GEMINI_CLI", "gemini"},
	{"QWEN_CODE", "qwen"},
	{"CURSOR_AGENT", "cursor"},
	{"OPENCODE", "opencode"},
	{"COPILOT_CLI", "copilot"},
	{"COPILOT_AGENT_SESSION_ID", "copilot"},
	{"AMP_CURRENT_THREAD_ID", "amp"},
	{"AUGMENT_AGENT", "augment"},
	{"CLINE_ACTIVE", "cline"},
	{"ROO_ACTIVE", "roo"},
	{"GOOSE_TERMINAL", "goose"},
	{"AI_AGENT", ""},
	{"AGENT", ""},
	{"CI", "ci"},
}

// author says who runs this command, from the channel alone: nothing on the
// command line can claim to be a person.
func (e *Env) author() ledger.Author {
	return ledger.Author{Actor: e.actor(), Tool: "git-ctx/" + Version, Model: e.Getenv("CTX_MODEL"), Session: e.Getenv("CTX_SESSION")}
}

func (e *Env) actor() records.Actor {
	for _, v := range agentVariables {
		if value := e.Getenv(v.variable); value != "" {
			return records.Agent(cmp.Or(v.agent, value))
		}
	}
	if !e.ControlTTY {
		return records.Agent("script")
	}
	return records.Human
}
