package ledger

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/records"
)

// A NeedsError says that records cannot be promoted without others of their
// scope, to which they refer.
type NeedsError struct {
	IDs   []records.ID // that were to be promoted
	Needs []records.ID
}

func (e *NeedsError) Error() string {
	return fmt.Sprintf("promote %s: the project would refer to what only the scope holds: %s", idWords(e.IDs), idWords(e.Needs))
}

func idWords(ids []records.ID) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = "'" + string(id) + "'"
	}
	return strings.Join(words, ", ")
}

// Promote puts records of the ledger's scope into the project, on its default
// branch, as one commit that names the scope and nothing else of it. Who made
// and who judged them is kept; what this actor may not put into force there
// arrives as a proposal, and is one in the scope too from then on.
func (l *Ledger) Promote(ctx context.Context, names []string) (*Result, error) {
	if l.opts.Scope == "" {
		return nil, &ScopeError{Why: "promote brings records of a scope into the project, and none is chosen", Hint: "git ctx --scope NAME promote ID"}
	}
	rs, err := l.promotable(ctx, names)
	if err != nil {
		return nil, err
	}
	p := l.project()
	branch, err := p.DefaultBranch(ctx)
	if err != nil {
		return nil, err
	}
	o := editOptions{verb: commitmsg.VerbPromote, branch: branch, from: l.opts.Scope, body: "from scope " + l.opts.Scope}
	dry := o
	dry.dry = true
	// What they become is settled first, so that the scope's copy is the same and
	// the two never have to be merged.
	tried, err := p.edit(ctx, dry, func(tx *Tx) error { return tx.promote(rs) })
	if err != nil {
		return nil, err
	}
	for i, r := range rs {
		rs[i], _ = tried.View.Record(r.ID)
	}
	notes := tried.Notes
	if err := tried.Close(); err != nil {
		return nil, err
	}
	if err := l.alike(ctx, rs); err != nil {
		return nil, err
	}
	res, err := p.edit(ctx, o, func(tx *Tx) error { return tx.promote(rs) })
	if err != nil {
		return nil, err
	}
	res.Notes = append(notes, res.Notes...)
	if err := l.SyncFromProject(ctx); err != nil {
		res.Notes = append(res.Notes, err.Error()) // the next reader of the scope tries again
	}
	return res, nil
}

// promotable reads what is to be promoted, and checks that the project can hold it.
func (l *Ledger) promotable(ctx context.Context, names []string) ([]*records.Record, error) {
	v, err := l.View(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = v.Close() }()
	holds, err := l.projectHolds(ctx)
	if err != nil {
		return nil, err
	}
	var rs []*records.Record
	var ids []records.ID
	for _, name := range names {
		r, err := l.Find(v, name)
		if err != nil {
			return nil, err
		}
		if slices.Contains(ids, r.ID) {
			continue
		}
		if err := l.mayPromote(v, r, holds); err != nil {
			return nil, err
		}
		rs, ids = append(rs, r.Clone()), append(ids, r.ID)
	}
	var needs []records.ID
	for _, r := range rs {
		for _, id := range references(r) {
			held, err := holds(id)
			if err != nil {
				return nil, err
			}
			if !held && !slices.Contains(ids, id) {
				needs = append(needs, id)
			}
		}
	}
	if len(needs) > 0 {
		slices.Sort(needs)
		return nil, &NeedsError{ids, slices.Compact(needs)}
	}
	return rs, v.Err()
}

func (l *Ledger) mayPromote(v *View, r *records.Record, holds func(records.ID) (bool, error)) error {
	held, err := holds(r.ID)
	switch {
	case err != nil:
		return err
	case held:
		return fmt.Errorf("promote '%s': the project holds it already", r.ID)
	case r.Forgotten():
		return fmt.Errorf("promote '%s': it is forgotten", r.ID)
	case r.Disputed():
		return &DisputedError{r.ID}
	case l.opts.Author.Actor == records.Human && records.NeedsProvenance(r.Kind, r.State()) && r.Verdict.Actor == records.Human && !v.provenance(r, r.Verdict).Named:
		return fmt.Errorf("promote '%s': it is %s by a person, it says, and no verb of a person gave that verdict: judge it anew first", r.ID, r.State())
	}
	return nil
}

// references lists the records that r refers to, by links or verdicts.
func references(r *records.Record) []records.ID {
	var ids []records.ID
	for _, to := range r.Links {
		ids = append(ids, to...)
	}
	for _, v := range append(slices.Clone(r.Also), deref(r.Verdict)) {
		ids = append(ids, v.Cites...)
		if v.SupersededBy != "" {
			ids = append(ids, v.SupersededBy)
		}
		for _, d := range v.Despite {
			ids = append(ids, d.ID)
		}
	}
	return ids
}

// promote puts records of a scope into a transaction of the project's.
func (tx *Tx) promote(rs []*records.Record) error {
	for _, r := range rs {
		if _, held := tx.Overlay.Record(r.ID); held {
			return fmt.Errorf("promote '%s': the project holds it already", r.ID)
		}
		r, err := tx.brought(r)
		if err != nil {
			return err
		}
		tx.put(commitmsg.VerbPromote, r, "")
	}
	return nil
}

// alike makes the scope's records what they are to be in the project.
func (l *Ledger) alike(ctx context.Context, rs []*records.Record) error {
	res, err := l.edit(ctx, editOptions{verb: commitmsg.VerbPromote}, func(tx *Tx) error {
		for _, r := range rs {
			old, ok := tx.Overlay.Record(r.ID)
			if !ok {
				return &NotFoundError{Name: string(r.ID)}
			}
			if same, err := equal(old, r); err != nil || same {
				if err != nil {
					return err
				}
				continue
			}
			tx.put(commitmsg.VerbPromote, r, "")
		}
		return nil
	})
	if err != nil {
		return err
	}
	return res.Close()
}

func deref(v *records.Verdict) records.Verdict {
	if v == nil {
		return records.Verdict{}
	}
	return *v
}
