// Package agenthost gives the programs that run coding agents (Claude Code, Codex,
// Gemini and others) what git ctx knows: it writes a host's files, says what is in
// them, takes it out again, and answers the host's events.
//
// It owns its entries in these files; every other byte of a file it keeps. Its
// invariant: what was uninstalled has the bytes that it had before.
package agenthost
