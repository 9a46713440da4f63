package ledger

import (
	"context"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/records"
)

// claimsPrefix holds refs that are not record branches.
const claimsPrefix = "refs/ctx/claims/"

// ClaimRef names the ref of the claim on a task.
func (l *Ledger) ClaimRef(task records.ID) string { return l.ClaimRefs() + string(task) }

// IsClaimRef reports whether a ref of ours, or one that tracks a remote's, is a
// lease and so no line of history.
func IsClaimRef(name string) bool {
	if name = unscoped(name); strings.HasPrefix(name, claimsPrefix) {
		return true
	}
	rest, ok := strings.CutPrefix(name, trackingPrefix)
	i := strings.LastIndex(rest, "/claims/")
	if !ok || i < 0 {
		return false
	}
	_, err := records.ParseID(rest[i+len("/claims/"):])
	return err == nil
}

// releaseClosed ends the claims on tasks that an edit closed, whoever holds
// them: there is nothing left to work on. Best effort, as they expire anyway.
func (l *Ledger) releaseClosed(ctx context.Context, tx *Tx) {
	closed := make(map[records.ID]bool)
	for _, id := range tx.touched {
		r, _ := tx.Overlay.Record(id)
		if r.Kind == records.Task && r.Verdict != nil && !r.Open() {
			closed[id] = true
		}
	}
	if len(closed) == 0 {
		return
	}
	refs, err := l.repo.Refs(ctx, l.ClaimRefs())
	if err != nil {
		return
	}
	for _, ref := range refs {
		if task := records.ID(strings.TrimPrefix(ref.Name, l.ClaimRefs())); closed[task] {
			_ = l.repo.UpdateRefs(ctx, "ctx: task closed", gitstore.RefUpdate{Name: ref.Name, Old: ref.OID})
		}
	}
}
