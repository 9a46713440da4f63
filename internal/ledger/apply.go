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
// types and a newer format are errors that name the line.
func ParseBatch(data []byte) (*Batch, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("read the batch: %w", err)
	}
	if len(doc.Content) == 0 {
		return nil, errors.New("the batch is empty")
	}
	var b Batch
	var err error
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if doc.Content[0].Kind == yaml.SequenceNode {
		err = dec.Decode(&b.Ops)
	} else {
		err = dec.Decode(&b)
	}
	if err != nil {
		return nil, fmt.Errorf("read the batch: %w", batchError(err))
	}
	var more yaml.Node
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, errors.New("read the batch: there is more than one document")
	}
	if b.Format > records.FormatVersion {
		return nil, &records.NewerFormatError{Format: b.Format}
	}
	return &b, nil
}

// batchError puts the first of the decoder's complaints into our words, without its type names.
func batchError(err error) error {
	var wrong *yaml.TypeError
	if !errors.As(err, &wrong) || len(wrong.Errors) == 0 {
		return err
	}
	what, _, _ := strings.Cut(wrong.Errors[0], " in type ")
	if at, rest, ok := strings.Cut(what, ": field "); ok {
		what = fmt.Sprintf("%s: unknown key '%s'", at, strings.TrimSuffix(rest, " not found"))
	}
	what, _, _ = strings.Cut(what, " into ledger.")
	return errors.New(what)
}

// Apply commits a batch as one edit: all of it, or nothing. A dry run does all
// but that, so that its ids are gone again.
func (l *Ledger) Apply(ctx context.Context, b *Batch, dryRun bool) (*Result, error) {
	var rs []*records.Record
	for i := range b.Records {
		r, err := parseNode(&b.Records[i])
		if err != nil {
			return nil, fmt.Errorf("record %d of the batch: %w", i+1, err)
		}
		rs = append(rs, r)
	}
	return l.edit(ctx, editOptions{verb: "apply", dry: dryRun}, func(tx *Tx) error {
		for _, r := range rs {
			if err := tx.restore(r); err != nil {
				return err
			}
		}
		for i, op := range b.Ops {
			if _, _, err := tx.Do(op); err != nil {
				return fmt.Errorf("op %d (%s): %w", i+1, op.Verb, err)
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
	r = r.Clone()
	if r.Verdict != nil && tx.mustAsk(r.Kind, r.Verdict.State) {
		reason, cites := r.Verdict.Reason, slices.Clone(r.Verdict.Cites)
		state := r.Verdict.State
		r.Verdict = nil
		if err := tx.judge(r, state, reason, cites); err != nil {
			return err
		}
	}
	if r.Verdict != nil && r.Verdict.Actor == records.Human && tx.Judge.Review != records.ReviewAny {
		r.Verdict.Actor = tx.l.opts.Author.Actor // the channel tells who a person is; a file only claims it
	}
	tx.put("apply", r, "")
	return nil
}

// Export returns the records as a batch that [Ledger.Apply] takes, in id order.
func Export(v records.View) ([]byte, error) {
	doc := &yaml.Node{Kind: yaml.MappingNode}
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for r := range v.All() {
		m := &yaml.Node{Kind: yaml.MappingNode}
		for _, f := range r.Fields() {
			m.Content = append(m.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: f.Name}, f.Value)
		}
		list.Content = append(list.Content, m)
	}
	doc.Content = append(doc.Content,
		&yaml.Node{Kind: yaml.ScalarNode, Value: "format"}, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: fmt.Sprint(records.FormatVersion)},
		&yaml.Node{Kind: yaml.ScalarNode, Value: "records"}, list)
	var buf bytes.Buffer
	enc := yaml.NewEncoder(&buf)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(doc), enc.Close()); err != nil {
		return nil, fmt.Errorf("write the batch: %w", err)
	}
	return buf.Bytes(), nil
}
