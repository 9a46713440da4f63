package grammar

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/git-ctx/git-ctx/records"
)

// A Batch is what apply takes: whole records, as export writes them, and ops, which
// are applied in order after them.
type Batch struct {
	Format  int
	Records []*records.Record
	Ops     []Op
}

// An ItemError says which item of a batch cannot be applied.
type ItemError struct {
	Item string // "record 3" or "op 2 (refute)"
	Err  error
}

func (e *ItemError) Error() string { return e.Item + ": " + e.Err.Error() }
func (e *ItemError) Unwrap() error { return e.Err }

// OpError names the op of a batch that an error is about, counted from 0.
func OpError(i int, op Op, err error) error {
	return &ItemError{fmt.Sprintf("op %d (%s)", i+1, op.Verb), err}
}

// ParseBatch reads a batch, in JSON or YAML. A bare list is a list of ops. Unknown
// keys, wrong types, empty items, names given twice and another format are errors
// that name the place; all faults of all items are in the error.
func ParseBatch(data []byte) (*Batch, error) {
	top, err := parse(data)
	switch {
	case errors.Is(err, io.EOF):
		return nil, errors.New("the batch is empty")
	case err != nil:
		return nil, fmt.Errorf("read the batch: %w", err)
	}
	return ReadBatch(&Value{top})
}

// parse reads JSON as JSON, and all else as YAML. Without any text the error is [io.EOF].
func parse(data []byte) (*yaml.Node, error) {
	if json.Valid(data) {
		return parseJSON(data)
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); err != nil {
		return nil, err
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more than one document")
	}
	return doc.Content[0], nil
}

// ReadBatch is [ParseBatch] of what was read.
func ReadBatch(top *Value) (*Batch, error) {
	b := &Batch{Format: records.FormatVersion} // of a batch that names none
	var fs Faults
	switch {
	case top.node.Kind == yaml.SequenceNode:
		fs = b.readOps(top)
	case top.node.Kind == yaml.MappingNode:
		seen := make(map[string]bool)
		for _, m := range top.members() {
			if seen[m.name] {
				return nil, fmt.Errorf("read the batch: line %d: '%s' is given twice", m.value.node.Line, m.name)
			}
			seen[m.name] = true
			fs = append(fs, b.readMember(m)...)
		}
	default:
		fs = Faults{fmt.Errorf("read the batch: line %d: it is neither a list of ops nor a mapping with records and ops", top.node.Line)}
	}
	if err := b.check(); err != nil {
		return nil, err
	}
	if len(fs) > 0 {
		return nil, fs.err()
	}
	return b, nil
}

func (b *Batch) readMember(m member) Faults {
	at := func(format string, args ...any) Faults {
		return Faults{fmt.Errorf("read the batch: line %d: "+format, append([]any{m.value.node.Line}, args...)...)}
	}
	switch {
	case !slices.Contains([]string{"format", "records", "ops"}, m.name):
		return at("'%s' is not a key of a batch, which has format, records and ops", m.name)
	case m.value.null():
		return at("'%s' has no value", m.name)
	case m.name == "format":
		n, err := strconv.Atoi(m.value.node.Value)
		if err != nil || m.value.node.Kind != yaml.ScalarNode {
			return at("'format' is to be a whole number")
		}
		b.Format = n
		return nil
	case m.value.node.Kind != yaml.SequenceNode:
		return at("'%s' is to be a list", m.name)
	case m.name == "ops":
		return b.readOps(m.value)
	}
	return b.readRecords(m.value)
}

func (b *Batch) readOps(list *Value) (fs Faults) {
	tool := BatchTool()
	named := make(map[string]int)
	for i, item := range list.items() {
		if item.node.Kind != yaml.MappingNode {
			fs = append(fs, itemFault(item, "op", i))
			continue
		}
		op, err := ReadOp(item, tool, "")
		for _, f := range faultsOf(err) {
			fs = append(fs, OpError(i, op, f))
		}
		if first := named[op.As]; op.As != "" && first > 0 {
			fs = append(fs, OpError(i, op, fmt.Errorf("'as: %s' is the name of op %d already", op.As, first)))
		}
		named[op.As] = i + 1
		b.Ops = append(b.Ops, op)
	}
	return fs
}

func (b *Batch) readRecords(list *Value) (fs Faults) {
	for i, item := range list.items() {
		if item.node.Kind != yaml.MappingNode {
			fs = append(fs, itemFault(item, "record", i))
			continue
		}
		r, err := readRecord(item)
		if err != nil {
			fs = append(fs, &ItemError{fmt.Sprintf("record %d", i+1), err})
		}
		b.Records = append(b.Records, r)
	}
	return fs
}

func readRecord(item *Value) (*records.Record, error) {
	var fields []records.Field
	for _, m := range item.members() {
		v, err := records.ReadValue(m.value.node)
		if err != nil {
			return nil, err
		}
		fields = append(fields, records.Field{Name: m.name, Value: v})
	}
	return records.FromFields("", fields)
}

// itemFault refuses an item that is not a mapping.
func itemFault(item *Value, what string, i int) error {
	if item.null() {
		return fmt.Errorf("read the batch: line %d: %s %d is empty", item.node.Line, what, i+1)
	}
	return &ItemError{fmt.Sprintf("%s %d", what, i+1), fmt.Errorf("line %d: it is not a mapping", item.node.Line)}
}

// check refuses a format that this version does not read.
func (b *Batch) check() error {
	switch {
	case b.Format > records.FormatVersion:
		return &records.NewerFormatError{Format: b.Format}
	case b.Format < 1:
		return fmt.Errorf("read the batch: there is no format '%d'", b.Format)
	}
	return nil
}

// ParseFields reads what a person wrote of one verb's arguments. Which verb, kind
// and record it is about is settled already. What is lacking is not its question.
func ParseFields(text []byte, verb string) (Op, error) {
	if strings.TrimSpace(string(text)) == "" {
		return Op{Verb: verb}, nil
	}
	top, err := parse(text)
	if err != nil {
		return Op{}, err
	}
	op, unknown, fs := readOp(&Value{top})
	if top.Kind == yaml.ScalarNode && top.ShortTag() != "!!null" || top.Kind == yaml.SequenceNode {
		return op, fmt.Errorf("line %d: it is not a mapping", top.Line)
	}
	if op.Verb != "" || op.Kind != "" || op.ID != "" {
		return op, errors.New("verb, kind and id cannot be given here")
	}
	op.Verb = verb
	return op, append(fs, refuseAll(verb, unknown)...).err()
}
