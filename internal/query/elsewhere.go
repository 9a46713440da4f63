package query

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/internal/ledger"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/records"
)

// Bounds of looking at other branches: beyond them a repository keeps branches
// that nobody works on.
const (
	maxOthers     = 8   // branches, those with the newest tips
	maxOtherMoved = 500 // records that one of them changed
)

// An Elsewhere is a record that another context branch rules out.
type Elsewhere struct {
	Record *records.Record
	Branch string
	Tip    gitstore.OID // of that branch
}

// RuledOutElsewhere returns the records that other local context branches have
// refuted or rejected since they parted from the view's, sorted by id, each from
// one branch: the default one, else the one that moved last. What was forgotten
// on the default branch is not among them. Only the view of a branch has
// others: for a revision of the past there is none. A branch of which objects are
// missing is left aside and named in dead.
func RuledOutElsewhere(ctx context.Context, l *ledger.Ledger, v *ledger.View) (ruled []Elsewhere, dead []string, err error) {
	if v.Branch == "" {
		return nil, nil, nil
	}
	refs, err := l.Repo().Refs(ctx, l.HeadRefs())
	if err != nil {
		return nil, nil, err
	}
	// Most often there is no other branch, or none that is not merged: then no process starts.
	if !slices.ContainsFunc(refs, func(r gitstore.Ref) bool { return r.OID != v.Commit && r.Name != l.HeadRefs()+v.Branch }) {
		return nil, nil, nil
	}
	others, dead, err := unmergedHeads(ctx, l, v, refs)
	if gitstore.IsObjectLost(err) {
		others, dead, err = unmergedAlive(ctx, l, v, refs)
	}
	if err != nil {
		return nil, nil, err
	}
	found := make(map[records.ID]Elsewhere)
	for _, o := range others {
		err := ruledOutOn(ctx, l, v, o, found)
		if gitstore.IsObjectLost(err) {
			dead = append(dead, o.Name)
		} else if err != nil {
			return nil, nil, fmt.Errorf("read context branch '%s': %w", o.Name, err)
		}
	}
	ruled = make([]Elsewhere, 0, len(found))
	for _, e := range found {
		ruled = append(ruled, e)
	}
	slices.SortFunc(ruled, func(a, b Elsewhere) int { return strings.Compare(string(a.Record.ID), string(b.Record.ID)) })
	return ruled, dead, nil
}

// unmergedAlive is [Ledger.unmergedHeads] where git lists none because some branch is
// dead, by name instead of time.
func unmergedAlive(ctx context.Context, l *ledger.Ledger, v *ledger.View, refs []gitstore.Ref) (alive []gitstore.Ref, dead []string, err error) {
	for _, ref := range refs {
		ref.Name = strings.TrimPrefix(ref.Name, l.HeadRefs())
		merged, err := l.Repo().IsAncestor(ctx, ref.OID, v.Commit)
		switch {
		case gitstore.IsObjectLost(err):
			dead = append(dead, ref.Name)
		case err != nil:
			return nil, nil, err
		case !merged && ref.Name == v.Default:
			alive = slices.Insert(alive, 0, ref)
		case !merged:
			alive = append(alive, ref)
		}
	}
	return alive[:min(len(alive), maxOthers)], dead, nil
}

// unmergedHeads lists the branches that have commits which v's lacks, under
// their short names: the default branch first, then the newest. Dead are those of
// which git says nothing, as their newest commit is missing.
func unmergedHeads(ctx context.Context, l *ledger.Ledger, v *ledger.View, refs []gitstore.Ref) (alive []gitstore.Ref, dead []string, err error) {
	out, err := l.Repo().Git(ctx, nil, "for-each-ref", "--no-merged="+string(v.Commit), "--sort=refname", "--sort=-committerdate",
		"--format=%(objectname) %(refname)", l.HeadRefs())
	if err != nil {
		return nil, nil, fmt.Errorf("list other context branches: %w", err)
	}
	told := make(map[string]bool)
	for line := range strings.Lines(string(out)) {
		oid, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		told[name] = true
		ref := gitstore.Ref{Name: strings.TrimPrefix(name, l.HeadRefs()), OID: gitstore.OID(oid)}
		switch ref.Name {
		case v.Branch:
		case v.Default:
			alive = slices.Insert(alive, 0, ref)
		default:
			alive = append(alive, ref)
		}
	}
	for _, ref := range refs {
		if told[ref.Name] {
			continue
		}
		if _, err := l.Repo().ReadCommit(ctx, ref.OID); gitstore.IsObjectLost(err) {
			dead = append(dead, strings.TrimPrefix(ref.Name, l.HeadRefs()))
		} else if err != nil {
			return nil, nil, err
		}
	}
	return alive[:min(len(alive), maxOthers)], dead, nil
}

// ruledOutOn adds what a branch rules out to found.
func ruledOutOn(ctx context.Context, l *ledger.Ledger, v *ledger.View, other gitstore.Ref, found map[records.ID]Elsewhere) error {
	var base gitstore.OID // of its tree; "" where they have nothing in common
	bases, err := l.Repo().MergeBases(ctx, v.Commit, other.OID)
	if err != nil {
		return err
	}
	if len(bases) > 0 {
		snap, err := l.Repo().Snapshot(ctx, string(bases[0]))
		if err != nil {
			return err
		}
		base = snap.Tree()
	}
	theirs, err := l.Repo().Snapshot(ctx, string(other.OID))
	if err != nil {
		return err
	}
	n := 0
	for c, err := range l.FileChanges(ctx, base, theirs.Tree()) {
		if err != nil {
			return err
		}
		if c.Data == nil {
			continue
		}
		if n++; n > maxOtherMoved {
			break
		}
		r, err := ledger.ParseFile(c.Path, c.Data)
		if err != nil || !r.Intact() {
			continue // what it says nobody knows
		}
		if !r.State().RuledOut() {
			continue
		}
		_, vetoed := v.Veto(r.ID)
		if _, have := found[r.ID]; !have && (!vetoed || other.Name == v.Default) {
			found[r.ID] = Elsewhere{Record: r, Branch: other.Name, Tip: other.OID}
		}
	}
	return nil
}
