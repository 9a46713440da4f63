package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/provenance"
	"github.com/git-ctx/git-ctx/internal/secretscan"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/merge"
	"github.com/git-ctx/git-ctx/records/standing"
)

// A Merged tells what a merge did, or would do.
type Merged struct {
	// Commit is the branch's tip after it; the tip before it when nothing was written.
	Commit      gitstore.OID
	UpToDate    bool
	FastForward bool
	// Changed are the records that differ from our side's.
	Changed []records.ID
	// Disputed maps each record that the merge left in conflict to the fields.
	Disputed map[records.ID][]string
	// Headings are the titles of the disputed records as the merge leaves them.
	Headings map[records.ID]string
	// Dropped are the values of one side that a named rule dropped.
	Dropped []Dropped
	// Made are the contradictions that neither side had.
	Made []standing.Contradiction
	// Secrets are those that their side brought, which a merge does not keep out:
	// it would lose what stands beside them, and they are in the history already.
	Secrets []secretscan.Secret

	// even says that the two sides differ in nothing but settling merges, so that
	// neither was merged into the other.
	Equivalent bool
}

// A Dropped is a value that a merge dropped by a named rule.
type Dropped struct {
	ID records.ID
	merge.Drop
}

// Clean reports whether the merge left nothing to settle.
func (m *Merged) Clean() bool { return len(m.Disputed)+len(m.Made)+len(m.Secrets) == 0 }

// ErrConflicts says that a merge that was to have no conflicts has some; nothing was written.
var ErrConflicts = errors.New("the merge has conflicts, and nothing was written")

// MergeOptions are the choices of a merge.
type MergeOptions struct {
	DryRun      bool
	NoConflicts bool
	// Subject replaces the usual one.
	Subject string

	// settle makes a merge commit that is the same whoever makes it, as for equal trees.
	Canonical bool
	// join makes the merge by which a scope keeps up with the project.
	join bool
	// own refuses a merge into a scope that changes records of the project's.
	own bool
}

// Merge merges a revision into the current branch: three-way by fields, over
// all merge bases, reading only what differs.
func (l *Ledger) Merge(ctx context.Context, rev string, o MergeOptions) (*Merged, error) {
	if err := l.SyncFromProject(ctx); err != nil {
		return nil, err
	}
	theirs, err := l.Resolve(ctx, rev)
	if err != nil {
		return nil, err
	}
	branch, err := l.Branch(ctx)
	if err != nil {
		return nil, err
	}
	o.own = true
	if o.Subject == "" {
		o.Subject = fmt.Sprintf("merge: %s into %s", rev, branch)
	}
	unlock, err := l.repo.Lock(ctx, LockWait)
	if err != nil {
		return nil, err
	}
	defer unlock()
	for range UpdateTries {
		m, err := l.mergeOnce(ctx, branch, theirs, o)
		var lost *gitstore.RefChangedError
		var policy *provenance.PolicyError
		switch {
		case errors.As(err, &policy) && policy.Side != "":
			return nil, &provenance.PolicyError{Side: "'" + rev + "'", Err: policy.Err}
		case !errors.As(err, &lost):
			return m, err
		}
	}
	return nil, fmt.Errorf("context branch '%s' keeps changing under this merge: gave up after %d tries", branch, UpdateTries)
}

func (l *Ledger) mergeOnce(ctx context.Context, branch string, theirs gitstore.OID, o MergeOptions) (*Merged, error) {
	ours, born, err := l.BranchTip(ctx, branch)
	if err != nil {
		return nil, err
	}
	if err := l.Writable(ctx, branch, born); err != nil {
		return nil, err
	}
	old := ours
	if !born {
		old = ""
	}
	// A hole in what is merged would be one in ours.
	if whole, err := l.repo.Whole(ctx, []gitstore.OID{theirs}, ours); err != nil {
		return nil, err
	} else if !whole {
		return nil, l.missingIn(ctx, theirs)
	}
	return l.MergeCommits(ctx, ours, theirs, o, func(reflog string, oid gitstore.OID) error {
		return l.repo.UpdateRefs(ctx, reflog, gitstore.RefUpdate{Name: l.HeadRefs() + branch, Old: old, New: oid})
	})
}

// missingIn is the error of a commit that leads to an object that is missing.
func (l *Ledger) missingIn(ctx context.Context, commit gitstore.OID) error {
	gaps, err := l.repo.FindGaps(ctx, []gitstore.OID{commit})
	if err != nil {
		return err
	}
	if gap := gaps.Gap(commit); gap != nil {
		commit = gap.OID
	}
	return fmt.Errorf("merge: %w", &gitstore.MissingObjectError{OID: commit})
}

// MergeCommits merges theirs into ours and hands the tip that results to move,
// which is not called where nothing is to be written.
func (l *Ledger) MergeCommits(ctx context.Context, ours, theirs gitstore.OID, o MergeOptions, move MoveFunc) (*Merged, error) {
	bases, err := l.repo.MergeBases(ctx, ours, theirs)
	if err != nil {
		return nil, err
	}
	if len(bases) == 0 && l.repo.Shallow() {
		return nil, errors.New("no merge base within this shallow clone's history; fetch more of it with 'git fetch --deepen=1000'")
	}
	res := &Merged{Commit: ours, Disputed: make(map[records.ID][]string), Headings: make(map[records.ID]string)}
	if slices.Contains(bases, theirs) {
		res.UpToDate = true
		return res, nil
	}
	ff := slices.Contains(bases, ours)
	if !ff {
		if res.Equivalent, err = l.equivalent(ctx, ours, theirs); err != nil || res.Equivalent {
			res.UpToDate = res.Equivalent
			return res, err
		}
	}
	if err := l.refusePurged(ctx, ours, theirs); err != nil {
		return nil, err
	}
	if err := l.policies.AllowMerge(ctx, ours, theirs, ff); err != nil {
		return nil, err
	}
	mg := &merging{l: l, res: res, ours: ours, theirs: theirs, bases: bases, joins: o.join}
	if err := mg.run(ctx, ff); err != nil {
		return nil, err
	}
	if o.own {
		if err := l.refuseProjects(ctx, res.Changed); err != nil {
			return nil, err
		}
	}
	if o.NoConflicts && len(res.Disputed)+len(res.Made) > 0 {
		return res, ErrConflicts
	}
	if o.DryRun {
		res.FastForward = ff
		return res, nil
	}
	if ff {
		res.FastForward, res.Commit = true, theirs
		return res, move("ctx: "+o.Subject, theirs)
	}
	res.Commit, err = mg.commit(ctx, o, move)
	return res, err
}
