package records

import (
	"bytes"
	"encoding/json"
	"strings"
)

// MarshalJSON writes the record as a JSON object with the keys of the YAML form
// in the same order. Absent fields are absent.
func (r *Record) MarshalJSON() ([]byte, error) {
	var w jsonWriter
	r.put(&w)
	return w.buf.Bytes(), nil
}

// MarshalJSON writes the verdict as it stands in a record.
func (v *Verdict) MarshalJSON() ([]byte, error) {
	var w jsonWriter
	putVerdict(&w, v)
	return w.buf.Bytes(), nil
}

// MarshalJSON writes the field's value; its name is the key it belongs to.
func (f Field) MarshalJSON() ([]byte, error) {
	var w jsonWriter
	putValue(&w, f.Value)
	return w.buf.Bytes(), nil
}

// jsonWriter writes JSON without white space.
type jsonWriter struct {
	buf  bytes.Buffer
	more bool // the next key or item follows another
}

func (w *jsonWriter) comma() {
	if w.more {
		w.buf.WriteByte(',')
	}
	w.more = true
}

// open starts a collection as the next item or as the value of the last key.
func (w *jsonWriter) open(c byte) {
	w.comma()
	w.buf.WriteByte(c)
	w.more = false
}

func (w *jsonWriter) close(c byte) {
	w.buf.WriteByte(c)
	w.more = true
}

func (w *jsonWriter) openMap()  { w.open('{') }
func (w *jsonWriter) closeMap() { w.close('}') }
func (w *jsonWriter) openSeq()  { w.open('[') }
func (w *jsonWriter) closeSeq() { w.close(']') }

func (w *jsonWriter) key(name string) {
	w.text(name)
	w.buf.WriteByte(':')
	w.more = false
}

func (w *jsonWriter) text(s string) {
	w.comma()
	e := json.NewEncoder(&w.buf)
	e.SetEscapeHTML(false)
	if e.Encode(nfc(s)) == nil { // a string and a buffer never fail
		w.buf.Truncate(w.buf.Len() - 1) // the newline
	}
}

func (w *jsonWriter) plain(t ValueType, s string) {
	switch t {
	case BooleanValue:
		s = strings.ToLower(s)
	case NullValue:
		s = "null"
	case IntegerValue, FloatValue:
	default:
		w.text(s)
		return
	}
	if !json.Valid([]byte(s)) { // such as 0x1F or .inf under a key we do not know
		w.text(s)
		return
	}
	w.comma()
	w.buf.WriteString(s)
}
