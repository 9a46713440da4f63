package ledger

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/standing"
)

// Link adds links from one record to others.
func (tx *Tx) Link(name string, links []LinkTo) (*records.Record, error) {
	return tx.relink("link", name, links, func(r *records.Record, l LinkTo) error {
		return tx.addLink(r, l.Relation, l.Name)
	})
}

// Unlink removes links. A link that is not there is an error.
func (tx *Tx) Unlink(name string, links []LinkTo) (*records.Record, error) {
	return tx.relink("unlink", name, links, func(r *records.Record, l LinkTo) error {
		id := records.ID(l.Name)
		if !slices.Contains(r.Links[l.Relation], id) {
			t, err := tx.Find(l.Name)
			if err != nil {
				return err
			}
			id = t.ID
		}
		i := slices.Index(r.Links[l.Relation], id)
		if i < 0 {
			return fmt.Errorf("'%s' has no %s link to '%s'", r.ID, l.Relation, id)
		}
		r.Links[l.Relation] = slices.Delete(slices.Clone(r.Links[l.Relation]), i, i+1)
		return nil
	})
}

func (tx *Tx) relink(verb, name string, links []LinkTo, apply func(*records.Record, LinkTo) error) (*records.Record, error) {
	return tx.EditRecord(verb, name, func(r *records.Record) error {
		for _, l := range links {
			if err := apply(r, l); err != nil {
				return err
			}
		}
		return nil
	})
}

// EditRecord changes a record's content by fn. Where the content was judged,
// the judgement stays with the old content, and the record waits to be
// re-affirmed.
func (tx *Tx) EditRecord(verb, name string, fn func(*records.Record) error) (*records.Record, error) {
	old, err := tx.Find(name)
	if err != nil {
		return nil, err
	}
	if old.Forgotten() {
		return nil, undisputed(old)
	}
	r := old.Clone()
	if err := fn(r); err != nil {
		return nil, err
	}
	if err := r.Check(); err != nil {
		return nil, fmt.Errorf("%s '%s': %w", verb, old.ID, err)
	}
	same, err := equal(old, r)
	if err != nil || same {
		if same {
			tx.Note("%s is so already", r.ID)
		}
		return old, err
	}
	if !slices.Equal(r.RepeatedKeys(), old.RepeatedKeys()) {
		if err := RefuseRuledOut(tx.Overlay, r, tx.l.opts.Author.Actor); err != nil {
			return nil, err
		}
		if err := tx.refuseForged(r); err != nil {
			return nil, err
		}
		tx.warnAlike(r)
	}
	if r.ID != old.ID || r.Kind != old.Kind || r.Created != old.Created {
		return nil, fmt.Errorf("%s '%s': id, kind and created never change", verb, old.ID)
	}
	if r.Digest() != old.Digest() && tx.inForce(old) && tx.mustAsk(old.Kind, old.State()) {
		return tx.propose(old, r)
	}
	tx.put(verb, r, "")
	if was := standing.Of(tx.before, r.ID, tx.Eval); was.Class == records.Asserted {
		if now := standing.Of(tx.Overlay, r.ID, tx.Eval); now.Why == records.WhyChanged {
			tx.Note("%s is no longer asserted, as its content is not what was judged: git ctx %s %s re-affirms it",
				r.ID, records.VerbFor(r.Kind, r.State()), r.ID)
		}
	}
	return r, nil
}

// A ReviewedError refuses an edit or judgement by which an agent would take out
// of force what a reviewer put into it.
type ReviewedError struct {
	ID    records.ID
	Kind  records.Kind
	State records.State
}

func (e *ReviewedError) Error() string {
	return fmt.Sprintf("'%s' is %s after review, and only a person may change that", e.ID, e.State)
}

func (tx *Tx) inForce(r *records.Record) bool {
	return standing.Of(tx.before, r.ID, tx.Eval).Class == records.Asserted
}

func equal(a, b *records.Record) (bool, error) {
	x, err := records.Format(a)
	if err != nil {
		return false, err
	}
	y, err := records.Format(b)
	return err == nil && string(x) == string(y), err
}

// Supersede sets the verdicts of olds to superseded by the record new names.
func (tx *Tx) Supersede(olds []string, newName string, reason string) error {
	if strings.TrimSpace(reason) == "" {
		return &grammar.ReasonError{Verb: records.VerbSupersede}
	}
	next, err := tx.Find(newName)
	if err != nil {
		return err
	}
	if err := undisputed(next); err != nil {
		return err
	}
	for _, name := range olds {
		old, err := tx.Find(name)
		if err != nil {
			return err
		}
		if err := tx.checkSuccession(old, next); err != nil {
			return fmt.Errorf("supersede '%s': %w", old.ID, err)
		}
		if old.State() == records.Superseded && old.Verdict.SupersededBy == next.ID {
			tx.Note("%s is superseded by %s already", old.ID, next.ID)
			continue
		}
		if old.Verdict != nil && tx.mustAsk(old.Kind, old.State()) && tx.inForce(old) {
			if next, err = tx.proposeSuccessor(old, next, reason); err != nil {
				return err
			}
			continue
		}
		r := old.Clone()
		if err := tx.setVerdict(r, records.Superseded, reason, nil); err != nil {
			return err
		}
		r.Verdict.SupersededBy = next.ID
		tx.put(string(records.VerbSupersede), r, reason)
	}
	tx.session.Last = next.ID
	return nil
}

func (tx *Tx) checkSuccession(old, next *records.Record) error {
	switch {
	case old.ID == next.ID:
		return errors.New("a record does not supersede itself")
	case !old.Kind.Schema().Has(records.Superseded):
		return fmt.Errorf("a %s is never superseded; %s", old.Kind, strings.Join(closingVerbs(old.Kind), " or ")+" ends it")
	case old.Kind != next.Kind:
		return fmt.Errorf("it is %s, and '%s' is %s", old.Kind.Phrase(), next.ID, next.Kind.Phrase())
	}
	if err := undisputed(old); err != nil {
		return err
	}
	for cur, seen := next, map[records.ID]bool{}; !seen[cur.ID]; {
		seen[cur.ID] = true
		if cur.Verdict.SupersededBy == old.ID {
			return fmt.Errorf("'%s' is itself superseded by it", next.ID)
		}
		n, ok := tx.Overlay.Record(cur.Verdict.SupersededBy)
		if !ok || n.Verdict == nil {
			break
		}
		cur = n
	}
	if old.State() == records.Superseded {
		return nil // its successor changes
	}
	return records.CheckTransition(old.Kind, old.State(), records.Superseded)
}

// closingVerbs lists the verbs that settle a kind.
func closingVerbs(k records.Kind) []string {
	var vs []string
	for _, s := range k.Schema().States[k.Schema().Unsettled:] {
		vs = append(vs, "'git ctx "+string(records.VerbFor(k, s))+"'")
	}
	return vs
}

// Reopen moves a settled record back to its birth state.
func (tx *Tx) Reopen(name, reason string) (*records.Record, error) {
	r, err := tx.Find(name)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(reason) == "" {
		return nil, &grammar.ReasonError{Verb: records.VerbReopen}
	}
	if err := undisputed(r); err != nil {
		return nil, err
	}
	if err := records.CheckReopen(r.Kind, r.State()); err != nil {
		return nil, fmt.Errorf("reopen '%s': %w", r.ID, err)
	}
	r = r.Clone()
	if tx.outranked(r) {
		return r, tx.challenge(records.VerbReopen, r, r.Kind.Schema().Birth(), Judgement{Reason: reason})
	}
	if err := tx.setVerdict(r, r.Kind.Schema().Birth(), reason, nil); err != nil {
		return nil, err
	}
	tx.put(string(records.VerbReopen), r, reason)
	return r, nil
}
