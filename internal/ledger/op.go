package ledger

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/git-ctx/git-ctx/internal/codelink"
	"github.com/git-ctx/git-ctx/records"
)

// An Op is one verb with everything it may be given, by the names users type:
// the command line builds one from its flags, and a batch is a list of them.
type Op struct {
	Verb string   `yaml:"verb" json:"verb"`
	ID   string   `yaml:"id" json:"id,omitempty"`   // the record a verb is about
	IDs  []string `yaml:"ids" json:"ids,omitempty"` // those that supersede is about
	By   string   `yaml:"by" json:"by,omitempty"`   // what they are superseded by
	As   string   `yaml:"as" json:"as,omitempty"`   // name for later ops: $name

	Kind          string              `yaml:"kind" json:"kind,omitempty"`
	Title         string              `yaml:"title" json:"title,omitempty"`
	Body          string              `yaml:"body" json:"body,omitempty"`
	Type          string              `yaml:"type" json:"type,omitempty"`
	Text          string              `yaml:"text" json:"text,omitempty"`
	Question      string              `yaml:"question" json:"question,omitempty"`
	Options       []string            `yaml:"options" json:"options,omitempty"`
	When          string              `yaml:"when" json:"when,omitempty"`
	Signals       []string            `yaml:"signals" json:"signals,omitempty"`
	Preconditions []string            `yaml:"preconditions" json:"preconditions,omitempty"`
	Steps         []OpStep            `yaml:"steps" json:"steps,omitempty"`
	Escalation    string              `yaml:"escalation" json:"escalation,omitempty"`
	Source        string              `yaml:"source" json:"source,omitempty"`
	Confidence    string              `yaml:"confidence" json:"confidence,omitempty"`
	Impact        string              `yaml:"impact" json:"impact,omitempty"`
	Cost          string              `yaml:"cost" json:"cost,omitempty"`
	Strength      string              `yaml:"strength" json:"strength,omitempty"`
	Priority      *int                `yaml:"priority" json:"priority,omitempty"`
	Tags          []string            `yaml:"tags" json:"tags,omitempty"`
	Paths         []string            `yaml:"paths" json:"paths,omitempty"`
	Anchors       []string            `yaml:"anchors" json:"anchors,omitempty"` // PATH[:A-B]
	Links         map[string][]string `yaml:"links" json:"links,omitempty"`
	ValidFrom     string              `yaml:"valid-from" json:"valid-from,omitempty"`
	ValidUntil    string              `yaml:"valid-until" json:"valid-until,omitempty"`

	// Untag, Unpath and Clear take away, in an edit.
	Untag  []string `yaml:"untag" json:"untag,omitempty"`
	Unpath []string `yaml:"unpath" json:"unpath,omitempty"`
	Clear  []string `yaml:"clear" json:"clear,omitempty"`

	Reason   string   `yaml:"reason" json:"reason,omitempty"`
	Cites    []string `yaml:"cites" json:"cites,omitempty"`
	Evidence string   `yaml:"evidence" json:"evidence,omitempty"`
	Despite  []string `yaml:"despite" json:"despite,omitempty"`
	Learned  string   `yaml:"learned" json:"learned,omitempty"`
	Again    string   `yaml:"again" json:"again,omitempty"`
	New      bool     `yaml:"new" json:"new,omitempty"`
}

// BatchVerbs are the verbs that an op of a batch can have. To forget is not one
// of them: it cannot be undone, so each record that it takes is named in a call
// of its own.
func BatchVerbs() []string {
	return append([]string{"add"}, UpdateVerbs()...)
}

// UpdateVerbs are the verbs of a batch that change a record which is there.
func UpdateVerbs() []string {
	var verbs []string
	for _, m := range records.Transitions() {
		verbs = append(verbs, string(m.Verb))
	}
	return append(verbs, string(records.VerbSupersede), string(records.VerbReopen), "edit", "link", "unlink")
}

// A VerbError refuses a verb that a tool, or a batch, does not take.
type VerbError struct {
	Tool, Verb string
	Legal      []string
}

func (e *VerbError) Error() string {
	if e.Verb == "" {
		return fmt.Sprintf("no verb is named: '%s' needs one", e.Tool)
	}
	return fmt.Sprintf("'%s' is not a verb that '%s' takes", e.Verb, e.Tool)
}

// An OpStep is a step of a runbook in an [Op].
type OpStep struct {
	ID     string `yaml:"id" json:"id,omitempty"`
	Do     string `yaml:"do" json:"do"`
	Verify string `yaml:"verify" json:"verify,omitempty"`
}

// Do applies one op. It returns the record the op is about, as it is after it;
// found tells that an add met a live record with the same text.
func (tx *Tx) Do(op Op) (r *records.Record, found bool, err error) {
	switch op.Verb {
	case "add":
		return tx.doAdd(op)
	case "edit":
		r, err = tx.EditRecord("edit", op.ID, func(r *records.Record) error {
			err := tx.set(r, op)
			if err == nil && op.Again != "" {
				tx.reopens(r)
			}
			return err
		})
	case "link":
		links, lerr := op.links()
		if lerr != nil {
			return nil, false, lerr
		}
		r, err = tx.Link(op.ID, links)
	case "unlink":
		links, lerr := op.links()
		if lerr != nil {
			return nil, false, lerr
		}
		r, err = tx.Unlink(op.ID, links)
	case string(records.VerbSupersede):
		if err = tx.Supersede(op.superseded(), op.By, op.Reason); err == nil {
			r, err = tx.Find(op.By)
		}
	case VerbForget:
		r, err = tx.Forget(op.ID, op.Reason)
	case string(records.VerbReopen):
		r, err = tx.Reopen(op.ID, op.Reason)
	default:
		if records.Verb(op.Verb).Transition() == nil {
			return nil, false, &VerbError{VerbApply, op.Verb, BatchVerbs()}
		}
		r, err = tx.doMove(op)
	}
	return r, false, err
}

func (op Op) superseded() []string {
	if op.ID != "" {
		return append([]string{op.ID}, op.IDs...)
	}
	return op.IDs
}

func (op Op) links() ([]LinkTo, error) {
	var out []LinkTo
	for _, rel := range slices.Sorted(maps.Keys(op.Links)) {
		for _, name := range op.Links[rel] {
			out = append(out, LinkTo{records.Relation(rel), name})
		}
	}
	if len(out) == 0 && op.Verb != "add" {
		return nil, fmt.Errorf("%s '%s': no link is named: give RELATION=ID", op.Verb, op.ID)
	}
	return out, nil
}

func (tx *Tx) doAdd(op Op) (*records.Record, bool, error) {
	k, err := records.ParseKind(op.Kind)
	if err != nil {
		return nil, false, err
	}
	links, err := op.links()
	if err != nil {
		return nil, false, err
	}
	if records.Blank(op.Title) {
		return nil, false, &EmptyError{Field: "title", Value: op.Title}
	}
	r := records.Record{Kind: k}
	if err := tx.set(&r, op); err != nil {
		return nil, false, err
	}
	return tx.Add(Addition{Record: r, Links: links, Again: op.Again, Force: op.New, As: op.As})
}

func (tx *Tx) doMove(op Op) (*records.Record, error) {
	j := Judgement{
		Reason: op.Reason, Cites: op.Cites, Evidence: op.Evidence, Type: op.Type, Source: op.Source,
		Despite: op.Despite, Learned: op.Learned,
	}
	for _, a := range op.Anchors {
		anchor, err := codelink.NewAnchor(tx.ctx, tx.l.repo, a)
		if err != nil {
			return nil, err
		}
		j.Anchors = append(j.Anchors, anchor)
	}
	return tx.Move(records.Verb(op.Verb), op.ID, j)
}

// set writes the fields an op gives into a record; what it does not give stays.
func (tx *Tx) set(r *records.Record, op Op) error {
	if op.Title != "" && records.Blank(op.Title) { // "" leaves an edited record's title as it is
		return &EmptyError{Field: "title", Value: op.Title}
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
		anchor, err := codelink.NewAnchor(tx.ctx, tx.l.repo, a)
		if err != nil {
			return err
		}
		r.Anchors = slices.DeleteFunc(r.Anchors, func(x records.Anchor) bool { return x.Path == anchor.Path && x.Lines == anchor.Lines })
		r.Anchors = append(r.Anchors, anchor)
	}
	return nil
}

// An EmptyError refuses a value in which nothing can be seen.
type EmptyError struct{ Field, Value string }

func (e *EmptyError) Error() string {
	s := fmt.Sprintf("%s '%s': it is empty", e.Field, e.Value)
	if e.Field == "title" {
		s += ": say in one line what it is"
	}
	return s
}

// setSets changes the fields that are sets. Paths are given relative to where
// the command runs, as anchors are.
func (tx *Tx) setSets(r *records.Record, op Op) error {
	for _, set := range []struct {
		name  string
		items []string
	}{{"tag", op.Tags}, {"path", op.Paths}, {"signal", op.Signals}} {
		for _, s := range set.items {
			if records.Blank(s) {
				return &EmptyError{Field: set.name, Value: s}
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
	return nil
}

func setTexts(r *records.Record, op Op) {
	for _, t := range []struct {
		value string
		field *string
	}{
		{op.Title, &r.Title}, {op.Body, &r.Body}, {op.Type, &r.Type}, {op.Text, &r.Text},
		{op.Question, &r.Question}, {op.When, &r.When}, {op.Escalation, &r.Escalation}, {op.Source, &r.Source},
	} {
		if t.value != "" {
			*t.field = t.value
		}
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

func setValidity(r *records.Record, op Op) error {
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
		return fmt.Errorf("clear '%s': it is no field that can be emptied; they are %s", name, strings.Join(records.Clearable(), ", "))
	}
	return nil
}
