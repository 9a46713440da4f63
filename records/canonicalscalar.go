package records

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// maxSpelledKey bounds a key as it is spelled: the YAML reader takes no key of
// more than 1,024 characters, escapes included.
const maxSpelledKey = 1000

// key reads a key and its colon.
func (c *canonicalReader) key() (*Value, bool) {
	if len(c.rest) > 0 && c.rest[0] == '"' {
		before := len(c.rest)
		s, ok := c.quoted()
		return c.node(TextValue, s), ok && before-len(c.rest) <= maxSpelledKey && c.skip(":")
	}
	n := plainKey(c.rest)
	if n <= 0 {
		return nil, false
	}
	name := c.rest[:n]
	c.rest = c.rest[n+1:]
	if key := words.node(name); key != nil {
		return key, true
	}
	return c.node(TextValue, string(name)), true
}

// atKey reports whether the line starts with a key.
func (c *canonicalReader) atKey() bool {
	if len(c.rest) == 0 || c.rest[0] != '"' {
		return plainKey(c.rest) > 0
	}
	rest := c.rest
	_, ok := c.quoted()
	ok = ok && len(c.rest) > 0 && c.rest[0] == ':'
	c.rest = rest
	return ok
}

// plainKey returns the length of the plain key that b starts with, or -1.
func plainKey(b []byte) int {
	for i, c := range b {
		switch {
		case c == '\n':
			return -1
		case c == ':' && i+1 < len(b) && (b[i+1] == ' ' || b[i+1] == '\n'):
			return i
		}
	}
	return -1
}

// scalar reads the value at the end of a line: a scalar or an empty collection.
func (c *canonicalReader) scalar(indent int) (*Value, bool) {
	if len(c.rest) == 0 {
		return nil, false
	}
	switch c.rest[0] {
	case '"':
		s, ok := c.quoted()
		return c.node(TextValue, s), ok && c.skip("\n")
	case '|':
		s, ok := c.literal(indent + 2)
		return c.node(TextValue, s), ok
	case '{':
		return c.node(MapValue, ""), c.skip("{}\n")
	case '[':
		return c.node(ListValue, ""), c.skip("[]\n")
	}
	line, ok := c.line()
	if !ok || len(line) == 0 {
		return nil, false
	}
	if n := words.node(line); n != nil {
		return n, true
	}
	s, t, ok := string(line), TextValue, true
	if notText(s) {
		t, ok = plainType(s)
	}
	return c.node(t, s), ok
}

// plainType returns the type of a plain scalar that is not text, and false where that
// takes knowing all the spellings of YAML.
func plainType(s string) (ValueType, bool) {
	const maxDigits = 18 // any number of them fits
	whole, decimals, point := strings.Cut(s, ".")
	switch {
	case s == "null":
		return NullValue, true
	case s == "true" || s == "false":
		return BooleanValue, true
	case len(s) > maxDigits || len(s) > 4 && s[4] == '-':
		for _, layout := range []string{instantLayout, time.DateOnly} {
			if _, err := time.Parse(layout, s); err == nil && len(s) == len(layout) {
				return InstantValue, true
			}
		}
	case point && allDigits(whole) && allDigits(decimals):
		return FloatValue, true
	case allDigits(s) && (s == "0" || s[0] != '0'):
		return IntegerValue, true
	}
	return NullValue, false
}

// quoted reads a text in double quotes.
func (c *canonicalReader) quoted() (string, bool) {
	b := c.rest[1:]
	end := bytes.IndexAny(b, "\"\\\n")
	if end < 0 {
		return "", false
	}
	if b[end] == '"' {
		c.rest = b[end+1:]
		return string(b[:end]), true
	}
	out := slices.Clone(b[:end])
	for i := end; i < len(b); {
		switch b[i] {
		case '"':
			c.rest = b[i+1:]
			return string(out), true
		case '\n':
			return "", false
		case '\\':
			r, n := unescape(b[i:])
			if n == 0 {
				return "", false
			}
			out = utf8.AppendRune(out, r)
			i += n
		default:
			out = append(out, b[i])
			i++
		}
	}
	return "", false
}

// unescape reads one of the escapes that [appendQuoted] writes and returns its
// length, 0 for any other. NUL is none of them: no record holds it.
func unescape(b []byte) (rune, int) {
	if len(b) < 2 {
		return 0, 0
	}
	n := 2
	switch b[1] {
	case '"', '\\':
		return rune(b[1]), n
	case 'n':
		return '\n', n
	case 't':
		return '\t', n
	case 'r':
		return '\r', n
	case 'u':
		n += 4
	case 'U':
		n += 8
	default:
		return 0, 0
	}
	if len(b) < n {
		return 0, 0
	}
	r, err := strconv.ParseUint(string(b[2:n]), 16, 32)
	if err != nil || r == 0 || r > utf8.MaxRune || !utf8.ValidRune(rune(r)) {
		return 0, 0
	}
	return rune(r), n
}

// literal reads a literal block whose lines have the indentation.
func (c *canonicalReader) literal(indent int) (string, bool) {
	header, ok := c.line()
	if !ok || len(header) > 2 {
		return "", false
	}
	block := c.rest
	for len(c.rest) > 0 && (c.rest[0] == '\n' || indented(c.rest, indent)) {
		if _, ok := c.line(); !ok {
			return "", false
		}
	}
	block = block[:len(block)-len(c.rest)]
	var text strings.Builder
	text.Grow(len(block))
	for len(block) > 0 {
		n := bytes.IndexByte(block, '\n') + 1
		text.Write(block[min(indent, n-1):n])
		block = block[n:]
	}
	s := text.String()
	if len(header) == 2 && header[1] == '-' {
		s = strings.TrimSuffix(s, "\n")
	}
	return s, true
}

// A vocabulary holds the plain texts that the format fixes as nodes ready for
// use in any number of trees, since whoever keeps a node copies it.
type vocabulary map[string]*Value

// words are the keys and values of known fields.
var words = formatWords()

// node returns the node of a text, or nil when the text is not fixed.
func (v vocabulary) node(text []byte) *Value {
	const longest = 16
	if len(text) > longest {
		return nil
	}
	return v[string(text)]
}

func (v vocabulary) add(texts ...string) {
	for _, s := range texts {
		v[s] = NewText(s)
	}
}

func formatWords() vocabulary {
	v := make(vocabulary)
	for i := range fieldRules {
		v.add(fieldRules[i].name)
	}
	for _, names := range [][]string{
		partNames(verdictParts), partNames(stepParts), partNames(anchorParts), partNames(fileParts), partNames(validityParts),
		partNames(originParts), partNames(tombstoneParts), partNames(conflictParts), {string(Human), string(Unknown)},
	} {
		v.add(names...)
	}
	for _, sch := range schemas {
		v.add(string(sch.Kind))
		v.add(sch.Types...)
		for _, state := range sch.States {
			v.add(string(state))
		}
	}
	for _, rule := range relationRules {
		v.add(string(rule.rel))
	}
	return v
}
