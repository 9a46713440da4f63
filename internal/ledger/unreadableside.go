package ledger

import (
	"cmp"
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

// An UnreadableSide is a file that both sides changed and that cannot be merged.
// One side's content stands, the same whoever merges: the side that can be read, or
// where neither can the bytewise smaller. The other side's stays in the history.
type UnreadableSide struct {
	Path string
	// Kept is the side that stands, "our" or "their".
	Kept string
	// Err says why the other side was left out.
	Err error
}

func (u UnreadableSide) String() string {
	return fmt.Sprintf("'%s': %s side stands, as the other cannot be merged: %v", u.Path, u.Kept, u.Err)
}

// keepOne takes one side of a file that cannot be merged; theirs is there, ours may be nil.
func (m *merging) keepOne(path string, id records.ID, ours, theirs []byte, oursErr, theirsErr error) {
	u := UnreadableSide{Path: path, Kept: "our", Err: theirsErr}
	takeTheirs := oursErr != nil
	if (oursErr == nil) == (theirsErr == nil) {
		takeTheirs = string(theirs) < string(ours)
	}
	if takeTheirs || ours == nil {
		u.Kept, u.Err = "their", cmp.Or(oursErr, theirsErr)
		m.take(path, id, theirs)
	}
	m.res.Unreadable = append(m.res.Unreadable, u)
}
