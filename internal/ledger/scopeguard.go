package ledger

import (
	"context"
	"errors"
	"io/fs"

	"github.com/git-ctx/git-ctx/records"
)

// projectHolds reports whether a record is the project's.
func (l *Ledger) projectHolds(ctx context.Context) (func(records.ID) (bool, error), error) {
	tip, err := l.projectTip(ctx)
	if err != nil {
		return nil, err
	}
	snap, err := l.repo.Snapshot(ctx, string(tip))
	if err != nil {
		return nil, err
	}
	return func(id records.ID) (bool, error) {
		_, err := snap.OID(records.IDPath(id))
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}, nil
}

// refuseProjects refuses a scope's change to records of the project's.
func (l *Ledger) refuseProjects(ctx context.Context, ids []records.ID) error {
	if l.opts.Scope == "" {
		return nil
	}
	holds, err := l.projectHolds(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if held, err := holds(id); err != nil {
			return err
		} else if held {
			return &ProjectRecordError{id, l.opts.Scope}
		}
	}
	return nil
}

// OwnTasks leaves to a scope its own tasks: a claim on one of the project's
// would hold for nobody else. When none is left, the error names the first.
func (l *Ledger) OwnTasks(ctx context.Context, ids []records.ID) ([]records.ID, error) {
	if l.opts.Scope == "" || len(ids) == 0 {
		return ids, nil
	}
	holds, err := l.projectHolds(ctx)
	if err != nil {
		return nil, err
	}
	var own []records.ID
	for _, id := range ids {
		if held, err := holds(id); err != nil {
			return nil, err
		} else if !held {
			own = append(own, id)
		}
	}
	if len(own) == 0 {
		return nil, &ProjectRecordError{ids[0], l.opts.Scope}
	}
	return own, nil
}

// A Leak is a link from a record of the project to one that only the scope holds.
type Leak struct{ From, To records.ID }

// Leaks finds, for a ledger that is bound to a scope, the links by which the
// project's records lead into it.
func (l *Ledger) Leaks(ctx context.Context, v *View) ([]Leak, error) {
	if l.opts.Scope == "" {
		return nil, nil
	}
	tip, err := l.projectTip(ctx)
	if err != nil {
		return nil, err
	}
	holds, err := l.projectHolds(ctx)
	if err != nil {
		return nil, err
	}
	p, err := l.pair(ctx, tip, v.Commit)
	if err != nil {
		return nil, err
	}
	var leaks []Leak
	for _, c := range p.paths {
		to, err := records.PathID(c.path)
		if err != nil {
			continue
		}
		if held, err := holds(to); err != nil {
			return nil, err
		} else if held {
			continue
		}
		for _, from := range v.Backlinks(to, records.AnyLink) {
			if held, err := holds(from); err != nil {
				return nil, err
			} else if held {
				leaks = append(leaks, Leak{from, to})
			}
		}
	}
	return leaks, nil
}
