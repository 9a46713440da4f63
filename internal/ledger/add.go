package ledger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// A LinkTo asks for a link to a record by whatever name the user gave it.
type LinkTo struct {
	Relation records.Relation
	Name     string
}

// An Addition asks for a new record.
type Addition struct {
	// Record holds the kind, the texts and fields; ids, verdict and dates are the ledger's.
	Record records.Record
	Links  []LinkTo
	// Again is the reason to add what was ruled out once more.
	Again string
	// Force adds what is there already.
	Force bool
	As    string // $name within a batch
	// Unlinked keeps links from being implied by @task and @goal.
	Unlinked bool
}

// Add puts a new record into its birth state and returns it. Text equal to a
// live record of the kind returns that one instead, found is then true.
func (tx *Tx) Add(a Addition) (r *records.Record, found bool, err error) {
	r = a.Record.Clone()
	sch := r.Kind.Schema()
	if sch == nil {
		return nil, false, fmt.Errorf("unknown kind '%s'", r.Kind)
	}
	r.Title = strings.TrimSpace(r.Title)
	if r.Title == "" {
		return nil, false, fmt.Errorf("title of the %s is empty: say in one line what it is", r.Kind)
	}
	for _, l := range a.Links {
		if err := tx.addLink(r, l.Relation, l.Name); err != nil {
			return nil, false, err
		}
	}
	if a.Again != "" {
		tx.reopens(r)
	}
	if err := RefuseRuledOut(tx.Overlay, r, tx.l.opts.Author.Actor); err != nil {
		return nil, false, err
	}
	if err := tx.refuseForged(r); err != nil {
		return nil, false, err
	}
	if twin := tx.twin(r, a); twin != nil {
		if a.As != "" {
			tx.named[a.As] = twin.ID
		}
		return twin, true, nil
	}
	if r.ID, err = tx.newID(r.Kind); err != nil {
		return nil, false, err
	}
	if !a.Unlinked {
		tx.implyLinks(r)
	}
	if r.Kind == records.Evidence && r.Type == "" {
		r.Type = "observation"
	}
	r.Created = records.Created{By: tx.by, Actor: tx.l.opts.Author.Actor, At: tx.now}
	r.Verdict = nil
	if err := tx.setVerdict(r, sch.Birth(), "", nil); err != nil {
		return nil, false, err
	}
	if r.Kind == records.Goal || r.Kind == records.Trigger {
		if err := tx.activateNew(r); err != nil {
			return nil, false, err
		}
	}
	if a.As != "" {
		tx.named[a.As] = r.ID
	}
	tx.warnAlike(r)
	reason := r.Body
	if a.Again != "" {
		reason = strings.TrimSpace("again: " + a.Again + "\n\n" + reason)
	}
	tx.put("add", r, reason)
	tx.remember(r)
	return r, false, nil
}

// twin looks for a live record of the kind with the same text, and returns it
// when r says nothing that it does not.
func (tx *Tx) twin(r *records.Record, a Addition) *records.Record {
	for _, id := range tx.Titled(r.Kind, records.Normalize(r.Title)) {
		o, ok := tx.Overlay.Record(id)
		if !ok || !o.Intact() {
			continue
		}
		switch state := StateIn(tx.Overlay, o); {
		case state == records.Superseded:
			tx.Note("%s with this text was superseded by %s: %s", o.ID, o.Verdict.SupersededBy, o.Verdict.Reason)
		case state == records.Forgotten, state.OutOfUse(), o.Withdrawn():
		default:
			if a.Force {
				continue
			}
			if !saysMore(r, o) {
				tx.Note("%s has this text already; --new records it once more", o.ID)
				return o
			}
			tx.Note("%s has this title too, and is %s: git ctx edit adds to it", o.ID, StateIn(tx.Overlay, o))
		}
	}
	return nil
}

// saysMore reports whether r, not yet recorded, holds anything that o, of the
// same title, does not.
func saysMore(r, o *records.Record) bool {
	for _, t := range [][2]string{
		{r.Body, o.Body}, {r.Source, o.Source}, {r.Question, o.Question}, {r.Text, o.Text}, {r.When, o.When}, {r.Type, o.Type},
	} {
		if t[0] != "" && records.Normalize(t[0]) != records.Normalize(t[1]) {
			return true
		}
	}
	for rel, ids := range r.Links {
		for _, id := range ids {
			if !slices.Contains(o.Links[rel], id) {
				return true
			}
		}
	}
	return len(r.Steps) > 0 || len(r.Anchors) > 0
}

func (tx *Tx) newID(k records.Kind) (records.ID, error) {
	for {
		b, err := tx.l.random(7)
		if err != nil {
			return "", err
		}
		id := records.NewID(k, b)
		if _, taken := tx.Overlay.Record(id); !taken {
			return id, nil
		}
	}
}

// implied lists the link that each kind gets from @task or @goal when none is given.
var implied = map[records.Kind]struct {
	rel   records.Relation
	names []string
}{
	records.Task:       {records.Serves, []string{"@goal"}},
	records.Hypothesis: {records.About, []string{"@task", "@goal"}},
	records.Conclusion: {records.Closes, []string{"@task"}},
}

func (tx *Tx) implyLinks(r *records.Record) {
	im, ok := implied[r.Kind]
	if !ok || len(r.Links[im.rel]) > 0 || (r.Kind == records.Task && len(r.Links[records.PartOf]) > 0) {
		return
	}
	for _, name := range im.names {
		t, err := tx.l.currentOf(tx.Overlay, tx.session, name)
		if err == nil {
			setLink(r, im.rel, t.ID)
			tx.Note("%s %s (%s)", im.rel, t.ID, name)
			return
		}
		if amb, ok := err.(*AmbiguousError); ok {
			tx.Note("no %s link: %d records could be %s", im.rel, len(amb.Candidates), name)
			return
		}
	}
}

// remember makes a new or started record the session's current one.
func (tx *Tx) remember(r *records.Record) {
	switch r.Kind {
	case records.Goal:
		tx.session.Goal = r.ID
	case records.Task:
		if cur, ok := tx.Overlay.Record(tx.session.Task); !ok || !cur.Open() {
			tx.session.Task = r.ID
		}
	}
}

// setLink adds id to a relation's set.
func setLink(r *records.Record, rel records.Relation, id records.ID) bool {
	if slices.Contains(r.Links[rel], id) {
		return false
	}
	if r.Links == nil {
		r.Links = make(map[records.Relation][]records.ID)
	}
	r.Links[rel] = insertSorted(r.Links[rel], id)
	return true
}

// addLink resolves a name and links to it.
func (tx *Tx) addLink(r *records.Record, rel records.Relation, name string) error {
	t, err := tx.Find(name)
	if err != nil {
		return err
	}
	if err := records.CheckLink(r.Kind, rel, t.Kind); err != nil {
		return fmt.Errorf("link %s '%s': %w", rel, name, err)
	}
	setLink(r, rel, t.ID)
	return nil
}
