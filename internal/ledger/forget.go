package ledger

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/provenance"
	"github.com/git-ctx/git-ctx/records"
)

// Forget replaces what a record says by a tombstone, disputed or not. Its text
// leaves this branch; history keeps it, which package purge is for.
func (tx *Tx) Forget(name, reason string) (*records.Record, error) {
	r, err := tx.Find(name)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(reason) == "" {
		return nil, &grammar.ReasonError{Verb: grammar.Forget}
	}
	if r.Forgotten() {
		tx.Note("%s is forgotten already", r.ID)
		return r, nil
	}
	if err := tx.mayForget(r); err != nil {
		return nil, err
	}
	gone, err := tx.tombstone(r, reason)
	if err != nil {
		return nil, err
	}
	tx.put(grammar.Forget, gone, reason)
	if tx.session.Task == r.ID {
		tx.session.Task = ""
	}
	if tx.session.Goal == r.ID {
		tx.session.Goal = ""
	}
	if n := len(tx.Backlinks(r.ID, records.AnyLink)); n > 0 {
		tx.Note("%s stays linked or cited by others (%d): git ctx audit tells what that means", r.ID, n)
	}
	return gone, nil
}

// tombstone returns what is left of r.
func (tx *Tx) tombstone(r *records.Record, reason string) (*records.Record, error) {
	reason = strings.TrimSpace(reason)
	if key := records.Normalize(r.Title); key != "" && strings.Contains(records.Normalize(reason), key) {
		return nil, fmt.Errorf("forget '%s': the reason repeats the title, and would be kept", r.ID)
	}
	salt, err := tx.l.random(records.SaltLength)
	if err != nil {
		return nil, err
	}
	n, err := tx.l.random(4)
	if err != nil {
		return nil, err
	}
	return r.Forget(records.Tombstone{
		Salt: hex.EncodeToString(salt), Reason: reason,
		By: tx.by, Actor: tx.l.opts.Author.Actor, At: tx.now,
	}, records.NewNonce(n)), nil
}

// A PersonError refuses to an agent what the policy leaves to a person.
type PersonError struct {
	Verb string
	ID   records.ID
}

func (e *PersonError) Error() string {
	return fmt.Sprintf("%s '%s': by the policy only a person does that", e.Verb, e.ID)
}

// Tombstones resolves records on the current branch and returns what is left of
// each, once, with the name of who edits. Only a person may where the policy asks for one.
func (l *Ledger) Tombstones(ctx context.Context, verb string, names []string, reason string) (graves []*records.Record, by string, err error) {
	v, err := l.View(ctx)
	if err != nil {
		return nil, "", err
	}
	defer v.Close()
	if err := provenance.PolicyAllowsWrites(v.PolicyErr); err != nil {
		return nil, "", err
	}
	tx, err := l.begin(ctx, v)
	if err != nil {
		return nil, "", err
	}
	for _, name := range names {
		r, err := tx.Find(name)
		if err != nil {
			return nil, "", err
		}
		if tx.Eval.Review != records.ReviewAny && l.opts.Author.Actor != records.Human {
			return nil, "", &PersonError{verb, r.ID}
		}
		if slices.ContainsFunc(graves, func(g *records.Record) bool { return g.ID == r.ID }) {
			continue
		}
		if err := l.refuseProjects(ctx, []records.ID{r.ID}); err != nil {
			return nil, "", err
		}
		if !r.Forgotten() {
			if r, err = tx.tombstone(r, reason); err != nil {
				return nil, "", err
			}
		}
		graves = append(graves, r)
	}
	return graves, tx.by, v.Err()
}

// mayForget keeps what a person recorded or judged from being forgotten by anyone
// else, where the policy asks for a person at all.
func (tx *Tx) mayForget(r *records.Record) error {
	if tx.Eval.Review == records.ReviewAny || tx.l.opts.Author.Actor == records.Human {
		return nil
	}
	if r.Disputed() || r.Verdict == nil {
		return &DisputedError{r.ID}
	}
	for _, v := range append([]records.Verdict{*r.Verdict}, r.Also...) {
		if v.Actor == records.Human && r.CoversContent() {
			return &ReviewedError{r.ID, r.Kind, v.State}
		}
	}
	if r.Created.Actor == records.Human {
		return &PersonError{grammar.Forget, r.ID}
	}
	return nil
}

// leaveOutForgotten puts into a view of the past the tombstones of what the current
// branch, the default branch, or a branch that holds the commit has forgotten since.
func (l *Ledger) leaveOutForgotten(ctx context.Context, v *View) error {
	tips, err := l.tipsSince(ctx, v.Commit)
	if err != nil {
		return err
	}
	then, err := l.repo.Snapshot(ctx, string(v.Commit))
	if err != nil {
		return err
	}
	past := records.NewOverlay(v.View)
	for _, tip := range tips {
		now, err := l.repo.Snapshot(ctx, string(tip))
		if gitstore.IsObjectLost(err) {
			continue // a dead branch tells nothing
		}
		if err != nil {
			return err
		}
		for c, err := range l.FileChanges(ctx, then.Tree(), now.Tree()) {
			if gitstore.IsObjectLost(err) {
				break
			}
			if err != nil {
				return err
			}
			if r, err := ParseFile(c.Path, c.Data); err == nil && r.Forgotten() {
				if _, ok := past.Record(r.ID); ok {
					past.Put(r)
				}
			}
		}
	}
	if len(past.Changed()) == 0 {
		return nil
	}
	if v.vetoed == nil {
		v.vetoed = make(map[records.ID]records.State)
	}
	for _, id := range past.Changed() {
		v.vetoed[id] = records.Forgotten // an index made of the commit still finds its words
	}
	v.View = records.NewSet(slices.Collect(past.All()), nil)
	return nil
}

// tipsSince returns the tips of the branches that may have forgotten what a commit holds.
func (l *Ledger) tipsSince(ctx context.Context, commit gitstore.OID) ([]gitstore.OID, error) {
	var tips []gitstore.OID
	def, err := l.DefaultBranch(ctx)
	if err != nil {
		return nil, err
	}
	current, err := l.Branch(ctx)
	if err != nil {
		return nil, err
	}
	for _, branch := range []string{current, def} {
		tip, _, err := l.BranchTip(ctx, branch)
		if err != nil {
			return nil, err
		}
		tips = append(tips, tip)
	}
	out, err := l.repo.Git(ctx, nil, "for-each-ref", "--contains="+string(commit), "--format=%(objectname)", l.HeadRefs())
	if err == nil { // where a dead branch hinders it, the two above are asked
		for oid := range strings.FieldsSeq(string(out)) {
			tips = append(tips, gitstore.OID(oid))
		}
	}
	slices.Sort(tips)
	return slices.DeleteFunc(slices.Compact(tips), func(oid gitstore.OID) bool { return oid == commit || oid == "" }), nil
}
