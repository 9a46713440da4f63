package records

import (
	"bytes"
	"unicode/utf8"
)

// parseCanonical reads data if it is a record's file in canonical form, which
// takes a fifth of the YAML reader's time; false says only that it cannot tell,
// and leaves the answer and its message to that reader.
//
// It makes the same tree of values and hands it to the same checks. What keeps
// it honest is the end: the record's own encoding must be data again, byte for
// byte. So the reader in between may be simple and lenient; what it misreads, and
// every spelling but the canonical one, comes out different.
func parseCanonical(path string, data []byte) (*Record, bool) {
	if len(data) > MaxSize || !utf8.Valid(data) {
		return nil, false
	}
	fs, ok := readCanonical(data)
	if !ok {
		return nil, false
	}
	d := &decoder{path: path}
	for i, f := range fs {
		// The encoding shows what is wrong with a known field: it has no second
		// place for it. These keep what they are given and would show it again.
		if f.Name != "conflicts" && ruleOf(f.Name) != nil {
			continue
		}
		if i > 0 && fs[i-1].Name == f.Name || d.vet(f.Value, 1) != nil {
			return nil, false
		}
	}
	r, err := d.record(nil, fs)
	if err != nil {
		return nil, false
	}
	w := newYAMLWriter(len(data) + 64)
	r.put(w)
	return r, bytes.Equal(w.buf, data)
}

// readCanonical reads the top-level keys of data.
func readCanonical(data []byte) ([]Field, bool) {
	lines := bytes.Count(data, []byte("\n"))
	var open [64]*Value
	c := canonicalReader{
		rest:    data,
		nodes:   make([]Value, min(lines, maxNodes)), // most keys need none
		content: make([]*Value, min(2*lines, 2*maxNodes)),
		open:    open[:0],
	}
	root, ok := c.mapping(0)
	if !ok || len(c.rest) > 0 {
		return nil, false
	}
	fs := make([]Field, 0, len(root.Items)/2)
	for i := 0; i+1 < len(root.Items); i += 2 {
		fs = append(fs, Field{Name: root.Items[i].Text, Value: root.Items[i+1]})
	}
	return fs, true
}

// A canonicalReader reads the form that [yamlWriter] writes and no other: each
// line is a key, an item or a line of a literal block, and its indentation says
// where it belongs. Methods take the indentation of the collection they are in
// and report false for what they do not know.
type canonicalReader struct {
	rest []byte // starts behind the indentation of the line being read
	// nodes and content are unused memory for the tree, which is allocated in
	// few pieces because all of it dies at once.
	nodes   []Value
	content []*Value
	open    []*Value // members so far of the collections being read
}

// maxNodes bounds the nodes allocated at a time: lines of text need none.
const maxNodes = 32

func (c *canonicalReader) node(t ValueType, text string) *Value {
	if len(c.nodes) == 0 {
		c.nodes = make([]Value, maxNodes)
	}
	n := &c.nodes[0]
	c.nodes = c.nodes[1:]
	n.Type, n.Text = t, text
	return n
}

// collection makes a node of the members opened since the mark.
func (c *canonicalReader) collection(t ValueType, mark int) *Value {
	members := c.open[mark:]
	if len(members) > len(c.content) {
		c.content = make([]*Value, max(maxNodes, len(members)))
	}
	n := c.node(t, "")
	n.Items = c.content[:len(members):len(members)]
	copy(n.Items, members)
	c.content, c.open = c.content[len(members):], c.open[:mark]
	return n
}

func (c *canonicalReader) mapping(indent int) (*Value, bool) {
	mark := len(c.open)
	for more := true; more; more = c.next(indent) {
		key, ok := c.key()
		if !ok {
			return nil, false
		}
		c.open = append(c.open, key)
		value, ok := c.value(indent)
		if !ok {
			return nil, false
		}
		c.open = append(c.open, value)
	}
	return c.collection(MapValue, mark), true
}

func (c *canonicalReader) sequence(indent int) (*Value, bool) {
	mark := len(c.open)
	for more := true; more; more = c.next(indent) {
		if !c.skip("- ") {
			return nil, false
		}
		item, ok := c.item(indent)
		if !ok {
			return nil, false
		}
		c.open = append(c.open, item)
	}
	return c.collection(ListValue, mark), true
}

// value reads what stands behind a key and its colon.
func (c *canonicalReader) value(indent int) (*Value, bool) {
	if c.skip(" ") {
		return c.scalar(indent)
	}
	if !c.skip("\n") || !c.next(indent+2) {
		return nil, false
	}
	return c.nested(indent + 2)
}

// item reads what stands behind a dash: a collection starts on the same line.
func (c *canonicalReader) item(indent int) (*Value, bool) {
	if bytes.HasPrefix(c.rest, []byte("- ")) || c.atKey() {
		return c.nested(indent + 2)
	}
	return c.scalar(indent)
}

// nested reads a collection of which the first line is at hand.
func (c *canonicalReader) nested(indent int) (*Value, bool) {
	switch {
	case indent > 2*maxDepth+2: // [decoder.vet] has the exact bound; this one is for our stack
		return nil, false
	case bytes.HasPrefix(c.rest, []byte("- ")):
		return c.sequence(indent)
	}
	return c.mapping(indent)
}

// next moves to the content of the next line if it has just that indentation.
func (c *canonicalReader) next(indent int) bool {
	if len(c.rest) <= indent || c.rest[indent] == ' ' || !indented(c.rest, indent) {
		return false
	}
	c.rest = c.rest[indent:]
	return true
}

// indented reports whether b starts with at least n spaces.
func indented(b []byte, n int) bool {
	if len(b) < n {
		return false
	}
	for _, c := range b[:n] {
		if c != ' ' {
			return false
		}
	}
	return true
}

func (c *canonicalReader) skip(s string) bool {
	if len(c.rest) < len(s) || string(c.rest[:len(s)]) != s {
		return false
	}
	c.rest = c.rest[len(s):]
	return true
}

// line reads the rest of the line and its newline.
func (c *canonicalReader) line() ([]byte, bool) {
	n := bytes.IndexByte(c.rest, '\n')
	if n < 0 {
		return nil, false
	}
	line := c.rest[:n]
	c.rest = c.rest[n+1:]
	return line, true
}
