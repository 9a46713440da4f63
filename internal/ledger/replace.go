package ledger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// propose records what an agent would make of a record in force: a new record
// with the edited content, which asks to be accepted and takes the old one's
// place when a person accepts it. Until then the old one stands as it is.
func (tx *Tx) propose(old, edited *records.Record) (*records.Record, error) {
	to := old.Kind.Schema().Reviewed
	if records.CheckLink(old.Kind, records.Supersedes, old.Kind) != nil {
		return nil, &ReviewedError{old.ID, old.Kind, old.State()}
	}
	r := edited.Clone()
	r.Verdict, r.Also, r.Origin = nil, nil, nil
	setLink(r, records.Supersedes, old.ID)
	if twin := tx.proposed(old.ID, r); twin != nil {
		tx.Note("%s proposes this already", twin.ID)
		return twin, nil
	}
	var err error
	if r.ID, err = tx.newID(r.Kind); err != nil {
		return nil, err
	}
	r.Created = records.Created{By: tx.by, Actor: tx.l.opts.Author.Actor, At: tx.now}
	if err := tx.setVerdict(r, to, "", nil); err != nil {
		return nil, err
	}
	tx.put("propose", r, fmt.Sprintf("would supersede %s", old.ID))
	tx.Note("%s is %s and stays in force: the edit is recorded as %s, which supersedes it once a person accepts it", old.ID, old.State(), r.ID)
	return r, nil
}

// proposed finds an open record that proposes the same as r in the place of old.
func (tx *Tx) proposed(old records.ID, r *records.Record) *records.Record {
	for _, id := range tx.Backlinks(old, records.Supersedes) {
		o, ok := tx.Overlay.Record(id)
		if !ok || !o.Intact() || !o.Open() {
			continue
		}
		same := r.Clone()
		same.ID, same.Created = o.ID, o.Created
		if same.Digest() == o.Digest() {
			return o
		}
	}
	return nil
}

// takePlace ends the records that r, now in force, supersedes.
func (tx *Tx) takePlace(r *records.Record, reason string) error {
	sch := r.Kind.Schema()
	if r.State() != sch.Reviewed {
		return nil
	}
	for _, id := range r.Links[records.Supersedes] {
		old, ok := tx.Overlay.Record(id)
		if !ok || !old.Intact() || old.State() != sch.Reviewed {
			continue // it is out of force already, or somebody must look at it first
		}
		to := records.Superseded
		if !sch.Has(to) {
			to = records.Retired
		}
		why := "superseded by " + string(r.ID)
		if reason = strings.TrimSpace(reason); reason != "" {
			why += ": " + reason
		}
		old = old.Clone()
		if err := tx.setVerdict(old, to, why, nil); err != nil {
			return err
		}
		if to == records.Superseded {
			old.Verdict.SupersededBy = r.ID
		}
		tx.put("", old, "")
		tx.Note("%s is %s, as %s takes its place", old.ID, to, r.ID)
	}
	return nil
}

// proposeSuccessor records an agent's wish that one record supersedes another,
// which is in force, for a person to decide.
func (tx *Tx) proposeSuccessor(old, next *records.Record, reason string) (*records.Record, error) {
	refused := &ReviewedError{old.ID, old.Kind, old.State()}
	if records.CheckLink(next.Kind, records.Supersedes, old.Kind) != nil || !next.Open() {
		return nil, refused
	}
	if slices.Contains(next.Links[records.Supersedes], old.ID) && next.Verdict.Asks != "" {
		tx.Note("%s proposes this already", next.ID)
		return next, nil
	}
	r := next.Clone()
	setLink(r, records.Supersedes, old.ID)
	if err := tx.setVerdict(r, r.Kind.Schema().Reviewed, reason, nil); err != nil {
		return nil, err
	}
	tx.put("propose", r, reason)
	tx.Note("%s is %s and stays in force: %s supersedes it once a person accepts it", old.ID, old.State(), r.ID)
	return r, nil
}
