package setup

import (
	"context"
	"errors"
	"strings"

	"github.com/git-ctx/git-ctx/internal/ledger"

	"github.com/git-ctx/git-ctx/gitstore"
)

// A RemoteFirstError refuses to begin a store in a clone that knows of the
// remote's: that one is to be taken over.
type RemoteFirstError struct{ Remote string }

func (e *RemoteFirstError) Error() string {
	return ledger.ErrNotInitialised.Error() + ", and remote '" + e.Remote + "' has one"
}

// Unwrap returns [ErrNotInitialised].
func (e *RemoteFirstError) Unwrap() error { return ledger.ErrNotInitialised }

// First runs an edit that may be the first of a repository: where there is no store
// it makes one and runs the edit again. It reports what it made, nil where the store
// was there. The error is the edit's, or a *[RemoteFirstError]; an edit that fails
// leaves no store behind.
func First(ctx context.Context, l *ledger.Ledger, edit func() error) (*Initialised, error) {
	err := edit()
	if !errors.Is(err, ledger.ErrNotInitialised) {
		return nil, err
	}
	tracked, err := l.Repo().Refs(ctx, ledger.RemotesPrefix)
	if err != nil {
		return nil, err
	}
	if len(tracked) > 0 {
		remote, _, _ := strings.Cut(strings.TrimPrefix(tracked[0].Name, ledger.RemotesPrefix), "/")
		return nil, &RemoteFirstError{remote}
	}
	made, err := Init(ctx, l, InitOptions{})
	if err != nil {
		return nil, err
	}
	if err := edit(); err != nil {
		if made.Created {
			undo := gitstore.RefUpdate{Name: ledger.HeadsPrefix + made.Branch, Old: made.Commit}
			err = errors.Join(err, l.Repo().UpdateRefs(context.WithoutCancel(ctx), "ctx: nothing was recorded", undo))
		}
		return nil, err
	}
	return made, nil
}
