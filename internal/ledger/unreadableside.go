package ledger

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

// An UnreadableSideError says that a record cannot be merged, as one side's file
// does not decode.
type UnreadableSideError struct {
	ID   records.ID
	Side string // "our" or "their"
	Err  error
}

func (e *UnreadableSideError) Error() string {
	return fmt.Sprintf("merge '%s': %s side is unreadable: %v", e.ID, e.Side, e.Err)
}

func (e *UnreadableSideError) Unwrap() error { return e.Err }
