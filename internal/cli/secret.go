package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/secretscan"
)

const allowSecretFlag = "allow-secret"

// letSecretsPass gives commands that put their caller's text on record the flag that lets
// secrets pass; of a group those within it.
func (e *Env) letSecretsPass(cmds ...*cobra.Command) {
	for _, c := range cmds {
		if c.HasSubCommands() {
			e.letSecretsPass(c.Commands()...)
			continue
		}
		if c.Name() == "list" || c.Name() == "map" {
			continue
		}
		c.Flags().StringArrayVar(&e.allowSecrets, allowSecretFlag, nil, "let a secret by `RULE` pass, on record; repeatable")
	}
}

// checkSecretRules refuses names of rules that do not exist.
func checkSecretRules(names []string) error {
	for _, name := range names {
		if !secretscan.IsRule(name) {
			return usagef("the refusal names the rule to let pass", "unknown --%s '%s': there is no such rule", allowSecretFlag, name)
		}
	}
	return nil
}

// secretHints are what to try where text was taken for a secret.
func secretHints(err error) []string {
	var secret *secretscan.Error
	if !errors.As(err, &secret) {
		return nil
	}
	var flags []string
	for _, rule := range secret.Rules() {
		flags = append(flags, "--"+allowSecretFlag+" "+rule)
	}
	return []string{"leave it out, and name where it is kept",
		fmt.Sprintf("if it is none, the same command with %s", strings.Join(flags, " "))}
}

// keepWithoutSecrets takes the secrets that a write was refused for out of the file that keeps
// its text. Where they do not show in the file as it stands, the file goes.
func keepWithoutSecrets(file string, err error) error {
	var secret *secretscan.Error
	if !errors.As(err, &secret) {
		return nil
	}
	text, rerr := os.ReadFile(file)
	if rerr != nil {
		return rerr
	}
	clean := secretscan.WithoutSecrets(string(text))
	if clean == string(text) {
		return os.Remove(file)
	}
	return os.WriteFile(file, []byte(clean), 0o600)
}

// secretLines tells of the secrets that a merge brought.
func secretLines(m *ledger.Merged) string {
	var b strings.Builder
	for _, s := range m.Secrets {
		fmt.Fprintf(&b, "secret in %s, field '%s' (rule %s)\n", s.Record, s.Field, s.Rule)
	}
	return b.String()
}

// noteSecrets says what to do about the secrets that a merge brought.
func (e *Env) noteSecrets(m *ledger.Merged) {
	if len(m.Secrets) == 0 {
		return
	}
	e.note("the other side brought what looks like a secret: revoke it where it was issued")
	e.note("hint: git ctx purge %s --reason 'held a secret' --dry-run", m.Secrets[0].Record)
}
