package ledger

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/internal/provenance"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/standing"
)

// A Snapshot is what the records of a reading were judged from: commits and a date.
type Snapshot struct {
	Commit gitstore.OID
	// Vetoes is the tip of the default branch, "" when the reading was of that branch.
	Vetoes  gitstore.OID
	ValidAt time.Time
}

// SnapshotAt returns the reading that a view of the same branch was at an earlier
// store commit, judged at its date and by the default branch as of that date.
func (l *Ledger) SnapshotAt(ctx context.Context, v *View, commit gitstore.OID) (Snapshot, error) {
	c, err := l.repo.ReadCommit(ctx, commit)
	if err != nil {
		return Snapshot{}, err
	}
	then := Snapshot{Commit: commit, ValidAt: c.Committer.When}
	if v.VetoTip == "" {
		return then, nil
	}
	then.Vetoes, err = l.before(ctx, v.VetoTip, "", c.Committer.When)
	var young *RevisionError
	if errors.As(err, &young) { // there was no default branch to veto then
		return then, nil
	}
	return then, err
}

// ErrPolicyMoved says that the records were judged by another policy then: the
// standing of any of them may be another.
var ErrPolicyMoved = errors.New("the policy changed since")

// MovedSince returns the records of v whose content or standing is another than
// at an earlier reading, with the standing they had, the zero one for those
// that were not there. J judges v. The error may be [ErrPolicyMoved].
func (l *Ledger) MovedSince(ctx context.Context, v *View, then Snapshot, j records.EvalContext) (map[records.ID]records.Standing, error) {
	old, before, err := l.viewThen(ctx, v, then)
	if err != nil {
		return nil, err
	}
	affected := make(map[records.ID]bool)
	edited := make(map[records.ID]bool)
	for id, was := range before {
		now, _ := v.Record(id)
		edited[id] = true
		for _, side := range []records.View{old, v} {
			for _, a := range standing.Affected(side, was, now) {
				affected[a] = true
			}
		}
	}
	for id := range v.touched() {
		affected[id] = true
	}
	for id := range touched(old, slices.Collect(maps.Keys(old.vetoed))) {
		affected[id] = true
	}
	timed, err := v.timed()
	if err != nil {
		return nil, err
	}
	for _, id := range timed {
		affected[id] = true
	}
	judgeThen := j
	judgeThen.ValidAt = then.ValidAt
	evalNow, evalThen := standing.NewEvaluator(v, j), standing.NewEvaluator(old, judgeThen)
	moved := make(map[records.ID]records.Standing)
	for id := range affected {
		if _, ok := v.Record(id); !ok {
			continue
		}
		was, now := records.Standing{}, evalNow.Standing(id)
		if _, ok := old.Record(id); ok {
			was = evalThen.Standing(id)
		}
		if edited[id] || was.Class != now.Class || was.State != now.State || was.Why != now.Why {
			moved[id] = was
		}
	}
	return moved, v.Err()
}

// ForgottenAbove reports whether the record is forgotten on the default branch,
// whatever this one still has of it.
func (v *View) ForgottenAbove(id records.ID) bool { return v.vetoed[id] == records.Forgotten }

// A pastView is a view of an earlier store commit, laid over a later one.
type pastView struct {
	*records.Overlay
	vetoed map[records.ID]records.State
}

// Veto implements [records.View].
func (p *pastView) Veto(id records.ID) (records.State, bool) {
	s, ok := p.vetoed[id]
	return s, ok
}

// viewThen returns the view of an earlier reading, and the records that differ
// as they were, nil for those that were not there or could not be read.
func (l *Ledger) viewThen(ctx context.Context, v *View, then Snapshot) (*pastView, map[records.ID]*records.Record, error) {
	was, err := l.repo.Snapshot(ctx, string(then.Commit))
	if err != nil {
		return nil, nil, err
	}
	now, err := l.repo.Snapshot(ctx, string(v.Commit))
	if err != nil {
		return nil, nil, err
	}
	policy, _ := provenance.ReadPolicy(was)
	before, err := l.policies.InForce(ctx, policy)
	if err != nil {
		return nil, nil, err
	}
	if after, err := l.policies.InForce(ctx, v.Policy); err != nil || before != after {
		return nil, nil, errors.Join(err, ErrPolicyMoved)
	}
	old := &pastView{Overlay: records.NewOverlay(v)}
	differ := make(map[records.ID]*records.Record)
	for c, err := range l.FileChanges(ctx, now.Tree(), was.Tree()) {
		if err != nil {
			return nil, nil, err
		}
		id, err := records.PathID(c.Path)
		if err != nil {
			continue
		}
		old.Drop(id)
		differ[id] = nil
		if c.Data == nil {
			continue
		}
		if r, err := ParseFile(c.Path, c.Data); err == nil {
			old.Put(r)
			differ[id] = r
		}
	}
	if then.Vetoes != "" {
		old.vetoed, err = l.vetoesOf(ctx, then.Commit, then.Vetoes)
	}
	return old, differ, err
}

// timed returns the records that have a validity.
func (v *View) timed() ([]records.ID, error) {
	var ids []records.ID
	if v.snap == nil || v.laid {
		for r := range v.All() {
			if r.Valid != (records.Validity{}) {
				ids = append(ids, r.ID)
			}
		}
		return ids, v.Err()
	}
	for row, err := range v.snap.Rows(index.Query{Classes: []records.Class{"-"}}) { // which no record has
		if err != nil {
			return nil, err
		}
		if row.Timed {
			ids = append(ids, row.ID)
		}
	}
	return ids, nil
}

// touched returns the records whose standing in v some records bear on that the
// index does not know of, these included.
func touched(v records.View, ids ...[]records.ID) map[records.ID]bool {
	out := make(map[records.ID]bool)
	for _, id := range standing.Dependents(v, slices.Concat(ids...)) {
		out[id] = true
	}
	return out
}
