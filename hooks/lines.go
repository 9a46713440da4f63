package hooks

import (
	"path"
	"slices"
	"strings"
)

// gitHooks are the hooks that git ctx takes part in.
func gitHooks() []string {
	return []string{"pre-commit", "prepare-commit-msg", "commit-msg", "post-checkout", "post-merge", "post-rewrite", "pre-push"}
}

// mayStop reports whether our part of a hook may end what the user is doing.
func mayStop(name string) bool { return name == "pre-commit" || name == "commit-msg" }

// readsInput reports whether our part of a hook needs what git writes to it.
func readsInput(name string) bool { return name == "post-rewrite" }

// hookLines are our lines in a hook. They come first, because a hook may end
// itself anywhere. They keep the arguments and the input for what follows, and
// end the hook only where git ctx says that it is to stop.
func hookLines(name string) string {
	run := call(name, `"$@" </dev/null`)
	if readsInput(name) {
		run = "\tgit_ctx_input=$(cat)\n" +
			"\tprintf '%s\\n' \"$git_ctx_input\" |\n" + call(name, `"$@"`) +
			"\texec <<GIT_CTX_INPUT\n$git_ctx_input\nGIT_CTX_INPUT\n"
	}
	return "# git ctx's part of this hook; 'git ctx hooks uninstall' takes it out.\n" + guarded(name, run)
}

// call runs our part of a hook. A status of 1 stops, where that may be; anything
// else is our failure, and no concern of the hook's.
func call(name, args string) string {
	end := ":"
	if mayStop(name) {
		end = "test $? -ne 1 || exit 1"
	}
	return "\tgit-ctx hook " + name + " " + args + " || " + end + "\n"
}

func guarded(name, run string) string {
	return "if command -v git-ctx >/dev/null 2>&1; then\n" + run +
		"else\n" +
		"\techo 'git ctx is not on PATH: its part of the " + name + " hook is left out' >&2\n" +
		"fi\n"
}

// callLine is what a hook in another language, or another's, has to run.
func callLine(name string) string { return `git-ctx hook ` + name + ` "$@"` }

// shellScript reports whether a hook's text is in the language of our lines.
func shellScript(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	command, ok := strings.CutPrefix(line, "#!")
	if !ok {
		return true // which git gives to sh
	}
	words := strings.Fields(command)
	if len(words) > 1 && path.Base(words[0]) == "env" {
		words = words[1:]
	}
	return len(words) > 0 && slices.Contains([]string{"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh"}, path.Base(words[0]))
}

func afterShebang(text string) int {
	if !strings.HasPrefix(text, "#!") {
		return 0
	}
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i + 1
	}
	return len(text)
}
