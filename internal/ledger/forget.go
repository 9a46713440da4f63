package ledger

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

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
