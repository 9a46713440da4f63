package cli

import (
	_ "embed"
	"fmt"

	"github.com/spf13/cobra"
)

// The completion scripts ask `git ctx __complete` for every candidate.
var (
	//go:embed completion/git-ctx.bash
	bashCompletion string
	//go:embed completion/git-ctx.zsh
	zshCompletion string
	//go:embed completion/git-ctx.fish
	fishCompletion string
)

func newCompletionCmd(env *Env) *cobra.Command {
	return &cobra.Command{
		Use: "completion SHELL", Short: "print the completion script of bash, zsh or fish",
		Long: `Bash, in ~/.bashrc, after git's own completion:
    source <(git ctx completion bash)
Zsh, in a folder of $fpath:
    git ctx completion zsh > _git-ctx
Fish:
    git ctx completion fish > ~/.config/fish/completions/git-ctx.fish`,
		RunE: func(_ *cobra.Command, args []string) error { return runCompletion(env, args) },
	}
}

func runCompletion(env *Env, args []string) error {
	const usage = "git ctx completion bash"
	if len(args) != 1 {
		return usagef(usage, "'completion' needs the name of one shell: bash, zsh or fish")
	}
	var script string
	switch args[0] {
	case "bash":
		script = bashCompletion
	case "zsh":
		script = zshCompletion
	case "fish":
		script = fishCompletion
	default:
		return usagef(usage, "unknown shell '%s': it is one of bash, zsh, fish", args[0])
	}
	_, err := fmt.Fprint(env.Stdout, script)
	return err
}
