package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/codelink"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/provenance"
	"github.com/git-ctx/git-ctx/records"
)

// inputHints are what to try after a name that means nothing here, or in
// surroundings in which git ctx cannot work.
func inputHints(err error) []string {
	var (
		revision *ledger.RevisionError
		id       *records.IDError
		outside  *codelink.OutsideError
		config   *gitstore.ConfigError
		readOnly *gitstore.ReadOnlyError
		locked   *gitstore.LockedError
		owner    *gitstore.OwnershipError
		process  *gitstore.GitError
		side     *ledger.UnreadableSideError
		signing  *provenance.SigningError
		trust    *provenance.TrustError
		reviewer *ledger.ReviewerError
		scope    *ledger.ScopeError
		owned    *ledger.ProjectRecordError
		unscoped *ledger.UnscopedError
		needs    *ledger.NeedsError
	)
	switch {
	case errors.As(err, &scope) && scope.Hint != "":
		return []string{scope.Hint}
	case errors.As(err, &owned):
		return []string{"record what you find in the scope, with a link to it: git ctx link ID relates-to=" + string(owned.ID)}
	case errors.As(err, &unscoped):
		return []string{"run it without --scope"}
	case errors.As(err, &needs):
		var ids []string
		for _, id := range append(needs.IDs, needs.Needs...) {
			ids = append(ids, string(id))
		}
		return []string{"git ctx promote " + strings.Join(ids, " ")}
	case errors.As(err, &revision):
		return []string{"git ctx branch", "git ctx log --all"}
	case errors.As(err, &id):
		return []string{"git ctx list"}
	case errors.As(err, &side):
		return []string{"git ctx fsck"}
	case errors.As(err, &outside) && outside.Top != "":
		return []string{fmt.Sprintf("name a path below '%s'", outside.Top)}
	case errors.As(err, &config):
		return []string{fmt.Sprintf("git config %s %s", config.Key, config.Usual)}
	case errors.As(err, &signing) && signing.Config != "":
		return []string{"git config " + signing.Config, "git config " + allowedSigners + ", where your public key must stand too"}
	case errors.As(err, &reviewer):
		return []string{"git ctx accept ID, which asks a person to"}
	case errors.As(err, &trust):
		return []string{"git config " + allowedSigners}
	case errors.Is(err, gitstore.ErrNoIdentity):
		return []string{"git config user.name 'YOUR NAME'", "git config user.email YOU@EXAMPLE.COM"}
	case errors.Is(err, gitstore.ErrGitMissing):
		return []string{"install git, or add the directory it is in to PATH"}
	case errors.As(err, &readOnly):
		return []string{"reading works; to record, let this user write there"}
	case errors.As(err, &locked):
		return []string{"git ctx doctor"}
	case errors.As(err, &owner) && owner.Hint != "":
		return advice(owner.Hint)
	case errors.As(err, &process) && slices.ContainsFunc(process.Args, talksToRemote):
		return []string{"git remote -v"}
	}
	return nil
}

// allowedSigners is how git is told whose signatures count.
const allowedSigners = "gpg.ssh.allowedSignersFile FILE"

// advice is the command in git's words on a repository of another user, or else
// all of them.
func advice(words string) []string {
	var lines []string
	for line := range strings.Lines(words) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "git config "):
			return []string{line}
		case line != "":
			lines = append(lines, line)
		}
	}
	return lines
}

func talksToRemote(arg string) bool { return arg == "fetch" || arg == "push" || arg == "ls-remote" }

// helped gives an error without a hint the command's own help, and puts git's
// many lines on a missing identity into one.
func helped(cmd *cobra.Command, err error) error {
	if errors.Is(err, gitstore.ErrNoIdentity) {
		err = &plainError{"no identity to record with: git knows no 'user.name' and 'user.email' here", err}
	}
	_, joined := err.(interface{ Unwrap() []error }) // only the outermost is a list
	if joined || errors.Is(err, context.Canceled) || cmd.Hidden || len(hints(err)) > 0 {
		return err
	}
	return &hintedError{err, helpCall(cmd)}
}

// A plainError says in words of its own what another error says at length.
type plainError struct {
	what string
	err  error
}

func (e *plainError) Error() string { return e.what }
func (e *plainError) Unwrap() error { return e.err }
