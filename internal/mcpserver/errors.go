package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-ctx/git-ctx/internal/setup"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/claim"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/provenance"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/internal/secretscan"
	"github.com/git-ctx/git-ctx/packet"
	"github.com/git-ctx/git-ctx/records"
)

// failure is a tool's error in words that an agent can act on: what and why, the
// legal values, and the call to make next, a line each.
func failure(err error) *mcp.CallToolResult { return mcp.NewToolResultError(inWords(err)) }

// refused is the error of a resource or a prompt, in the words of a tool's.
func refused(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(inWords(err))
}

func inWords(err error) string {
	if faults, ok := err.(grammar.Faults); ok { //nolint:errorlint // each of its own, none wrapped
		var each []string
		for _, f := range faults {
			each = append(each, inWords(f))
		}
		return strings.Join(each, "\n")
	}
	lines := []string{"error: " + line(err.Error())}
	legal, next := advice(err)
	if len(legal) > 0 {
		lines = append(lines, "legal: "+line(strings.Join(legal, ", ")))
	}
	for _, n := range next {
		lines = append(lines, "next: "+line(n))
	}
	return strings.Join(lines, "\n")
}

// longestLine bounds what an error quotes.
const longestLine = 1000

// line keeps text that holds others' words on one line, and within bounds.
func line(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "?")), " ")
	return cut(s, longestLine)
}

// cut keeps the first characters of a text.
func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// advice finds the legal values and the next call for an error.
func advice(err error) (legal, next []string) {
	var (
		argument   *argumentError
		readMode   *readModeError
		state      *query.StateError
		transition *records.TransitionError
		ambiguous  *ledger.AmbiguousError
		remote     *setup.RemoteFirstError
		verb       *grammar.VerbError
	)
	switch {
	case errors.As(err, &argument):
		return argument.legal, nil
	case errors.As(err, &readMode):
		return nil, []string{"start the server with: git ctx mcp --mode write"}
	case errors.As(err, &state):
		return state.Legal, nil
	case errors.As(err, &transition):
		for _, to := range transition.Legal {
			legal = append(legal, string(records.VerbFor(transition.Kind, to)))
		}
		return append(legal, string(records.VerbReopen)), nil
	case errors.As(err, &ambiguous):
		for _, r := range ambiguous.Candidates[:min(len(ambiguous.Candidates), usualItems)] {
			legal = append(legal, fmt.Sprintf("%s (%s)", r.ID, shorten(query.TitleOf(r))))
		}
		return legal, []string{"the same call with one of these ids"}
	case errors.As(err, &verb):
		return verb.Tool.Verbs, nil
	case errors.As(err, &remote):
		return nil, []string{"git ctx sync"}
	case errors.Is(err, ledger.ErrNotInitialised):
		return nil, []string{"nothing is recorded here yet: the first add begins it, or git ctx init"}
	}
	return nil, nextCall(err)
}

// nextCall is the call that helps on.
func nextCall(err error) []string {
	var (
		missing  *ledger.NotFoundError
		id       *records.IDError
		twin     *ledger.DeadTwinError
		reason   *grammar.ReasonError
		disputed *ledger.DisputedError
		reviewed *ledger.ReviewedError
		held     *claim.HeldError
		reused   *ledger.RequestReusedError
		revision *ledger.RevisionError
		branch   *ledger.BranchError
		budget   *packet.BudgetError
		secret   *secretscan.Error
	)
	switch {
	case errors.As(err, &missing), errors.As(err, &id):
		return []string{`list or search for its id; {"all": true} lists settled ones too`}
	case errors.As(err, &twin):
		return []string{fmt.Sprintf(`show {"ids": ["%s"]}`, twin.Twin), `add with "again": why the reason of then no longer holds`}
	case errors.As(err, &secret):
		return []string{"the same call without it, naming where it is kept; a person lets pass what is none"}
	case errors.As(err, &reason):
		return []string{`the same call with "reason"`}
	case errors.As(err, &disputed):
		return []string{fmt.Sprintf(`show {"ids": ["%s"], "view": "conflicts"}, then update with verb resolve`, disputed.ID)}
	case errors.As(err, &reviewed):
		return []string{fmt.Sprintf(`add a %s that links relates-to %s; then a person decides`, reviewed.Kind, reviewed.ID)}
	case errors.As(err, &held), errors.Is(err, claim.ErrNone):
		return []string{"next"}
	case errors.As(err, &reused):
		return []string{"the same call with a fresh request key"}
	case errors.As(err, &revision):
		return []string{`show {"view": "history"} lists commits`}
	case errors.As(err, &branch) && branch.Hint != "":
		return []string{branch.Hint}
	case errors.As(err, &budget):
		return []string{fmt.Sprintf(`packet {"budget": %d}`, max(budget.Tokens, budget.NeedTokens))}
	case errors.Is(err, errAskedOther):
		return []string{"show the record, then the same call"}
	}
	return nextAtHost(err)
}

// nextAtHost is what to do where the repository itself cannot be used.
func nextAtHost(err error) []string {
	var (
		locked  *gitstore.LockedError
		refLock *gitstore.RefLockedError
		policy  *provenance.PolicyError
		gone    *gitstore.MissingObjectError
		ref     *gitstore.BrokenRefError
	)
	switch {
	case errors.As(err, &locked), errors.As(err, &refLock):
		return []string{"the same call again: another git is at work here"}
	case errors.As(err, &policy), errors.As(err, &gone), errors.As(err, &ref):
		return []string{"git ctx doctor"}
	case errors.Is(err, gitstore.ErrNotRepository):
		return []string{"start the server inside a git repository, or with -C DIR"}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return []string{"the same call again, with its request key"}
	}
	return nil
}
