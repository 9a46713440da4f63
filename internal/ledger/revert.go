package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/merge"
	"github.com/git-ctx/git-ctx/records/standing"
)

// Revert takes back what a store commit did: fields return to what they were
// where nothing changed them since, and every verdict that the commit wrote is
// followed by a new one with the old state, which names the commit. Records it
// added are not deleted: they are moved to the state that ends their kind. Records
// whose file it took away are put back.
func (l *Ledger) Revert(ctx context.Context, rev, reason string) (*Result, error) {
	oid, err := l.Resolve(ctx, rev)
	if err != nil {
		return nil, err
	}
	c, err := l.repo.ReadCommit(ctx, oid)
	if err != nil {
		return nil, err
	}
	switch len(c.Parents) {
	case 0:
		return nil, fmt.Errorf("revert '%s': it is the store's first commit", rev)
	case 1:
	default:
		return nil, fmt.Errorf("revert '%s': it is a merge; revert the commits it brought in", rev)
	}
	ds, err := l.Diff(ctx, c.Parents[0], oid)
	if err != nil {
		return nil, err
	}
	if len(ds) == 0 {
		return nil, fmt.Errorf("revert '%s': it changed no record", rev)
	}
	e := commitmsg.NewLogEntry(c)
	if reason == "" {
		reason = fmt.Sprintf("reverts %s \"%s\"", oid[:12], e.Message.Subject)
	}
	o := editOptions{verb: "revert", subject: "revert: " + e.Message.Subject, body: reason}
	return l.edit(ctx, o, func(tx *Tx) error {
		for _, d := range ds {
			if err := tx.takeBack(d, oid, reason); err != nil {
				return fmt.Errorf("revert '%s': %w", rev, err)
			}
		}
		return nil
	})
}

func (tx *Tx) takeBack(d Difference, commit gitstore.OID, reason string) error {
	if d.Problem == fileGone && d.Old != nil && !d.Old.Disputed() {
		return tx.bringFile(d.Old, commit, reason)
	}
	if d.New == nil || (d.Old == nil && d.Op != "+") {
		return fmt.Errorf("'%s': %s", d.Path, d.Problem)
	}
	if d.Old != nil && d.Old.Disputed() {
		return fmt.Errorf("'%s': the commit settled a dispute; settle it otherwise by judging or editing it anew", d.ID)
	}
	now, ok := tx.Overlay.Record(d.ID)
	if !ok {
		return &NotFoundError{Name: string(d.ID), Why: "the record is not on this branch any more"}
	}
	if err := undisputed(now); err != nil {
		return err
	}
	if d.Old == nil {
		return tx.end(now, commit, reason)
	}
	r, report, err := merge.Records([]*records.Record{d.New}, now, d.Old)
	if err != nil {
		return err
	}
	for _, field := range report.Conflicts {
		if field != "verdict" {
			return fmt.Errorf("'%s': %s was changed again since; edit it instead", d.ID, field)
		}
	}
	if d.Old.Verdict == nil || d.New.Verdict == nil || d.Old.Verdict.N == d.New.Verdict.N {
		tx.put("revert", r, reason)
		return nil
	}
	if err := tx.mayRestore(d.Old, commit); err != nil {
		return err
	}
	if now.Verdict.N != d.New.Verdict.N {
		return fmt.Errorf("'%s': it was judged again since; judge it anew instead", d.ID)
	}
	r = r.Clone()
	r.Conflicts = nil
	if err := tx.setVerdict(r, d.Old.State(), reason, d.Old.Verdict.Cites); err != nil {
		return err
	}
	r.Verdict.Reverts = string(commit)
	tx.put("revert", r, reason)
	return nil
}

// bringFile puts a record back whose file a commit made by hand took away. Its verdict is
// given anew, by who reverts, where it was more than the state that a record begins in.
func (tx *Tx) bringFile(old *records.Record, commit gitstore.OID, reason string) error {
	if _, ok := tx.Overlay.Record(old.ID); ok {
		return fmt.Errorf("'%s': it is there again", old.ID)
	}
	r := old.Clone()
	if v := old.Verdict; v != nil && old.State() != old.Kind.Schema().States[0] {
		if err := tx.mayRestore(old, commit); err != nil {
			return err
		}
		if err := tx.setVerdict(r, old.State(), cmp.Or(v.Reason, reason), v.Cites); err != nil {
			return err
		}
		r.Verdict.Reverts = string(commit)
	}
	tx.put("revert", r, reason)
	return nil
}

// An UnprovenError says that a verdict which a revert would give again was never given by
// who may give it.
type UnprovenError struct {
	ID    records.ID
	Kind  records.Kind
	State records.State
}

func (e *UnprovenError) Error() string {
	return fmt.Sprintf("'%s' was never %s by a person: a revert gives no more trust than what it restores had", e.ID, e.State)
}

// mayRestore refuses to give again, in this actor's name, a verdict that was not sound.
func (tx *Tx) mayRestore(old *records.Record, commit gitstore.OID) error {
	if tx.Eval.Review == records.ReviewAny || !records.NeedsProvenance(old.Kind, old.State()) ||
		standing.RankOf(tx.Overlay, old, tx.provenEval(commit)) > records.AgentRank {
		return nil
	}
	if old.Kind.Schema().Reviewed != old.State() && old.Verdict.Actor != records.Human {
		return nil // an agent's support, which claims no more
	}
	return &UnprovenError{old.ID, old.Kind, old.State()}
}

// provenEval tells of verdicts whether they were sound before a commit displaced them.
func (tx *Tx) provenEval(commit gitstore.OID) records.EvalContext {
	eval := tx.Eval
	eval.Provenance = func(r *records.Record, m *records.Verdict) records.Provenance {
		p := tx.provenanceAnew(r, m)
		if p.Displaced == string(commit) {
			p.Displaced = ""
		}
		return p
	}
	return eval
}

// ends is the state that takes a record out of use without judging its content.
var ends = map[records.Kind]records.State{
	records.Goal: records.Abandoned, records.Task: records.Dropped, records.Evidence: records.Retracted,
	records.Decision: records.Rejected, records.Conclusion: records.Rejected,
	records.Runbook: records.Retired, records.Trigger: records.Retired,
}

// end closes a record that the reverted commit had added.
func (tx *Tx) end(r *records.Record, commit gitstore.OID, reason string) error {
	to, ok := ends[r.Kind]
	if !ok {
		return errors.New("it added " + string(r.ID) + ", and a hypothesis is only ever refuted or superseded: judge it instead")
	}
	if r.State() == to {
		return nil
	}
	if err := records.CheckTransition(r.Kind, r.State(), to); err != nil {
		return err
	}
	r = r.Clone()
	if err := tx.setVerdict(r, to, reason, nil); err != nil {
		return err
	}
	r.Verdict.Reverts = string(commit)
	tx.put("revert", r, reason)
	return nil
}
