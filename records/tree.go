package records

import (
	"strings"
)

// A ValueType is the type of a [Value].
type ValueType uint8

// The types of values. Those before ListValue are scalars.
const (
	NullValue ValueType = iota // an absent field
	TextValue
	IntegerValue
	FloatValue
	BooleanValue
	InstantValue
	ListValue
	MapValue
)

// A Value is the value of any field, known or not.
type Value struct {
	Type ValueType
	// Text is a scalar, as it is spelled.
	Text string
	// Items are the members of a list; of a mapping each key, a text, and its value.
	Items []*Value
	// Line and Column tell where the value stands in the file that it was read
	// from, counted from 1; 0 is nowhere.
	Line, Column int
}

// NewText returns the value of a text.
func NewText(s string) *Value { return &Value{Type: TextValue, Text: s} }

// IsNull reports whether the value is that of an absent field, nil among them.
func (v *Value) IsNull() bool { return v == nil || v.Type == NullValue }

// IsScalar reports whether the value has no parts.
func (v *Value) IsScalar() bool { return v.Type < ListValue }

// Get returns the value of a key of a mapping, or nil.
func (v *Value) Get(key string) *Value {
	if v == nil || v.Type != MapValue {
		return nil
	}
	for i := 0; i+1 < len(v.Items); i += 2 {
		if v.Items[i].Text == key {
			return v.Items[i+1]
		}
	}
	return nil
}

// TextOf returns the text of a key of a mapping, or "".
func (v *Value) TextOf(key string) string {
	if part := v.Get(key); part != nil {
		return part.Text
	}
	return ""
}

// treeWriter makes canonical values, without positions.
type treeWriter struct {
	stack []*Value
	root  *Value
}

func (w *treeWriter) add(v *Value) {
	if len(w.stack) == 0 {
		w.root = v
		return
	}
	top := w.stack[len(w.stack)-1]
	top.Items = append(top.Items, v)
}

func (w *treeWriter) open(t ValueType) {
	v := &Value{Type: t}
	w.add(v)
	w.stack = append(w.stack, v)
}

func (w *treeWriter) pop() { w.stack = w.stack[:len(w.stack)-1] }

func (w *treeWriter) openMap()                    { w.open(MapValue) }
func (w *treeWriter) openSeq()                    { w.open(ListValue) }
func (w *treeWriter) closeMap()                   { w.pop() }
func (w *treeWriter) closeSeq()                   { w.pop() }
func (w *treeWriter) key(name string)             { w.text(name) }
func (w *treeWriter) text(s string)               { w.add(NewText(nfc(s))) }
func (w *treeWriter) plain(t ValueType, s string) { w.add(&Value{Type: t, Text: s}) }

// putValue writes any value that [decoder.vet] passed.
func putValue(e sink, v *Value) {
	switch {
	case v.IsNull():
		e.plain(NullValue, "null")
	case v.Type == MapValue:
		e.openMap()
		for i := 0; i+1 < len(v.Items); i += 2 {
			e.key(nfc(v.Items[i].Text))
			putValue(e, v.Items[i+1])
		}
		e.closeMap()
	case v.Type == ListValue:
		e.openSeq()
		for _, item := range v.Items {
			putValue(e, item)
		}
		e.closeSeq()
	case v.Type == TextValue:
		e.text(v.Text)
	default:
		e.plain(v.Type, v.Text)
	}
}

// canonicalValue copies v in canonical form.
func canonicalValue(v *Value) *Value {
	var w treeWriter
	putValue(&w, v)
	return w.root
}

// FormatValue returns the canonical text of a field's value, without a final
// newline. Two values are equal exactly when their texts are.
func FormatValue(v *Value) string {
	w := newYAMLWriter(128)
	putValue(w, v)
	return string(w.buf[:len(w.buf)-1])
}

// formatted returns what put writes as a value, for sorting.
func formatted(put func(sink)) string {
	w := newYAMLWriter(128)
	put(w)
	return strings.TrimSuffix(string(w.buf), "\n")
}
