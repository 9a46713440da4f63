package ledger

import (
	"context"
	"errors"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
)

// A RemoteFirstError refuses to begin a store in a clone that knows of the
// remote's: that one is to be taken over.
type RemoteFirstError struct{ Remote string }

func (e *RemoteFirstError) Error() string {
	return ErrNotInitialised.Error() + ", and remote '" + e.Remote + "' has one"
}

// Unwrap returns [ErrNotInitialised].
func (e *RemoteFirstError) Unwrap() error { return ErrNotInitialised }

// First runs an edit that may be the first of a repository: where there is no store
// it makes one and runs the edit again. It reports what it made, nil where the store
// was there. The error is the edit's, or a *[RemoteFirstError]; an edit that fails
// leaves no store behind.
func (l *Ledger) First(ctx context.Context, edit func() error) (*Initialised, error) {
	err := edit()
	if !errors.Is(err, ErrNotInitialised) {
		return nil, err
	}
	tracked, err := l.repo.Refs(ctx, remotesPrefix)
	if err != nil {
		return nil, err
	}
	if len(tracked) > 0 {
		remote, _, _ := strings.Cut(strings.TrimPrefix(tracked[0].Name, remotesPrefix), "/")
		return nil, &RemoteFirstError{remote}
	}
	made, err := l.Init(ctx, InitOptions{})
	if err != nil {
		return nil, err
	}
	if err := edit(); err != nil {
		if made.Created {
			undo := gitstore.RefUpdate{Name: HeadsPrefix + made.Branch, Old: made.Commit}
			err = errors.Join(err, l.repo.UpdateRefs(context.WithoutCancel(ctx), "ctx: nothing was recorded", undo))
		}
		return nil, err
	}
	return made, nil
}
