package mcpserver

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/internal/setup"
)

// nothingYet reports that a read found a repository without context, which is an
// empty answer with the first step and not a fault. Only a remote that has context, and
// that this clone has not fetched yet, stays an error: what is empty here is not there.
func nothingYet(err error) bool {
	var remote *setup.RemoteFirstError
	return errors.Is(err, ledger.ErrNotInitialised) && !errors.As(err, &remote)
}

// firstStep says how context begins here.
func (s *Server) firstStep(ctx context.Context) string {
	begin := "git ctx init begins it"
	if s.opts.Write {
		begin = "the first add begins it"
	}
	var hint string
	if err := s.with(ctx, s.author(ctx), func(led *ledger.Ledger) (err error) {
		hint, err = setup.RemoteHint(ctx, led)
		return err
	}); err == nil && hint != "" {
		begin = hint
	}
	return "Nothing is recorded here yet: " + begin + "."
}

// emptyReply is the answer of a tool that reads, with the first step.
func (s *Server) emptyReply(ctx context.Context, answer []arg) *reply {
	step := s.firstStep(ctx)
	facts := map[string]any{"format": query.AnswerFormat, "initialised": false, "next": step}
	for _, a := range answer {
		if a.need && a.form == text {
			facts[a.name] = step
		} else if a.need {
			facts[a.name] = []any{}
		}
	}
	return &reply{facts: facts, text: step}
}

// orNothing is what a resource holds, which then is the first step.
func (s *Server) orNothing(ctx context.Context) func(any, error) (any, error) {
	return func(v any, err error) (any, error) {
		if nothingYet(err) {
			return map[string]any{"format": query.AnswerFormat, "initialised": false, "next": s.firstStep(ctx)}, nil
		}
		return v, err
	}
}

// emptyPrompt is what a prompt has in place of a packet.
func (s *Server) emptyPrompt(ctx context.Context) string {
	return fmt.Sprintf("# Context packet\n\n%s\n", s.firstStep(ctx))
}
