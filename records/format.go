package records

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// MaxSize is the most bytes a record's file may have. A record with merge
// conflicts may have more, but none of its sides may.
const MaxSize = 256 << 10

// maxConflicted bounds the file of a record with conflicts.
const maxConflicted = 32 * MaxSize

// Parse reads a record's file strictly. The path, which appears in errors, must
// name the record's id; an empty one is not checked. The record is canonical:
// sets sorted, text in Unicode form C, instants in UTC. Errors are *[SyntaxError].
func Parse(path string, data []byte) (*Record, error) {
	if r, ok := parseCanonical(path, data); ok {
		return r, nil
	}
	return parseYAML(path, data)
}

// parseYAML reads a record's file in any form that is YAML.
func parseYAML(path string, data []byte) (*Record, error) {
	d := &decoder{path: path}
	root, err := d.document(data)
	if err != nil {
		return nil, err
	}
	fs, err := d.fields(root)
	if err != nil {
		return nil, err
	}
	r, err := d.record(root, fs)
	if err != nil {
		return nil, err
	}
	if len(data) > MaxSize {
		if err := d.checkSides(r, root, fs); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Format returns the record's one canonical form, which [Parse] reads back to an
// equal record. It refuses what Parse would refuse.
func Format(r *Record) ([]byte, error) {
	data := r.encode()
	// The check goes through the YAML library rather than our own reader of
	// canonical files: what is written must be YAML in others' eyes too.
	back, err := parseYAML("", data)
	if err != nil {
		return nil, fmt.Errorf("format record %s: %w", r.ID, err)
	}
	if !bytes.Equal(back.encode(), data) {
		return nil, fmt.Errorf("format record %s: its text does not survive being written", r.ID)
	}
	return data, nil
}

// Canonical reports whether data is a record's file in canonical form.
func Canonical(data []byte) bool {
	r, err := Parse("", data)
	return err == nil && bytes.Equal(r.encode(), data)
}

// Check returns nil when the record is one that a file may hold: every field
// within its limits, of its type, and one that the kind carries. The error
// names the field.
func (r *Record) Check() error {
	_, err := FromFields("", r.Fields())
	return err
}

func (r *Record) encode() []byte {
	w := newYAMLWriter(1024 + len(r.Body))
	r.put(w)
	return w.buf
}

// Digest returns what verdict.of holds: 12 hexadecimal digits of the SHA-256 of
// the canonical record without verdict, also, conflicts, tags and the commits of anchors.
func (r *Record) Digest() string {
	w := newYAMLWriter(1024 + len(r.Body))
	r.putCovered(w)
	sum := sha256.Sum256(w.buf)
	return hex.EncodeToString(sum[:digestLength/2])
}

const digestLength = 12

// Fields returns the record as its top-level keys in canonical order, with
// canonical values: equal values have equal [FormatValue]. The values are new.
func (r *Record) Fields() []Field {
	var b treeWriter
	r.put(&b)
	fs := make([]Field, 0, len(b.root.Items)/2)
	for i := 0; i+1 < len(b.root.Items); i += 2 {
		fs = append(fs, Field{Name: b.root.Items[i].Text, Value: b.root.Items[i+1]})
	}
	return fs
}

// FromFields makes a record of top-level keys in any order, with all the checks
// of [Parse]. A value's place may be missing. Errors are
// *[SyntaxError], located when the nodes carry positions.
func FromFields(path string, fs []Field) (*Record, error) {
	d := &decoder{path: path}
	for i, f := range fs {
		for _, g := range fs[:i] {
			if g.Name == f.Name {
				return nil, d.errorAt(f.Value, "duplicate key '%s'", f.Name)
			}
		}
		if err := d.vet(f.Value, 1); err != nil {
			return nil, err
		}
	}
	return d.record(nil, fs)
}
