package ledger

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/records"
)

// Do applies one op, after it was checked against the grammar. It returns the
// record the op is about, as it is after it; of several the first. Found tells that
// an add met a live record with the same text.
func (tx *Tx) Do(op grammar.Op) (r *records.Record, found bool, err error) {
	if err := op.Check(); err != nil {
		return nil, false, err
	}
	switch op.Verb {
	case grammar.Add:
		return tx.doAdd(op)
	case grammar.Supersede:
		if err = tx.Supersede(op.Records(), op.By, op.Reason); err == nil {
			r, err = tx.Find(op.By)
		}
		return r, false, err
	}
	for _, name := range op.Records() {
		got, err := tx.doTo(op, name)
		if err != nil {
			return nil, false, err
		}
		if r == nil {
			r = got
		}
	}
	return r, false, nil
}

// doTo applies an op to one of the records that it names.
func (tx *Tx) doTo(op grammar.Op, name string) (*records.Record, error) {
	switch op.Verb {
	case grammar.Edit:
		return tx.EditRecord(op.Verb, name, func(r *records.Record) error {
			err := tx.set(r, op)
			if err == nil && op.Again != "" {
				tx.reopens(r)
			}
			return err
		})
	case grammar.Link:
		return tx.Link(name, linksOf(op))
	case grammar.Unlink:
		return tx.Unlink(name, linksOf(op))
	case grammar.Forget:
		return tx.Forget(name, op.Reason)
	case grammar.Withdraw:
		return tx.Withdraw(name, op.Reason)
	case grammar.Reopen:
		return tx.Reopen(name, op.Reason)
	}
	return tx.doMove(op, name)
}

func linksOf(op grammar.Op) []LinkTo {
	var out []LinkTo
	for _, rel := range slices.Sorted(maps.Keys(op.Links)) {
		for _, name := range op.Links[rel] {
			out = append(out, LinkTo{records.Relation(rel), name})
		}
	}
	return out
}

func (tx *Tx) doAdd(op grammar.Op) (*records.Record, bool, error) {
	k, err := records.ParseKind(op.Kind)
	if err != nil {
		return nil, false, err
	}
	if records.Blank(op.Title) {
		return nil, false, &grammar.EmptyError{Field: "title", Value: op.Title}
	}
	r := records.Record{Kind: k}
	if err := tx.set(&r, op); err != nil {
		return nil, false, err
	}
	return tx.Add(Addition{Record: r, Links: linksOf(op), Again: op.Again, Force: op.New, As: op.As})
}

func (tx *Tx) doMove(op grammar.Op, name string) (*records.Record, error) {
	j := Judgement{
		Reason: op.Reason, Cites: op.Cites, Evidence: op.Evidence, Type: op.Type, Source: op.Source,
		Despite: op.Despite, Learned: op.Learned,
	}
	for _, a := range op.Anchors {
		anchor, err := tx.anchor(a)
		if err != nil {
			return nil, err
		}
		j.Anchors = append(j.Anchors, anchor)
	}
	return tx.Move(records.Verb(op.Verb), name, j)
}

// set writes the fields an op gives into a record; what it does not give stays.
func (tx *Tx) set(r *records.Record, op grammar.Op) error {
	if op.Title != "" && records.Blank(op.Title) { // "" leaves an edited record's title as it is
		return &grammar.EmptyError{Field: "title", Value: op.Title}
	}
	// Said before the text is compared with others', which takes long for one that is.
	if n := utf8.RuneCountInString(op.Title); n > records.MaxTitle {
		return fmt.Errorf("title has %d characters: it may have %d", n, records.MaxTitle)
	}
	if len(op.Body) > records.MaxSize {
		return fmt.Errorf("body has %d bytes: a record may have %d", len(op.Body), records.MaxSize)
	}
	for _, name := range op.Clear {
		if err := clearField(r, name); err != nil {
			return err
		}
	}
	setTexts(r, op)
	for _, n := range []struct {
		name, value string
		field       **records.Fraction
	}{
		{"confidence", op.Confidence, &r.Confidence}, {"impact", op.Impact, &r.Impact},
		{"cost", op.Cost, &r.Cost}, {"strength", op.Strength, &r.Strength},
	} {
		if n.value == "" {
			continue
		}
		f, err := records.ParseFraction(n.value)
		if err != nil {
			return fmt.Errorf("%s: %w", n.name, err)
		}
		*n.field = &f
	}
	if op.Priority != nil {
		p := *op.Priority
		r.Priority = &p
	}
	if err := setValidity(r, op); err != nil {
		return err
	}
	if err := tx.setSets(r, op); err != nil {
		return err
	}
	for _, a := range op.Anchors {
		anchor, err := tx.anchor(a)
		if err != nil {
			return err
		}
		r.Anchors = slices.DeleteFunc(r.Anchors, func(x records.Anchor) bool { return x.Path == anchor.Path && x.Lines == anchor.Lines })
		r.Anchors = append(r.Anchors, anchor)
	}
	return nil
}

// setSets changes the fields that are sets. Paths are given relative to where
// the command runs, as anchors are.
func (tx *Tx) setSets(r *records.Record, op grammar.Op) error {
	for _, set := range []struct {
		name  string
		items []string
	}{{"tag", op.Tags}, {"path", op.Paths}, {"signal", op.Signals}} {
		for _, s := range set.items {
			if records.Blank(s) {
				return &grammar.EmptyError{Field: set.name, Value: s}
			}
		}
	}
	paths := make([]string, len(op.Paths))
	for i, glob := range op.Paths {
		var err error
		if paths[i], err = tx.l.TopGlob(glob); err != nil {
			return err
		}
	}
	gone := slices.Clone(op.Unpath) // as it stands in the record, or as it was given
	for _, glob := range op.Unpath {
		if top, err := tx.l.TopGlob(glob); err == nil {
			gone = append(gone, top)
		}
	}
	r.Tags = withSet(r.Tags, op.Tags, op.Untag)
	r.Paths = withSet(r.Paths, paths, gone)
	r.Signals = withSet(r.Signals, op.Signals, nil)
	r.References = withSet(r.References, op.References, nil)
	return nil
}

func setTexts(r *records.Record, op grammar.Op) {
	for name, text := range op.Texts() {
		r.SetText(name, text) // others are not fields of a record
	}
	if len(op.Options) > 0 {
		r.Options = op.Options
	}
	if len(op.Preconditions) > 0 {
		r.Preconditions = op.Preconditions
	}
	if len(op.Steps) > 0 {
		r.Steps = nil
	}
	for i, s := range op.Steps {
		if s.ID == "" {
			s.ID = fmt.Sprintf("s%d", i+1)
		}
		r.Steps = append(r.Steps, records.Step(s))
	}
}

func setValidity(r *records.Record, op grammar.Op) error {
	for _, d := range []struct {
		name, value string
		field       *time.Time
	}{{"valid-from", op.ValidFrom, &r.Valid.From}, {"valid-until", op.ValidUntil, &r.Valid.Until}} {
		if d.value == "" {
			continue
		}
		t, err := records.ParseInstant(d.value)
		if err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
		*d.field = t
	}
	return nil
}

func withSet(have, add, remove []string) []string {
	out := slices.Clone(have)
	for _, s := range add {
		if s = strings.TrimSpace(s); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	out = slices.DeleteFunc(out, func(s string) bool { return slices.Contains(remove, s) })
	slices.Sort(out)
	return out
}

// clearField empties an optional field by its name in the format.
func clearField(r *records.Record, name string) error {
	if !r.Clear(name) {
		return fmt.Errorf("clear '%s': it is not a field that can be emptied; they are %s", name, strings.Join(records.Clearable(), ", "))
	}
	return nil
}
