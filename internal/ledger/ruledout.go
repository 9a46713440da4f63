package ledger

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/records"
)

// A DeadTwinError refuses text that was refuted, rejected or forgotten before.
type DeadTwinError struct {
	Kind   records.Kind
	Twin   records.ID
	State  records.State // records.Forgotten for what was forgotten
	Reason string
}

func (e *DeadTwinError) Error() string {
	why := ""
	if e.Reason != "" {
		why = ": " + e.Reason
	}
	return fmt.Sprintf("this %s was %s before, as '%s'%s", e.Kind, e.State, e.Twin, why)
}

// StateIn is the state that counts for r: the default branch's, where that vetoes it.
func StateIn(v records.View, r *records.Record) records.State {
	if s, ok := v.Veto(r.ID); ok {
		return s
	}
	return r.State()
}

// RuledOut returns the records whose text r says again and that were refuted, rejected
// or forgotten, but for r itself: by its title or in its body, and among all kinds
// that claim something. An agent does not bring back retracted evidence either.
func RuledOut(v records.View, r *records.Record, by records.Actor) []*records.Record {
	var dead []*records.Record
	keys := r.RepeatedKeys()
	for _, k := range r.Kind.SameTextKinds() {
		for _, key := range keys {
			for _, id := range v.Titled(k, key) {
				o, ok := v.Record(id)
				if !ok || o.ID == r.ID || o.Disputed() {
					continue
				}
				s := StateIn(v, o)
				retracted := s == records.Retracted && r.Kind == records.Evidence && by != records.Human
				if s.RuledOut() || s == records.Forgotten || retracted {
					dead = append(dead, o)
				}
			}
		}
		for _, id := range v.Forgotten(k) {
			if o, ok := v.Record(id); ok && o.ID != r.ID && slices.ContainsFunc(keys, o.Recalls) {
				dead = append(dead, o)
			}
		}
	}
	return dead
}

// RefuseRuledOut refuses the text of r where v holds it as ruled out, unless r
// is ruled out too or says by a reopens link that it comes again knowingly.
func RefuseRuledOut(v records.View, r *records.Record, by records.Actor) error {
	if s := r.State(); r.Forgotten() || s != "" && s != r.Kind.Schema().Birth() && s.OutOfUse() {
		return nil
	}
	for _, o := range RuledOut(v, r, by) {
		if slices.Contains(r.Links[records.Reopens], o.ID) {
			continue
		}
		e := &DeadTwinError{Kind: o.Kind, Twin: o.ID, State: StateIn(v, o)}
		if o.Forgotten() {
			e.State, e.Reason = records.Forgotten, o.Tombstone.Reason
		} else if o.Verdict != nil && e.State == o.State() {
			e.Reason = o.Verdict.Reason
		}
		return e
	}
	return nil
}

// refuseForged refuses text that was ruled out, where a forged tombstone stands in the place
// of the record that says so.
func (tx *Tx) refuseForged(r *records.Record) error {
	key := records.Normalize(r.Title)
	for _, id := range tx.Forgotten(r.Kind) {
		for _, loss := range tx.before.lostBy(id) {
			if loss.Rule != records.RuleTombstone || slices.Contains(r.Links[records.Reopens], id) {
				continue
			}
			was, err := tx.l.RecordAt(tx.ctx, gitstore.OID(loss.Commit+"^"), id)
			if err != nil {
				return err
			}
			if was != nil && was.Verdict != nil && was.State().RuledOut() && records.Normalize(was.Title) == key {
				return &DeadTwinError{Kind: was.Kind, Twin: id, State: was.State(), Reason: was.Verdict.Reason}
			}
		}
	}
	return nil
}

// reopens links r to every record whose ruled-out text it says again.
func (tx *Tx) reopens(r *records.Record) {
	for _, o := range RuledOut(tx.Overlay, r, tx.l.opts.Author.Actor) {
		setLink(r, records.Reopens, o.ID)
	}
}

// How much an addition is compared with what stands.
const (
	alikeShown    = 2  // of the records most like it
	alikeCompared = 20 // additions of one batch: the audit compares all
)

// warnAlike tells of records whose title is nearly that of r, dead ones first.
// What could not be compared is not spoken of: it is a warning, no promise.
func (tx *Tx) warnAlike(r *records.Record) {
	if tx.compared++; tx.compared > alikeCompared {
		return
	}
	type like struct {
		r     *records.Record
		state records.State
		n     int
	}
	var found []like
	key := records.Normalize(r.Title)
	for _, id := range tx.alike(r) {
		o, ok := tx.Overlay.Record(id)
		if !ok || o.ID == r.ID || o.Kind != r.Kind || o.Forgotten() || records.Normalize(o.Title) == key {
			continue // twins are dealt with elsewhere
		}
		state := StateIn(tx.Overlay, o)
		if state == records.Forgotten {
			continue
		}
		if n := records.Likeness(r.Title, o.Title); n >= records.NearlyAlike {
			found = append(found, like{o, state, n})
		}
	}
	rank := func(l like) int {
		if l.state.RuledOut() {
			return 0
		}
		return 1
	}
	slices.SortFunc(found, func(a, b like) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.n, a.n), cmp.Compare(a.r.ID, b.r.ID))
	})
	for _, l := range found[:min(len(found), alikeShown)] {
		why := ""
		if rank(l) == 0 && l.r.Verdict != nil && l.r.Verdict.Reason != "" {
			why = ": " + firstLine(l.r.Verdict.Reason)
		}
		tx.Note("%d%% alike: %s \"%s\", which is %s%s", l.n, l.r.ID, l.r.Title, l.state, why)
	}
}

// alike returns records that may have nearly the title of r: from the index and
// what this edit and those before it laid over that, or, without one, all.
func (tx *Tx) alike(r *records.Record) []records.ID {
	if tx.before.snap == nil {
		var all []records.ID
		for o := range tx.Overlay.All() {
			if o.Kind == r.Kind {
				all = append(all, o.ID)
			}
		}
		return all
	}
	ids, err := tx.before.snap.Similar(r.Kind, r.Title)
	if err != nil {
		return nil // the view's error ends the edit
	}
	ids = append(ids, tx.Changed()...)
	if over, ok := tx.before.View.(*records.Overlay); ok {
		ids = append(ids, over.Changed()...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
