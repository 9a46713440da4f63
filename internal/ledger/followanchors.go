package ledger

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/codelink"
	"github.com/git-ctx/git-ctx/records"
)

// FollowAnchors rewrites, in one edit, the anchors of records that moved, so that they
// name where the cited lines stand now. A judged record is left as it is: where the
// lines stand is part of what was judged. followed tells for each record with an
// anchor that moved whether it was rewritten.
func (l *Ledger) FollowAnchors(ctx context.Context, checks map[records.ID][]codelink.Check) (followed map[records.ID]bool, err error) {
	var specs []string
	for _, cs := range checks {
		for _, c := range cs {
			if spec := l.movedTo(c); spec != "" {
				specs = append(specs, spec)
			}
		}
	}
	res, err := l.edit(ctx, editOptions{anchors: specs}, func(tx *Tx) error {
		followed = make(map[records.ID]bool)
		for _, id := range slices.Sorted(maps.Keys(checks)) {
			if !slices.ContainsFunc(checks[id], func(c codelink.Check) bool { return c.State == codelink.Moved }) {
				continue
			}
			r, err := tx.followAnchors(id, checks[id])
			if err != nil {
				return err
			}
			followed[id] = r != nil
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return followed, res.Close()
}

// followAnchors returns nil when nothing of the record is rewritten.
func (tx *Tx) followAnchors(id records.ID, checks []codelink.Check) (*records.Record, error) {
	old, err := tx.Find(string(id))
	if err != nil || old.CoversContent() || old.Disputed() {
		return nil, err
	}
	moved := false
	r, err := tx.EditRecord("edit", string(id), func(r *records.Record) error {
		for _, c := range checks {
			i := slices.Index(r.Anchors, c.Anchor)
			spec := tx.l.movedTo(c)
			if i < 0 || spec == "" {
				continue
			}
			now, err := tx.anchor(spec)
			if err != nil {
				return err
			}
			if now.SHA256 == c.Anchor.SHA256 { // else the file changed meanwhile
				r.Anchors[i], moved = now, true
			}
		}
		return nil
	})
	if !moved {
		return nil, err
	}
	return r, err
}

// FollowRewritten makes the anchors of the current branch's records name the
// code commits that took the place of rewritten ones, by old commit, as one
// commit. No verdict judges an anchor's commit, so judged records keep theirs.
// It returns the records that it changed: most rewritten commits are in no anchor.
func (l *Ledger) FollowRewritten(ctx context.Context, moved map[gitstore.OID]gitstore.OID) ([]records.ID, error) {
	read, err := l.View(ctx)
	if err != nil {
		return nil, err
	}
	ids, err := anchoredAt(read, moved)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	var lines []string
	for _, id := range ids {
		r, _ := read.Record(id)
		for _, a := range r.Anchors {
			if to, ok := moved[gitstore.OID(a.Commit)]; ok {
				lines = append(lines, fmt.Sprintf("%s is now %s", a.Commit, to))
			}
		}
	}
	slices.Sort(lines)
	o := editOptions{verb: "follow", subject: "anchors: follow rewritten commits", body: strings.Join(slices.Compact(lines), "\n")}
	res, err := l.edit(ctx, o, func(tx *Tx) error {
		ids, err := anchoredAt(tx.before, moved)
		for _, id := range ids {
			r, _ := tx.Overlay.Record(id)
			r = r.Clone()
			for i, a := range r.Anchors {
				if to, ok := moved[gitstore.OID(a.Commit)]; ok {
					r.Anchors[i].Commit = string(to)
				}
			}
			tx.put("", r, "")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return res.Changed, res.Close()
}

// anchoredAt returns the records with an anchor that names one of the commits,
// those in dispute left aside.
func anchoredAt(v *View, moved map[gitstore.OID]gitstore.OID) ([]records.ID, error) {
	ids, err := v.Anchored()
	if err != nil {
		return nil, err
	}
	ids = slices.DeleteFunc(ids, func(id records.ID) bool {
		r, ok := v.Record(id)
		return !ok || !r.Intact() || !slices.ContainsFunc(r.Anchors, func(a records.Anchor) bool {
			_, ok := moved[gitstore.OID(a.Commit)]
			return ok
		})
	})
	return ids, v.Err()
}
