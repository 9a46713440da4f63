package records

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// yamlWriter writes the canonical YAML form. It has its own emitter because the
// bytes are hashed, signed and merged: they must not change with a library's
// choice of styles.
type yamlWriter struct {
	buf    []byte
	levels []level
	// after says what stands before the next value on its line.
	after place
	// few holds the levels of any record without deep unknown values.
	few [8]level
}

type level struct {
	seq    bool
	indent int
	n      int   // entries so far
	after  place // what stood before the collection
}

type place uint8

const (
	atStart place = iota
	afterKey
	afterDash
)

func newYAMLWriter(size int) *yamlWriter {
	w := &yamlWriter{buf: make([]byte, 0, size)}
	w.levels = w.few[:0]
	return w
}

// entry starts the line of the next key or dash of the innermost collection.
func (w *yamlWriter) entry() {
	l := &w.levels[len(w.levels)-1]
	switch {
	case l.n > 0:
		w.indent(l.indent)
	case l.after == afterKey:
		w.buf = append(w.buf, '\n')
		w.indent(l.indent)
	case l.after == afterDash:
		w.buf = append(w.buf, ' ')
	}
	l.n++
}

func (w *yamlWriter) indent(n int) {
	for range n {
		w.buf = append(w.buf, ' ')
	}
}

// value starts a value: its dash in a sequence.
func (w *yamlWriter) value() {
	if n := len(w.levels); n > 0 && w.levels[n-1].seq {
		w.entry()
		w.buf = append(w.buf, '-')
		w.after = afterDash
	}
}

func (w *yamlWriter) space() {
	if w.after != atStart {
		w.buf = append(w.buf, ' ')
	}
}

func (w *yamlWriter) open(seq bool) {
	w.value()
	indent := 0
	if n := len(w.levels); n > 0 {
		indent = w.levels[n-1].indent + 2
	}
	w.levels = append(w.levels, level{seq: seq, indent: indent, after: w.after})
}

func (w *yamlWriter) close(empty string) {
	l := w.levels[len(w.levels)-1]
	w.levels = w.levels[:len(w.levels)-1]
	if l.n == 0 {
		w.after = l.after
		w.space()
		w.buf = append(append(w.buf, empty...), '\n')
	}
}

func (w *yamlWriter) openMap()  { w.open(false) }
func (w *yamlWriter) closeMap() { w.close("{}") }
func (w *yamlWriter) openSeq()  { w.open(true) }
func (w *yamlWriter) closeSeq() { w.close("[]") }

func (w *yamlWriter) key(name string) {
	w.entry()
	if name == "n" || styleOf(name) == stylePlain { // n, for nonce, is a boolean to YAML 1.1 alone
		w.buf = append(w.buf, name...)
	} else {
		w.buf = appendQuoted(w.buf, name)
	}
	w.buf = append(w.buf, ':')
	w.after = afterKey
}

func (w *yamlWriter) plain(_ ValueType, s string) {
	w.value()
	w.space()
	w.buf = append(append(w.buf, s...), '\n')
}

func (w *yamlWriter) text(s string) {
	s = nfc(s)
	w.value()
	w.space()
	switch styleOf(s) {
	case stylePlain:
		w.buf = append(append(w.buf, s...), '\n')
	case styleLiteral:
		w.literal(s)
	default:
		w.buf = append(appendQuoted(w.buf, s), '\n')
	}
}

func (w *yamlWriter) literal(s string) {
	indent := 2
	if n := len(w.levels); n > 0 {
		indent += w.levels[n-1].indent
	}
	w.buf = append(w.buf, '|')
	switch {
	case !strings.HasSuffix(s, "\n"):
		w.buf = append(w.buf, '-')
	case strings.HasSuffix(s, "\n\n"):
		w.buf = append(w.buf, '+')
	}
	w.buf = append(w.buf, '\n')
	for line := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
		if line != "" {
			w.indent(indent)
			w.buf = append(w.buf, line...)
		}
		w.buf = append(w.buf, '\n')
	}
}

type style uint8

const (
	stylePlain style = iota
	styleQuoted
	styleLiteral
)

// styleOf chooses the one canonical style of a text: plain where no YAML reader,
// 1.1 or 1.2, could take it for anything else; a literal block where every line
// survives in one; else double quotes.
func styleOf(s string) style {
	if s == "" {
		return styleQuoted
	}
	plain, multiline := plainStart(s), false
	for i, r := range s {
		if ' ' <= r && r < 0x7f && r != ':' && r != '#' { // most characters, quickly
			continue
		}
		switch {
		case r == '\n':
			multiline = true
		case r == '\t':
			plain = false
		case mustEscape(r) || r == utf8.RuneError:
			return styleQuoted
		case r == ':' && (i+1 == len(s) || s[i+1] == ' '), r == '#' && i > 0 && s[i-1] == ' ':
			plain = false
		}
	}
	switch {
	case multiline && s[0] != ' ' && s[0] != '\t' && s[0] != '\n':
		return styleLiteral
	case multiline || !plain || s[len(s)-1] == ' ' || notText(s):
		return styleQuoted
	}
	return stylePlain
}

// plainStart reports whether a plain scalar may begin like s.
func plainStart(s string) bool {
	c := s[0]
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= 0x80 ||
		strings.IndexByte("_/.($", c) >= 0
}

// notText reports whether some YAML reader takes the plain scalar s for a
// number, instant, boolean or null.
func notText(s string) bool {
	if c := s[0]; c != '.' && (c < '0' || c > '9') {
		if len(s) > 5 {
			return false
		}
		switch strings.ToLower(s) {
		case "null", "true", "false", "yes", "no", "on", "off", "y", "n":
			return true
		}
		return false
	}
	switch lower := strings.ToLower(s); {
	case lower == ".inf" || lower == ".nan":
		return true
	case len(s) > 1 && s[0] == '0' && strings.IndexByte("xob", lower[1]) >= 0:
		return true
	case len(s) >= 8 && allDigits(s[:4]) && s[4] == '-':
		return true // an instant, or near enough to one
	}
	if a, b, ok := strings.Cut(s, "-"); ok && allDigits(a) && allDigits(b) {
		return false // a range of lines
	}
	return strings.Trim(s, "0123456789_.,:+-eE") == ""
}

func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// mustEscape reports whether r never stands bare in a record: controls, and
// characters that hide or reorder what surrounds them. The list is fixed, not
// taken from a Unicode table, so that the bytes of a record never change with
// the table's version. Tabs and newlines are judged by their place instead.
func mustEscape(r rune) bool {
	switch {
	case r == '\t' || r == '\n':
		return false
	case r < 0x20, 0x7f <= r && r < 0xa0:
		return true
	case r < 0xad:
		return false
	}
	switch {
	case r == 0xad, r == 0x61c, r == 0x180e, r == 0xfeff,
		r == 0x200b, r == 0x200e, r == 0x200f, // 200c and 200d join letters and emoji
		0x2028 <= r && r <= 0x202e, 0x2060 <= r && r <= 0x206f,
		0xfff9 <= r && r <= 0xfffb, r&0xfffe == 0xfffe,
		0xe0000 <= r && r <= 0xe00ff:
		return true
	}
	return false
}

// appendQuoted appends s in double quotes. Invalid UTF-8 goes through as it is,
// for the decoder to refuse.
func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, '\\', 'n')
		case r == '\t':
			b = append(b, '\\', 't')
		case r == '\r':
			b = append(b, '\\', 'r')
		case r == 0:
			b = append(b, '\\', '0')
		case mustEscape(r) && r > 0xffff:
			b = fmt.Appendf(b, "\\U%08X", r)
		case mustEscape(r):
			b = fmt.Appendf(b, "\\u%04X", r)
		default:
			b = append(b, s[i:i+n]...)
		}
		i += n
	}
	return append(b, '"')
}
