package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/merge"
)

// A LostSide is a value that a merge commit dropped though one of its parents
// had it and nothing replaced it: the merge was made without git ctx, by a
// hosting service, `-s ours`, an octopus, or a commit of one side of a conflict.
type LostSide struct {
	Merge gitstore.OID `json:"merge"`
	ID    records.ID   `json:"id"`
	// Field is "" when the whole record is missing, or cannot be read.
	Field string `json:"field,omitempty"`
	// Value is the canonical text; "" with Field.
	Value string `json:"value,omitempty"`
}

// VerifyMerge makes a merge commit's merge again from its parents, and returns
// the values that the commit lost, by record and field; none for a commit that
// is not a merge. It does not look at what came later.
func (l *Ledger) VerifyMerge(ctx context.Context, commit gitstore.OID) ([]LostSide, error) {
	v, err := l.openMerge(ctx, commit)
	if v == nil || err != nil {
		return nil, err
	}
	var out []LostSide
	for _, path := range slices.Sorted(maps.Keys(v.paths)) {
		_, _, lost, err := v.again(path)
		if err != nil {
			return nil, fmt.Errorf("verify merge %s: %w", commit, err)
		}
		out = append(out, lost...)
	}
	return out, nil
}

// A madeMerge is a merge commit, opened to be made again.
type madeMerge struct {
	commit  gitstore.OID
	made    *gitstore.Snapshot
	parents []*gitstore.Snapshot
	// bases[i] are the merge bases of the first parent and parent i.
	bases [][]*gitstore.Snapshot
	// paths are the records that some parent changed and the commit does not hold so.
	paths map[string]bool
}

// openMerge reads a merge commit's trees; nil for a commit that is not a merge, or
// whose merge base a shallow clone lacks.
func (l *Ledger) openMerge(ctx context.Context, commit gitstore.OID) (*madeMerge, error) {
	v := &madeMerge{commit: commit, paths: make(map[string]bool)}
	c, err := l.repo.ReadCommit(ctx, commit)
	if err != nil || len(c.Parents) < 2 {
		return nil, err
	}
	if v.made, err = l.repo.Snapshot(ctx, string(commit)); err != nil {
		return nil, err
	}
	for i, p := range c.Parents {
		snap, err := l.repo.Snapshot(ctx, string(p))
		if err != nil {
			return nil, err
		}
		v.parents, v.bases = append(v.parents, snap), append(v.bases, nil)
		if i == 0 {
			continue
		}
		oids, err := l.repo.MergeBases(ctx, c.Parents[0], p)
		if err != nil {
			return nil, err
		}
		if len(oids) == 0 && l.repo.Shallow() {
			return nil, nil // there is no telling what either side changed
		}
		for _, oid := range oids {
			b, err := l.repo.Snapshot(ctx, string(oid))
			if err != nil {
				return nil, err
			}
			v.bases[i] = append(v.bases[i], b)
		}
	}
	if err := v.candidates(ctx, l.repo); err != nil {
		return nil, err
	}
	if l.opts.Scope != "" && commitmsg.NewLogEntry(c).IsJoin() {
		project := v.parents[1]
		maps.DeleteFunc(v.paths, func(path string, _ bool) bool {
			_, err := project.OID(path)
			return err == nil && sameIn(v.made, []*gitstore.Snapshot{project}, path)
		})
	}
	return v, nil
}

// candidates finds the records at which the commit differs from a parent: only
// there can it have lost something of that parent. Where the parent has what a
// base has, it has nothing to lose.
func (v *madeMerge) candidates(ctx context.Context, repo *gitstore.Repo) error {
	for i, p := range v.parents {
		bases := v.bases[i]
		if i == 0 {
			bases = v.bases[1]
		}
		err := repo.DiffTrees(ctx, p.Tree(), v.made.Tree(), func(path string, _, _ gitstore.OID) error {
			if _, err := records.PathID(path); err == nil && (len(bases) == 0 || !sameIn(p, bases, path)) {
				v.paths[path] = true
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// sameIn reports whether every base holds at path what s holds.
func sameIn(s *gitstore.Snapshot, bases []*gitstore.Snapshot, path string) bool {
	oid, _ := s.OID(path)
	for _, b := range bases {
		if other, _ := b.OID(path); other != oid {
			return false
		}
	}
	return true
}

// again merges one record anew, and compares: merged is what the merge should
// have made of it, made what the commit holds, nil where that cannot be read.
func (v *madeMerge) again(path string) (merged, made *records.Record, lost []LostSide, err error) {
	id, err := records.PathID(path)
	if err != nil {
		return nil, nil, nil, err
	}
	ours, err := readable(v.parents[0], path)
	if err != nil {
		return nil, nil, nil, err
	}
	if made, err = readable(v.made, path); err != nil {
		return nil, nil, nil, err
	}
	merged = ours
	for i, p := range v.parents[1:] {
		theirs, err := readable(p, path)
		if err != nil {
			return nil, nil, nil, err
		}
		var bases []*records.Record
		for _, s := range v.bases[i+1] {
			b, err := readable(s, path)
			if err != nil {
				return nil, nil, nil, err
			}
			bases = append(bases, b)
		}
		before := merged
		if merged, _, err = merge.Records(bases, before, theirs); err != nil {
			return nil, nil, nil, err
		}
		for _, d := range merge.Missing(merged, made, before, theirs) {
			side := LostSide{Merge: v.commit, ID: id, Field: d.Field, Value: d.Value}
			if !slices.Contains(lost, side) {
				lost = append(lost, side)
			}
		}
	}
	return merged, made, lost, nil
}

// readable reads a record of a commit; nil when there is none, or none that can be read.
func readable(s *gitstore.Snapshot, path string) (*records.Record, error) {
	r, err := recordIn(s, path)
	var bad *records.SyntaxError
	if errors.As(err, &bad) {
		return nil, nil
	}
	return r, err
}

// outstanding leaves those of a merge's lost sides that nothing has settled: the
// record still holds in that field what the merge put there, and neither the
// merge's own message nor a verb since says that it was decided so.
func (l *Ledger) outstanding(ctx context.Context, tip gitstore.OID, lost []LostSide) ([]LostSide, error) {
	settled := make(map[records.ID]bool)
	if len(lost) == 0 {
		return nil, nil
	}
	c, err := l.repo.ReadCommit(ctx, lost[0].Merge)
	if err != nil {
		return nil, err
	}
	if m, err := commitmsg.Parse(c.Message); err == nil && m.Verb == "resolve" {
		for _, id := range m.Records {
			settled[id] = true
		}
	}
	for e, err := range l.History(ctx, HistoryQuery{From: []gitstore.OID{tip}, Exclude: []gitstore.OID{lost[0].Merge}}) {
		if err != nil {
			return nil, err
		}
		if e.Message.Verb == VerbRestore || e.Message.Verb == "resolve" {
			for _, id := range e.Message.Records {
				settled[id] = true
			}
		}
	}
	now := make(map[records.ID][2]map[string]string)
	var out []LostSide
	for _, s := range lost {
		if settled[s.ID] {
			continue
		}
		values, ok := now[s.ID]
		if !ok {
			for i, at := range []gitstore.OID{s.Merge, tip} {
				var err error
				if values[i], err = l.valuesAt(ctx, at, s.ID); err != nil {
					return nil, err
				}
			}
			now[s.ID] = values
		}
		if s.Field == "" && values[1] != nil || s.Field != "" && values[0][s.Field] != values[1][s.Field] {
			continue
		}
		out = append(out, s)
	}
	return out, nil
}

const VerbRestore = "restore"

// Restore puts back what a merge commit lost, of one record or, with an id of
// "", of all: as if that commit were merged anew into the current branch. A
// value that clashes with what stands becomes a conflict, to be resolved.
func (l *Ledger) Restore(ctx context.Context, rev string, id records.ID) (*Result, error) {
	commit, err := l.Resolve(ctx, rev)
	if err != nil {
		return nil, err
	}
	v, err := l.openMerge(ctx, commit)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, &RevisionError{rev, "it is not a merge"}
	}
	reason := "what merge " + string(commit) + " lost"
	return l.edit(ctx, editOptions{verb: VerbRestore, body: reason}, func(tx *Tx) error {
		for _, path := range slices.Sorted(maps.Keys(v.paths)) {
			merged, made, lost, err := v.again(path)
			if err != nil {
				return err
			}
			if len(lost) == 0 || id != "" && lost[0].ID != id {
				continue
			}
			if err := tx.bringBack(merged, made, reason); err != nil {
				return err
			}
		}
		return nil
	})
}

// bringBack merges the record as it should have been into the one that is, over
// the one that the commit left.
func (tx *Tx) bringBack(merged, made *records.Record, reason string) error {
	now, _ := tx.Overlay.Record(merged.ID)
	r, _, err := merge.Records([]*records.Record{made}, now, merged)
	if err != nil {
		return err
	}
	if now != nil {
		a, errA := records.Format(now)
		b, errB := records.Format(r)
		if err := cmp.Or(errA, errB); err != nil {
			return err
		}
		if string(a) == string(b) {
			return nil // restored, or replaced by newer values, already
		}
	}
	tx.put(VerbRestore, r, reason)
	return nil
}

// mergesOf lists the merge commits that tips reach and seen do not, newest first.
func (l *Ledger) mergesOf(ctx context.Context, tips, seen []gitstore.OID) ([]gitstore.OID, error) {
	if len(tips) == 0 {
		return nil, nil
	}
	var in strings.Builder
	for _, t := range tips {
		fmt.Fprintln(&in, t)
	}
	for _, s := range seen {
		fmt.Fprintln(&in, "^"+s)
	}
	out, err := l.repo.Git(ctx, strings.NewReader(in.String()), "rev-list", "--merges", "--topo-order", "--ignore-missing", "--stdin")
	if err != nil {
		return nil, fmt.Errorf("list merges: %w", err)
	}
	var merges []gitstore.OID
	for _, s := range strings.Fields(string(out)) {
		merges = append(merges, gitstore.OID(s))
	}
	return merges, nil
}
