package ledger

import (
	"context"

	"github.com/git-ctx/git-ctx/gitstore"
)

// maintained passes on how a write ended, and lets git tidy up after one that
// succeeded. Only writes come here: a read starts nothing.
func (l *Ledger) maintained(ctx context.Context, commit gitstore.OID, err error) error {
	if err == nil {
		l.repo.MaintainAfter(ctx, commit)
	}
	return err
}
