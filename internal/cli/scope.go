package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
)

// scopeVariable binds every command of a process's children to a scope.
const scopeVariable = "CTX_SCOPE"

// boundScope is the scope that this process is bound to, "" for none. What the
// environment chose no option widens.
func (e *Env) boundScope() (string, error) {
	given := e.Getenv(scopeVariable)
	switch {
	case e.projectOnly:
		return "", nil
	case given == "":
		return e.scope, nil
	case e.scope == "" || e.scope == given:
		return given, nil
	}
	return "", usagef("leave --scope out", "option '--scope' '%s': %s binds this process to another scope", e.scope, scopeVariable)
}

// bound opens a repository's ledger, bound to a scope that must exist there.
func bound(ctx context.Context, repo *gitstore.Repo, o ledger.Options) (*ledger.Ledger, error) {
	led := ledger.Open(repo, o)
	if err := led.CheckScope(ctx); err != nil {
		_ = repo.Close() // nothing was asked of it yet
		return nil, err
	}
	return led, nil
}

// sentByName refuses to give a remote what is in a scope that the command line
// does not name.
func (e *Env) sentByName(command string) error {
	scope := e.Getenv(scopeVariable)
	if scope == "" || e.scope != "" {
		return nil
	}
	return usagef(fmt.Sprintf("git ctx %s --scope %s", command, scope),
		"%s: %s binds this process to a scope, and a scope is exchanged only where the command line names it", command, scopeVariable)
}

func newScopeCmd(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "scope", Short: "list or create scopes: context that only its own readers see",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args)
			}
			return needsOne(cmd)
		},
	}
	var script scriptFlags
	list := &cobra.Command{
		Use: "list", Short: "list the scopes of this repository", Args: noArgs,
		Long: "List the scopes of this repository. A command that is bound to one is not told of others.",
		RunE: func(cmd *cobra.Command, _ []string) error { return runScopeList(cmd.Context(), env, script) },
	}
	script.bind(list.Flags(), "name")
	create := &cobra.Command{
		Use: "create SCOPE", Short: "make a scope, which starts as the project's context", Args: cobra.ExactArgs(1),
		Long: "Make a scope: records beside the project's, which only commands with '--scope SCOPE' see and write.\n" +
			"They see the project's records too, and change none. 'git ctx promote' brings a record of the scope\n" +
			"into the project. Nothing of a scope leaves this repository unless 'push --scope' or 'sync --scope'\n" +
			"names it.",
		RunE: func(cmd *cobra.Command, args []string) error { return runScopeCreate(cmd.Context(), env, args[0]) },
	}
	cmd.AddCommand(list, create)
	return cmd
}

type scopesAnswer struct {
	Format int      `json:"format"`
	Scopes []string `json:"scopes"`
}

func runScopeList(ctx context.Context, env *Env, script scriptFlags) error {
	if err := env.formats(); err != nil {
		return err
	}
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	names, err := led.Scopes(ctx)
	if err != nil {
		return err
	}
	if env.json() {
		return env.writeJSON(scopesAnswer{jsonFormat, append([]string{}, names...)})
	}
	for _, name := range names {
		if err := script.row(env, name); err != nil {
			return err
		}
	}
	return nil
}

type scopeAnswer struct {
	Format int          `json:"format"`
	Scope  string       `json:"scope"`
	Commit gitstore.OID `json:"commit"`
}

func runScopeCreate(ctx context.Context, env *Env, name string) error {
	if err := env.formats(); err != nil {
		return err
	}
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	at, err := led.CreateScope(ctx, name)
	if err != nil {
		return err
	}
	if env.json() {
		return env.writeJSON(scopeAnswer{jsonFormat, name, at})
	}
	_, err = fmt.Fprintf(env.Stdout, "scope %s created; use it with --scope %s\n", name, name)
	return err
}
