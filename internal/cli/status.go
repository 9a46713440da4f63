package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-ctx/git-ctx/internal/setup"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/internal/text"
)

func newStatusCmd(env *Env) *cobra.Command {
	o := &statusOptions{}
	cmd := &cobra.Command{
		Use: "status", Short: "say where you are: branch, current task, what is new, what needs a decision", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runStatus(cmd.Context(), env, o) },
	}
	cmd.Flags().BoolVarP(&o.short, "short", "s", false, "the branch and what changed since the last checkpoint, a line each")
	o.script.bind(cmd.Flags(), "mark, id or path, old state, new state, title")
	return cmd
}

type statusOptions struct {
	short  bool
	script scriptFlags
}

func runStatus(ctx context.Context, env *Env, o *statusOptions) error {
	if err := env.formats(); err != nil {
		return err
	}
	rd, err := env.read(ctx, readFlags{})
	if errors.Is(err, ledger.ErrNotInitialised) {
		return noContextYet(ctx, env)
	}
	if err != nil {
		return err
	}
	limit := shownChanges
	if env.json() || o.short || o.script.wanted() {
		limit = -1
	}
	s, err := query.Status(ctx, rd.Reading, limit)
	if err != nil {
		return err
	}
	s.ActorWhy = env.actorWhy()
	switch {
	case env.json():
		return env.writeJSON(s)
	case o.script.wanted():
		return o.script.changes(env, s.Working.Changes)
	case o.short:
		return env.page(ctx, rd.View, func(p *page) {
			p.Printf("## %s\n", s.Branch)
			p.changes(s.Working.Changes, 0, "")
		})
	}
	return env.page(ctx, rd.View, func(p *page) { p.status(s) })
}

// noContextYet answers for a repository without context: a state like any other.
func noContextYet(ctx context.Context, env *Env) error {
	hint, err := setup.RemoteHint(ctx, env.led)
	if err != nil {
		return err
	}
	if env.json() {
		return env.writeJSON(query.NoStatus{Format: jsonFormat, RemoteHint: hint})
	}
	_, err = fmt.Fprintln(env.Stdout, "no context yet")
	if hint != "" {
		env.note("hint: %s", hint)
	}
	env.note("hint: git ctx init")
	return err
}

// actorWhy says by what this process was taken for who it is.
func (e *Env) actorWhy() string {
	for _, v := range agentVariables {
		if e.Getenv(v.variable) != "" {
			return v.variable + " is set"
		}
	}
	if !e.ControlTTY {
		return "there is no controlling terminal"
	}
	return "there is a controlling terminal"
}

// shownChanges is how many changes of the working context status lists.
const shownChanges = 8

func (p *page) status(s *query.StatusAnswer) {
	branch := "On context branch " + s.Branch
	if s.Scope != "" {
		branch += " of scope " + s.Scope
	}
	switch {
	case s.Branch == s.Default:
		branch += " (the default)"
	case s.Behind > 0:
		branch += fmt.Sprintf(", %s behind %s", text.Plural(s.Behind, "commit"), s.Default)
	default:
		branch += ", up to date with " + s.Default
	}
	if s.Follow {
		branch += ", following the code branch"
	}
	p.Printf("%s\n", branch)
	if s.RemoteHint != "" {
		p.Printf("%s\n", s.RemoteHint)
	}
	p.Printf("You are %s, as %s; review: %s\n", s.Actor, s.ActorWhy, s.Review)
	for _, c := range s.Current {
		if c.ID == "" {
			p.Printf("%s  %d records could be it\n", c.Name, c.Candidates)
			continue
		}
		p.Printf("%s  %s %s: %s\n", c.Name, p.ID(c.ID), c.State, c.Title)
	}
	p.working(&s.Working)
	if n := s.Counts.AwaitingReview; n > 0 {
		p.Printf("\n%s review: git ctx review\n", awaits(n))
	}
	if n := s.Counts.InDoubt; n > 0 {
		p.Printf("\n%s: git ctx list --state in-doubt\n", ui.Painted{Text: text.Plural(n, "record") + " in doubt", Colour: ui.Red})
	}
	if n := s.Counts.Unreadable; n > 0 {
		p.Printf("\n%s: git ctx audit\n", ui.Painted{Text: text.Plural(n, "unreadable record"), Colour: ui.Red})
	}
	for _, b := range s.LeftBehind {
		p.Printf("\nThe code branch of %s is %s, its context is not merged: %s\n", b.Branch, b.Code, b.Command)
	}
	p.Printf("\n%s, store commit %s\n", text.Plural(s.Counts.Records, "record"), shortOID(s.Commit))
}

func awaits(n int) string {
	if n == 1 {
		return "1 record awaits"
	}
	return fmt.Sprintf("%d records await", n)
}

func (p *page) working(w *query.WorkingAnswer) {
	since := "no checkpoint yet"
	if len(w.Since) > 0 {
		since = fmt.Sprintf("since checkpoint %s \"%s\"", shortOID(w.Since[0].Commit), w.Since[0].Subject)
		if more := len(w.Since) - 1; more > 0 {
			since += fmt.Sprintf(" and %d more", more)
		}
	}
	if w.Commits == 0 {
		p.Printf("\nNothing new, %s\n", since)
		return
	}
	p.Printf("\n%s new or changed, %s (git ctx commit -m MSG makes one):\n", text.Plural(w.Changed, "record"), since)
	p.changes(w.Changes, 0, "")
	if more := w.Changed - len(w.Changes); more > 0 {
		p.Printf("  … and %d more: git ctx diff\n", more)
	}
}
