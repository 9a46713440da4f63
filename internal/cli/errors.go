package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/internal/setup"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/claim"
	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/provenance"
	"github.com/git-ctx/git-ctx/internal/purge"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

// The exit statuses, as git's own.
const (
	statusYes   = 0
	statusNo    = 1 // findings, conflicts, differences
	statusFatal = 128
	statusUsage = 129
)

// errNo ends a command with status 1 and no message: the answer was "no", and
// the command has said why.
var errNo = errors.New("no")

// A usageError is the caller's own mistake on the command line.
type usageError struct {
	err  error
	hint string
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(hint, format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...), hint}
}

// A hintedError adds the next command to try.
type hintedError struct {
	err  error
	hint string
}

func (e *hintedError) Error() string { return e.err.Error() }
func (e *hintedError) Unwrap() error { return e.err }

// interrupted returns the interrupt that made a command fail with err, if one did.
func interrupted(ctx context.Context, err error) error {
	var stop *ui.Interrupt
	if errors.Is(err, context.Canceled) && errors.As(context.Cause(ctx), &stop) {
		return stop
	}
	return err
}

// status maps a command's error to the exit status.
func status(err error) int {
	var usage *usageError
	var stop *ui.Interrupt
	switch {
	case err == nil:
		return statusYes
	case errors.As(err, &stop):
		return statusFatal + int(stop.Signal)
	case errors.Is(err, errNo):
		return statusNo
	case errors.As(err, &usage):
		return statusUsage
	}
	return statusFatal
}

// printError writes "error: <what>" and, where there is one, "hint: <command>",
// for several errors that were joined one after the other. Each is one line, so that
// no name in it can pass for a line of ours.
func printError(w io.Writer, err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok { // only the outermost is a list
		for _, e := range joined.Unwrap() {
			printError(w, e)
		}
		return
	}
	fmt.Fprintf(w, "error: %s\n", cutLine(text.VisibleLine(err.Error())))
	for _, h := range hints(err) {
		fmt.Fprintf(w, "hint: %s\n", cutLine(text.VisibleLine(h)))
	}
}

// hints finds what to try next.
func hints(err error) []string {
	var (
		usage     *usageError
		hinted    *hintedError
		notFound  *ledger.NotFoundError
		branch    *ledger.BranchError
		ambiguous *ledger.AmbiguousError
		disputed  *ledger.DisputedError
		reviewed  *ledger.ReviewedError
		unproven  *ledger.UnprovenError
		twin      *ledger.DeadTwinError
		reason    *grammar.ReasonError
		named     *ledger.NamedEvidenceError
		locked    *gitstore.RefLockedError
		full      *gitstore.DiskFullError
		noClaim   *claim.RefError
		head      *ledger.HeadError
		remote    *setup.RemoteFirstError
	)
	switch {
	case errors.As(err, &usage) && usage.hint != "":
		return strings.Split(usage.hint, "\n")
	case errors.As(err, &hinted) && hinted.hint != "":
		return strings.Split(hinted.hint, "\n")
	case errors.As(err, &remote):
		return []string{"git ctx sync"}
	case errors.Is(err, ledger.ErrNotInitialised):
		return []string{"git ctx init"}
	case errors.Is(err, gitstore.ErrNotRepository):
		return []string{"run git ctx inside a git repository, or name one with -C DIR"}
	case errors.As(err, &disputed):
		return []string{fmt.Sprintf("git ctx conflicts %s", disputed.ID)}
	case errors.As(err, &reviewed):
		if records.CheckLink(reviewed.Kind, records.Supersedes, reviewed.Kind) == nil {
			return []string{fmt.Sprintf("git ctx %s add TITLE --link %s=%s", reviewed.Kind, records.Supersedes, reviewed.ID),
				"then git ctx accept or activate proposes it, and a person decides"}
		}
		return []string{fmt.Sprintf("git ctx %s add TITLE --link relates-to=%s", reviewed.Kind, reviewed.ID),
			fmt.Sprintf("then a person decides: git ctx show %s", reviewed.ID)}
	case errors.As(err, &unproven):
		return []string{fmt.Sprintf("git ctx %s %s", records.VerbFor(unproven.Kind, unproven.State), unproven.ID)}
	case errors.As(err, &notFound) && notFound.Hint != "":
		return []string{notFound.Hint}
	case errors.As(err, &branch) && branch.Hint != "":
		return []string{branch.Hint}
	case errors.As(err, &ambiguous):
		return candidates(ambiguous.Candidates)
	case errors.As(err, &twin):
		return []string{"git ctx show " + string(twin.Twin), "add it with --again REASON if the reason no longer holds"}
	case errors.As(err, &locked):
		return []string{"git ctx doctor",
			"another git is at work here, or one ended early and left the file: see which git processes run"}
	case errors.As(err, &full):
		return []string{"make room on that device and try again: nothing was changed"}
	case errors.As(err, &head):
		return []string{"git ctx switch BRANCH"}
	case errors.As(err, &noClaim):
		return []string{"git ctx doctor"}
	case errors.As(err, &named):
		return []string{fmt.Sprintf("git ctx %s %s --cite %s --reason WHY", named.Verb, named.ID, named.Named)}
	case errors.As(err, &reason):
		return []string{fmt.Sprintf("git ctx %s ID --reason WHY", reason.Verb)}
	}
	return slices.Concat(secretHints(err), purgeHints(err), damageHints(err), inputHints(err), remoteHints(err))
}

// purgeHints are what to try where something purged is in the way.
func purgeHints(err error) []string {
	var (
		purged *ledger.PurgedError
		person *ledger.PersonError
		held   *purge.ReachedError
	)
	switch {
	case errors.As(err, &purged):
		return []string{"git ctx purge --received", "it rewrites what is here by the receipts; then merge again"}
	case errors.As(err, &person):
		return []string{"git ctx show " + string(person.ID)}
	case errors.As(err, &held):
		return []string{"git ctx purge --received"}
	}
	return nil
}

// damageHints are what to try where the store itself cannot be used.
func damageHints(err error) []string {
	var (
		policy *provenance.PolicyError
		kind   *gitstore.WrongKindError
		ref    *gitstore.BrokenRefError
	)
	switch {
	case errors.As(err, &policy) && policy.Newer():
		return nil // to update, as the error says
	case errors.As(err, &policy) && policy.Side != "":
		return []string{"git ctx fsck"}
	case errors.As(err, &policy):
		return []string{"git ctx doctor"}
	case gitstore.IsObjectLost(err):
		return []string{"git ctx doctor says what is missing and what still stands; git ctx switch BRANCH leaves a dead branch"}
	case errors.As(err, &kind), errors.As(err, &ref):
		return []string{"git ctx fsck says which branches are damaged; git ctx switch BRANCH leaves this one"}
	}
	return nil
}

const candidatesShown = 6

func candidates(rs []*records.Record) []string {
	var hs []string
	for i, r := range rs {
		if i == candidatesShown {
			return append(hs, fmt.Sprintf("… and %d more", len(rs)-i))
		}
		hs = append(hs, fmt.Sprintf("%s %s: %s", r.ID, r.State(), r.Title))
	}
	return hs
}
