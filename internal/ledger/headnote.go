package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/internal/provenance"
	"github.com/git-ctx/git-ctx/records"
)

// A headNote is what the index keeps of the commit it holds, so that a reader
// needs no git object.
type headNote struct {
	Policy []byte    `json:"policy"` // the bytes of ctx.yaml, nil when there is none
	When   time.Time `json:"when"`
	// Loosened says why the review policy is stricter than those bytes.
	Loosened *provenance.Loosened `json:"loosened,omitempty"`
}

// noteOf reads a snapshot's note, nil when there is none that can be read.
func noteOf(snap *index.Snap) *headNote {
	note := &headNote{}
	if json.Unmarshal(snap.Note(), note) != nil {
		return nil
	}
	return note
}

// headNote makes the note on a commit. Its history is looked into where was, the
// note on the commit before, does not tell.
func (l *Ledger) headNote(ctx context.Context, from gitstore.OID, was *headNote, commit gitstore.OID, snap *gitstore.Snapshot) ([]byte, *records.Policy, error) {
	c, err := l.repo.ReadCommit(ctx, commit)
	if err != nil {
		return nil, nil, err
	}
	data, err := snap.Content(records.PolicyFile)
	if err != nil {
		return nil, nil, err
	}
	note := headNote{Policy: data, When: c.Committer.When}
	policy, perr := provenance.PolicyOf(data) // whatever is wrong with it, it is usable
	same := was != nil && was.Loosened == nil && bytes.Equal(was.Policy, data)
	if same {
		if same, err = l.policyRested(ctx, from, c); err != nil {
			return nil, nil, err
		}
	}
	if perr == nil && !same {
		if note.Loosened, err = l.policies.Loosening(ctx, commit, policy); err != nil {
			return nil, nil, err
		}
	}
	if note.Loosened != nil {
		policy.Review = note.Loosened.Held
	}
	text, err := json.Marshal(note)
	return text, policy, err
}

// policyRested reports whether nothing between two commits touched ctx.yaml, not
// even what was undone since.
func (l *Ledger) policyRested(ctx context.Context, from gitstore.OID, to *gitstore.Commit) (bool, error) {
	steps := 0
	for c, last := to, gitstore.OID(""); len(c.Parents) == 1; { // the usual case needs no process
		snap, err := l.repo.Snapshot(ctx, string(c.OID))
		if err != nil {
			return false, err
		}
		oid, err := snap.OID(records.PolicyFile)
		if err != nil || last != "" && oid != last {
			return false, nil
		}
		if c.Parents[0] == from {
			return true, nil
		}
		last = oid
		if steps++; steps == fewBehind {
			break
		}
		if c, err = l.repo.ReadCommit(ctx, c.Parents[0]); err != nil {
			return false, err
		}
	}
	out, err := l.repo.Git(ctx, nil, "rev-list", "--full-history", "--max-count=1", string(to.OID), "^"+string(from), "--", ":(top,literal)"+records.PolicyFile)
	if err != nil {
		return false, fmt.Errorf("list the changes of %s: %w", records.PolicyFile, err)
	}
	return len(out) == 0, nil
}
