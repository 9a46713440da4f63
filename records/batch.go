package records

import (
	"iter"
	"strconv"
)

// FormatBatch returns the records as one YAML mapping with the keys format and
// records, each record in its canonical form: every value reads back, in any
// YAML reader, as what it is.
func FormatBatch(rs iter.Seq[*Record]) []byte {
	w := newYAMLWriter(64 << 10)
	w.openMap()
	w.key("format")
	w.plain(IntegerValue, strconv.Itoa(FormatVersion))
	w.key("records")
	w.openSeq()
	for r := range rs {
		r.put(w)
	}
	w.closeSeq()
	w.closeMap()
	return w.buf
}
