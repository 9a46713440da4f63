package query

import (
	"context"
	"errors"

	"github.com/git-ctx/git-ctx/internal/setup"

	"github.com/git-ctx/git-ctx/internal/codebranch"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// NoStatus is the JSON answer of status where there is no context.
type NoStatus struct {
	Format      int  `json:"format"`
	Initialised bool `json:"initialised"`
	// RemoteHint says what is known to differ from the remote, if anything.
	RemoteHint string `json:"remote_hint,omitempty"`
}

// StatusAnswer is the JSON answer of status, and what the text is made from.
type StatusAnswer struct {
	NoStatus
	Commit  gitstore.OID `json:"commit"`
	Branch  string       `json:"branch"`
	Scope   string       `json:"scope,omitempty"` // that the process is bound to
	Default string       `json:"default_branch"`
	// Behind counts the default branch's commits that this branch lacks.
	Behind   int            `json:"behind"`
	Follow   bool           `json:"follow"`
	Review   records.Review `json:"review"`
	Actor    records.Actor  `json:"actor"`
	ActorWhy string         `json:"actor_why"`
	Current  []Current      `json:"current"`
	Counts   StatusCounts   `json:"counts"`
	Working  WorkingAnswer  `json:"working"`
	// LeftBehind are context branches whose code branch is done with.
	LeftBehind []codebranch.Unmerged `json:"left_behind"`
}

// A Current is what an @name stands for now.
type Current struct {
	Name  string        `json:"name"`
	ID    records.ID    `json:"id,omitempty"`
	State records.State `json:"state,omitempty"`
	Title string        `json:"title,omitempty"`
	// Candidates is how many records it could be, when it is ambiguous.
	Candidates int `json:"candidates,omitempty"`
}

// StatusCounts are how many records there are, and how many need somebody.
type StatusCounts struct {
	Records        int `json:"records"`
	AwaitingReview int `json:"awaiting_review"`
	InDoubt        int `json:"in_doubt"`
	Unreadable     int `json:"unreadable"`
}

// WorkingAnswer is the working context: what no checkpoint holds yet.
type WorkingAnswer struct {
	Commits int           `json:"commits"`
	Since   []SinceAnswer `json:"since"`
	// Changed is how many records that is; a text answer lists the first of them.
	Changed int       `json:"changed"`
	Changes []Changed `json:"changes"`
}

// SinceAnswer is a checkpoint that bounds the working context.
type SinceAnswer struct {
	Commit  gitstore.OID `json:"commit"`
	Subject string       `json:"subject"`
}

// Status tells where the reader is, with up to limit of the changes that no
// checkpoint holds; all when it is negative. Why the actor is taken for who it is
// is the caller's to say.
func Status(ctx context.Context, rd *Reading, limit int) (*StatusAnswer, error) {
	s := &StatusAnswer{NoStatus: NoStatus{Format: AnswerFormat, Initialised: true}, Commit: rd.Commit, Branch: rd.Branch, Scope: rd.Ledger.Scope(), Default: rd.Default, Behind: rd.Behind,
		Current: []Current{}, Review: rd.Eval.Review, Actor: rd.Ledger.Author().Actor}
	follow, _, err := rd.Ledger.Repo().Config(ctx, "ctx.follow")
	if err != nil {
		return nil, err
	}
	s.Follow = follow == "true"
	if s.RemoteHint, err = setup.RemoteHint(ctx, rd.Ledger); err != nil {
		return nil, err
	}
	for _, name := range []string{"@goal", "@task", "@last"} {
		if c, ok := rd.Current(name); ok {
			s.Current = append(s.Current, c)
		}
	}
	counts, err := rd.Counts(rd.Eval)
	if err != nil {
		return nil, err
	}
	s.Counts = StatusCounts{
		Records: rd.Len(), Unreadable: len(rd.Unreadable),
		AwaitingReview: counts[records.AwaitingReview], InDoubt: counts[records.InDoubt],
	}
	left, err := codebranch.UnmergedBranches(ctx, rd.Ledger)
	if err != nil {
		return nil, err
	}
	s.LeftBehind = append([]codebranch.Unmerged{}, left...)
	w, err := rd.Ledger.Working(ctx, limit)
	if err != nil {
		return nil, err
	}
	s.Working = WorkingAnswer{Commits: len(w.Entries), Since: []SinceAnswer{}, Changed: w.Changed, Changes: ChangedOf(w.Changes)}
	for _, oid := range w.Since {
		e, err := rd.Ledger.Entry(ctx, oid)
		if err != nil {
			return nil, err
		}
		s.Working.Since = append(s.Working.Since, SinceAnswer{oid, e.Message.Subject})
	}
	return s, nil
}

// Current resolves an @name; false when it stands for nothing.
func (rd *Reading) Current(name string) (Current, bool) {
	r, err := rd.Ledger.Find(rd.View, name)
	var ambiguous *ledger.AmbiguousError
	switch {
	case err == nil:
		st := rd.Standing(r.ID)
		return Current{Name: name, ID: r.ID, State: st.State, Title: TitleIn(r, st)}, true
	case errors.As(err, &ambiguous):
		return Current{Name: name, Candidates: len(ambiguous.Candidates)}, true
	}
	return Current{}, false
}
