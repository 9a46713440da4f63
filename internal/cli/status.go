package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

func newStatusCmd(env *Env) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "say where you are: branch, current task, what is new, what needs a decision", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runStatus(cmd.Context(), env) },
	}
}

func runStatus(ctx context.Context, env *Env) error {
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
	s, err := env.gatherStatus(ctx, rd)
	if err != nil {
		return err
	}
	if env.json() {
		return env.writeJSON(s)
	}
	return env.page(ctx, rd.View, func(p *page) { p.status(s) })
}

// noContextYet answers for a repository without context: a state like any other.
func noContextYet(ctx context.Context, env *Env) error {
	hint, err := env.led.RemoteHint(ctx)
	if err != nil {
		return err
	}
	if env.json() {
		return env.writeJSON(status0{Format: jsonFormat, RemoteHint: hint})
	}
	_, err = fmt.Fprintln(env.Stdout, "no context yet")
	if hint != "" {
		env.note("hint: %s", hint)
	}
	env.note("hint: git ctx init")
	return err
}

// status0 is the JSON answer of status where there is no context.
type status0 struct {
	Format      int  `json:"format"`
	Initialised bool `json:"initialised"`
	// RemoteHint says what is known to differ from the remote, if anything.
	RemoteHint string `json:"remote_hint,omitempty"`
}

// statusAnswer is the JSON answer of status, and what the text is made from.
type statusAnswer struct {
	status0
	Commit  gitstore.OID `json:"commit"`
	Branch  string       `json:"branch"`
	Default string       `json:"default_branch"`
	// Behind counts the default branch's commits that this branch lacks.
	Behind   int            `json:"behind"`
	Follow   bool           `json:"follow"`
	Review   records.Review `json:"review"`
	Actor    records.Actor  `json:"actor"`
	ActorWhy string         `json:"actor_why"`
	Current  []current      `json:"current"`
	Counts   statusCounts   `json:"counts"`
	Working  workingJSON    `json:"working"`
	// LeftBehind are context branches whose code branch is done with.
	LeftBehind []ledger.Unmerged `json:"left_behind"`
}

// A current is what an @name stands for now.
type current struct {
	Name  string        `json:"name"`
	ID    records.ID    `json:"id,omitempty"`
	State records.State `json:"state,omitempty"`
	Title string        `json:"title,omitempty"`
	// Candidates is how many records it could be, when it is ambiguous.
	Candidates int `json:"candidates,omitempty"`
}

type statusCounts struct {
	Records        int `json:"records"`
	AwaitingReview int `json:"awaiting_review"`
	Disputed       int `json:"disputed"`
	Unreadable     int `json:"unreadable"`
}

// workingJSON is the working context: what no checkpoint holds yet.
type workingJSON struct {
	Commits int         `json:"commits"`
	Since   []sinceJSON `json:"since"`
	// Changed is how many records that is; a text answer lists the first of them.
	Changed int           `json:"changed"`
	Changes []changedJSON `json:"changes"`
}

type sinceJSON struct {
	Commit  gitstore.OID `json:"commit"`
	Subject string       `json:"subject"`
}

func (e *Env) gatherStatus(ctx context.Context, rd *reading) (*statusAnswer, error) {
	s := &statusAnswer{status0: status0{Format: jsonFormat, Initialised: true}, Commit: rd.Commit, Branch: rd.Branch, Default: rd.Default, Behind: rd.Behind,
		Current: []current{}, Review: rd.Judge.Review, Actor: rd.Ledger.Author().Actor, ActorWhy: e.actorWhy()}
	follow, _, err := rd.Ledger.Repo().Config(ctx, "ctx.follow")
	if err != nil {
		return nil, err
	}
	s.Follow = follow == "true"
	if s.RemoteHint, err = rd.Ledger.RemoteHint(ctx); err != nil {
		return nil, err
	}
	for _, name := range []string{"@goal", "@task", "@last"} {
		if c, ok := rd.current(name); ok {
			s.Current = append(s.Current, c)
		}
	}
	counts, err := rd.Counts(rd.Judge)
	if err != nil {
		return nil, err
	}
	s.Counts = statusCounts{
		Records: rd.Len(), Unreadable: len(rd.Unreadable),
		AwaitingReview: counts[records.AwaitingReview], Disputed: counts[records.InDispute],
	}
	left, err := rd.Ledger.UnmergedBranches(ctx)
	if err != nil {
		return nil, err
	}
	s.LeftBehind = append([]ledger.Unmerged{}, left...)
	limit := shownChanges
	if e.json() {
		limit = -1
	}
	w, err := rd.Ledger.Working(ctx, limit)
	if err != nil {
		return nil, err
	}
	s.Working = workingJSON{Commits: len(w.Entries), Since: []sinceJSON{}, Changed: w.Changed, Changes: asChanged(w.Changes)}
	for _, oid := range w.Since {
		e, err := rd.Ledger.Entry(ctx, oid)
		if err != nil {
			return nil, err
		}
		s.Working.Since = append(s.Working.Since, sinceJSON{oid, e.Message.Subject})
	}
	return s, nil
}

// current resolves an @name; false when it stands for nothing.
func (rd *reading) current(name string) (current, bool) {
	r, err := rd.Ledger.Find(rd.View, name)
	var ambiguous *ledger.AmbiguousError
	switch {
	case err == nil:
		return current{Name: name, ID: r.ID, State: rd.Standing(r.ID).State, Title: titleOf(r)}, true
	case errors.As(err, &ambiguous):
		return current{Name: name, Candidates: len(ambiguous.Candidates)}, true
	}
	return current{}, false
}

// actorWhy says by what this process was taken for who it is.
func (e *Env) actorWhy() string {
	if e.Getenv("CTX_AGENT") != "" {
		return "CTX_AGENT is set"
	}
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

func (p *page) status(s *statusAnswer) {
	branch := "On context branch " + s.Branch
	switch {
	case s.Branch == s.Default:
		branch += " (the default)"
	case s.Behind > 0:
		branch += fmt.Sprintf(", %s behind %s", plural(s.Behind, "commit"), s.Default)
	default:
		branch += ", up to date with " + s.Default
	}
	if s.Follow {
		branch += ", following the code branch"
	}
	p.printf("%s\n", branch)
	if s.RemoteHint != "" {
		p.printf("%s\n", s.RemoteHint)
	}
	p.printf("You are %s, as %s; review: %s\n", s.Actor, s.ActorWhy, s.Review)
	for _, c := range s.Current {
		if c.ID == "" {
			p.printf("%s  %d records could be it\n", c.Name, c.Candidates)
			continue
		}
		p.printf("%s  %s %s: %s\n", c.Name, p.id(c.ID), c.State, c.Title)
	}
	p.working(&s.Working)
	if n := s.Counts.AwaitingReview; n > 0 {
		p.printf("\n%s review: git ctx list --state awaiting-review\n", awaits(n))
	}
	if n := s.Counts.Disputed; n > 0 {
		p.printf("\n%s: git ctx list --state disputed\n", painted{text: plural(n, "disputed record"), colour: red})
	}
	if n := s.Counts.Unreadable; n > 0 {
		p.printf("\n%s: git ctx audit\n", painted{text: plural(n, "unreadable record"), colour: red})
	}
	for _, b := range s.LeftBehind {
		p.printf("\nThe code branch of %s is %s, its context is not merged: %s\n", b.Branch, b.Code, b.Command)
	}
	p.printf("\n%s, store commit %s\n", plural(s.Counts.Records, "record"), shortOID(s.Commit))
}

func awaits(n int) string {
	if n == 1 {
		return "1 record awaits"
	}
	return fmt.Sprintf("%d records await", n)
}

func (p *page) working(w *workingJSON) {
	since := "no checkpoint yet"
	if len(w.Since) > 0 {
		since = fmt.Sprintf("since checkpoint %s \"%s\"", shortOID(w.Since[0].Commit), w.Since[0].Subject)
		if more := len(w.Since) - 1; more > 0 {
			since += fmt.Sprintf(" and %d more", more)
		}
	}
	if w.Commits == 0 {
		p.printf("\nNothing new, %s\n", since)
		return
	}
	p.printf("\n%s new or changed, %s (git ctx commit -m MSG makes one):\n", plural(w.Changed, "record"), since)
	p.changes(w.Changes, 0, "")
	if more := w.Changed - len(w.Changes); more > 0 {
		p.printf("  … and %d more: git ctx diff\n", more)
	}
}
