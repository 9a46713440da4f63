package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/git-ctx/git-ctx/records"
)

// A Batch is what apply takes, in YAML or JSON: whole records, as export writes
// them, and ops, which are applied in order after them.
type Batch struct {
	Format  int         `yaml:"format"`
	Records []yaml.Node `yaml:"records"`
	Ops     []Op        `yaml:"ops"`
}

// ParseBatch reads a batch. A bare list is a list of ops. Unknown keys, wrong
// types, empty items, names given twice and another format are errors that name
// the place.
func ParseBatch(data []byte) (*Batch, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, errors.New("the batch is empty")
	} else if err != nil {
		return nil, fmt.Errorf("read the batch: %w", err)
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, errors.New("read the batch: there is more than one document")
	}
	var b Batch
	if err := b.decode(data, doc.Content[0]); err != nil {
		return nil, fmt.Errorf("read the batch: %w", err)
	}
	return &b, b.check()
}

// decode reads the batch of its bytes, whose top node is known.
func (b *Batch) decode(data []byte, top *yaml.Node) error {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	switch top.Kind {
	case yaml.SequenceNode:
		b.Format = records.FormatVersion
		if err := refuseNull(top, "op"); err != nil {
			return err
		}
		return batchError(dec.Decode(&b.Ops))
	case yaml.MappingNode:
	default:
		return fmt.Errorf("line %d: it is neither a list of ops nor a mapping with records and ops", top.Line)
	}
	b.Format = records.FormatVersion // of a batch that names none
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i].Value, top.Content[i+1]
		if value.ShortTag() == "!!null" {
			return fmt.Errorf("line %d: '%s' has no value", top.Content[i].Line, key)
		}
		if err := refuseNull(value, strings.TrimSuffix(key, "s")); err != nil {
			return err
		}
	}
	return batchError(dec.Decode(b))
}

// refuseNull refuses a list with an empty item, which would pass for one that says nothing.
func refuseNull(list *yaml.Node, item string) error {
	if list.Kind != yaml.SequenceNode {
		return nil
	}
	for i, n := range list.Content {
		if n.ShortTag() == "!!null" {
			return fmt.Errorf("line %d: %s %d is empty", n.Line, item, i+1)
		}
	}
	return nil
}

// check refuses a format that this version does not read, a verb that a batch does
// not take, and a name given twice.
func (b *Batch) check() error {
	switch {
	case b.Format > records.FormatVersion:
		return &records.NewerFormatError{Format: b.Format}
	case b.Format < 1:
		return fmt.Errorf("read the batch: there is no format '%d'", b.Format)
	}
	named := make(map[string]int)
	for i, op := range b.Ops {
		if legal := BatchVerbs(); !slices.Contains(legal, op.Verb) {
			return &ItemError{fmt.Sprintf("op %d (%s)", i+1, op.Verb), &VerbError{VerbApply, op.Verb, legal}}
		}
		if op.As == "" {
			continue
		}
		if first := named[op.As]; first > 0 {
			return fmt.Errorf("read the batch: op %d: 'as: %s' is the name of op %d already", i+1, op.As, first)
		}
		named[op.As] = i + 1
	}
	return nil
}

// batchError puts the first of the decoder's complaints into our words, without its type names.
func batchError(err error) error {
	var wrong *yaml.TypeError
	if err == nil || !errors.As(err, &wrong) || len(wrong.Errors) == 0 {
		return err
	}
	what, _, _ := strings.Cut(wrong.Errors[0], " in type ")
	if at, rest, ok := strings.Cut(what, ": field "); ok {
		what = fmt.Sprintf("%s: unknown key '%s'", at, strings.TrimSuffix(rest, " not found"))
	}
	what, _, _ = strings.Cut(what, " into ledger.")
	return errors.New(what)
}

const VerbApply = "apply"

// An ItemError says which item of a batch cannot be applied.
type ItemError struct {
	Item string // "record 3" or "op 2 (refute)"
	Err  error
}

func (e *ItemError) Error() string { return e.Item + ": " + e.Err.Error() }
func (e *ItemError) Unwrap() error { return e.Err }

// Apply commits a batch as one edit: all of it, or nothing. A dry run does all
// but that, so that its ids are gone again.
func (l *Ledger) Apply(ctx context.Context, b *Batch, dryRun bool) (*Result, error) {
	var rs []*records.Record
	for i := range b.Records {
		r, err := parseNode(&b.Records[i])
		if err != nil {
			return nil, &ItemError{fmt.Sprintf("record %d", i+1), err}
		}
		rs = append(rs, r)
	}
	return l.edit(ctx, editOptions{verb: VerbApply, dry: dryRun}, func(tx *Tx) error {
		for i, r := range rs {
			if err := tx.restore(r); err != nil {
				return &ItemError{fmt.Sprintf("record %d", i+1), err}
			}
		}
		for i, op := range b.Ops {
			if _, _, err := tx.Do(op); err != nil {
				return &ItemError{fmt.Sprintf("op %d (%s)", i+1, op.Verb), err}
			}
		}
		return nil
	})
}

// parseNode reads a record that stands inside a larger document.
func parseNode(n *yaml.Node) (*records.Record, error) {
	if n.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: it is no mapping", n.Line)
	}
	var fs []records.Field
	for i := 0; i+1 < len(n.Content); i += 2 {
		fs = append(fs, records.Field{Name: n.Content[i].Value, Value: n.Content[i+1]})
	}
	return records.FromFields("", fs)
}

// restore puts a whole record. One that stands already must be the same: a
// batch never overwrites. A state that this actor may not give by the policy
// becomes a proposal.
func (tx *Tx) restore(r *records.Record) error {
	if old, ok := tx.Overlay.Record(r.ID); ok {
		same, err := equal(old, r)
		if err != nil {
			return err
		}
		proposed := r.Verdict != nil && old.Verdict != nil && tx.mustAsk(r.Kind, r.Verdict.State) &&
			old.Verdict.Asks == r.Verdict.State && old.Digest() == r.Digest()
		if !same && !proposed {
			return fmt.Errorf("record '%s': the branch holds it with other content; a batch does not overwrite", r.ID)
		}
		return nil
	}
	r, err := tx.brought(r)
	if err != nil {
		return err
	}
	tx.put(VerbApply, r, "")
	return nil
}

// brought returns what a whole record from elsewhere becomes here: its states
// are those that this actor may give, and its persons those that the channel knows.
func (tx *Tx) brought(r *records.Record) (*records.Record, error) {
	if err := refuseRuledOut(tx.before, r); err != nil { // what is brought with it is a history to be kept
		return nil, err
	}
	r = r.Clone()
	if r.Verdict != nil && tx.mustAsk(r.Kind, r.Verdict.State) {
		reason, cites := r.Verdict.Reason, slices.Clone(r.Verdict.Cites)
		state := r.Verdict.State
		r.Verdict = nil
		if err := tx.judge(r, state, reason, cites); err != nil {
			return nil, err
		}
	}
	me := tx.l.opts.Author.Actor
	for _, v := range r.Also {
		if r.Verdict == nil || v.State != r.Verdict.State {
			return nil, fmt.Errorf("record '%s': also holds a verdict that does not agree with its own", r.ID)
		}
	}
	// The channel tells who a person is; a file only claims it.
	if r.Verdict != nil && r.Verdict.Actor == records.Human {
		r.Verdict.Actor = me
	}
	if me != records.Human {
		r.Also = slices.DeleteFunc(r.Also, func(v records.Verdict) bool { return v.Actor == records.Human })
	}
	return r, nil
}

// Export returns the records as a batch that [Ledger.Apply] takes, in id order.
func Export(v records.View) []byte { return records.FormatBatch(v.All()) }
