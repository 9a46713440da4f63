package records

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/git-ctx/git-ctx/internal/lazyregexp"
)

// A SyntaxError says what is wrong with a file and where. Line and Col count
// from 1, Col in characters; Line is 0 when the value came from no file.
type SyntaxError struct {
	Path      string
	Line, Col int
	Msg       string
}

func (e *SyntaxError) Error() string {
	var b strings.Builder
	if e.Path != "" {
		b.WriteString(e.Path + ":")
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "%d:%d:", e.Line, e.Col)
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	return b.String() + e.Msg
}

// maxDepth bounds how deep values nest; known ones need five levels.
const maxDepth = 16

// A decoder reads one file. It is strict: what it does not refuse, a record keeps.
type decoder struct {
	path string
	kind Kind
}

func (d *decoder) errorAt(v *Value, format string, args ...any) error {
	e := &SyntaxError{Path: d.path, Msg: fmt.Sprintf(format, args...)}
	if v != nil {
		e.Line, e.Col = v.Line, v.Column
	}
	return e
}

// errorAtOffset locates an error by its offset in the file.
func (d *decoder) errorAtOffset(data []byte, offset int, format string, args ...any) error {
	start := bytes.LastIndexByte(data[:offset], '\n') + 1
	return &SyntaxError{
		Path: d.path,
		Line: 1 + bytes.Count(data[:start], []byte("\n")),
		Col:  1 + utf8.RuneCount(data[start:offset]),
		Msg:  fmt.Sprintf(format, args...),
	}
}

// document reads data as one YAML document whose top level is a mapping.
func (d *decoder) document(data []byte) (*Value, error) {
	if err := d.checkBytes(data); err != nil {
		return nil, err
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, &SyntaxError{Path: d.path, Line: 1, Col: 1, Msg: "the file is empty"}
		}
		return nil, d.yamlError(err)
	}
	var second yaml.Node
	switch err := dec.Decode(&second); {
	case err == nil:
		return nil, d.errorAt(at(&second), "a second document: a file holds one")
	case !errors.Is(err, io.EOF):
		return nil, d.yamlError(err)
	}
	root, bad := d.value(doc.Content[0], 0)
	if bad == nil && root.Type != MapValue {
		return nil, d.errorAt(root, "the file holds %s, not keys and values", describe(root))
	}
	if err := d.checkComments(data, &doc); err != nil {
		return nil, err
	}
	if err := d.checkTagMarks(data, doc.Content[0]); err != nil {
		return nil, err
	}
	return root, bad
}

// checkBytes refuses what must not reach the YAML reader.
func (d *decoder) checkBytes(data []byte) error {
	if len(data) > MaxSize && (len(data) > maxConflicted || !bytes.Contains(data, []byte("\nconflicts:"))) {
		return &SyntaxError{Path: d.path, Line: 1, Col: 1,
			Msg: fmt.Sprintf("the file has %d bytes: a record may have %d", len(data), MaxSize)}
	}
	for _, bom := range []string{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(data, []byte(bom)) {
			return d.errorAtOffset(data, 0, "a byte order mark: a file is UTF-8 without one")
		}
	}
	if bytes.HasPrefix(data, []byte("%")) {
		return d.errorAtOffset(data, 0, "a YAML directive is not allowed")
	}
	for i := 0; i < len(data); {
		c := data[i]
		switch {
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && n == 1 {
				return d.errorAtOffset(data, i, "invalid UTF-8: byte %#x", c)
			}
			i += n
			continue
		case c == 0:
			return d.errorAtOffset(data, i, "a NUL byte")
		case c < ' ' && c != '\n' && c != '\r' && c != '\t', c == 0x7f:
			return d.errorAtOffset(data, i, "a control character, %#x: write it as an escape in double quotes", c)
		case (i == 0 || data[i-1] == '\n') && conflictMarker(data[i:]):
			return d.errorAtOffset(data, i, "a conflict marker: git merged this file as text")
		}
		i++
	}
	return nil
}

// conflictMarker reports whether line starts with one of git's conflict markers.
func conflictMarker(line []byte) bool {
	c := line[0]
	if c != '<' && c != '=' && c != '>' && c != '|' || len(line) < 7 {
		return false
	}
	for _, b := range line[:7] {
		if b != c {
			return false
		}
	}
	return len(line) == 7 || line[7] == ' ' || line[7] == '\n' || line[7] == '\r'
}

var yamlErrorLine = lazyregexp.New(`^yaml: line (\d+): (.*)`)

// yamlError locates an error of the YAML reader, which knows the line at most.
func (d *decoder) yamlError(err error) error {
	msg, line := strings.TrimPrefix(err.Error(), "yaml: "), 1
	if m := yamlErrorLine.FindStringSubmatch(err.Error()); m != nil {
		msg = m[2]
		if n, err := strconv.Atoi(m[1]); err == nil && n > 0 {
			line = n
		}
	}
	return &SyntaxError{Path: d.path, Line: line, Col: 1, Msg: "not YAML: " + msg}
}

// checkComments refuses comments, which could not be kept. The YAML reader loses
// some, so the number signs of the file are counted against those in its values.
func (d *decoder) checkComments(data []byte, doc *yaml.Node) error {
	signs := bytes.Count(data, []byte("#"))
	if signs == 0 || signs <= numberSigns(doc, 0) {
		return nil
	}
	at := commentOffset(data, doc)
	return d.errorAtOffset(data, at, "a comment: it would not survive the next write; say it in the body")
}

func numberSigns(n *yaml.Node, depth int) int {
	count := strings.Count(n.Value, "#")
	if depth > maxDepth {
		return count
	}
	for _, c := range n.Content {
		count += numberSigns(c, depth+1)
	}
	return count
}

// commentOffset finds the comment: by its text where the reader kept it, else by its look.
func commentOffset(data []byte, doc *yaml.Node) int {
	if text := commentText(doc, 0); text != "" {
		line, _, _ := strings.Cut(text, "\n")
		if i := bytes.Index(data, []byte(line)); i >= 0 {
			return i
		}
	}
	for i, c := range data {
		if c == '#' && (i == 0 || strings.IndexByte(" \t\n\r", data[i-1]) >= 0) {
			return i
		}
	}
	return bytes.IndexByte(data, '#')
}

func commentText(n *yaml.Node, depth int) string {
	for _, s := range []string{n.HeadComment, n.LineComment, n.FootComment} {
		if s != "" {
			return s
		}
	}
	if depth > maxDepth {
		return ""
	}
	for _, c := range n.Content {
		if s := commentText(c, depth+1); s != "" {
			return s
		}
	}
	return ""
}

// checkTagMarks refuses the non-specific tag '!', of which the YAML reader
// leaves no trace in the node but its position.
func (d *decoder) checkTagMarks(data []byte, root *yaml.Node) error {
	if !bytes.Contains(data, []byte("!")) {
		return nil
	}
	lines := bytes.Split(data, []byte("\n"))
	var walk func(n *yaml.Node, depth int) error
	walk = func(n *yaml.Node, depth int) error {
		if n.Line > 0 && n.Line <= len(lines) {
			rest := []rune(string(lines[n.Line-1]))
			if n.Column > 0 && n.Column <= len(rest) && rest[n.Column-1] == '!' {
				return d.errorAt(at(n), "an explicit tag is not allowed")
			}
		}
		if depth > maxDepth {
			return nil
		}
		for _, c := range n.Content {
			if err := walk(c, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	return walk(root, 0)
}

// at is the place of a node.
func at(n *yaml.Node) *Value { return &Value{Line: n.Line, Column: n.Column} }

// ParseValue reads a value that is YAML; of nothing it is nil. Errors: as [ReadValue].
func ParseValue(data []byte) (*Value, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, (&decoder{}).yamlError(err)
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	return ReadValue(doc.Content[0])
}

// ReadValue returns the value of a YAML node. It refuses what no value may hold
// wherever it stands: anchors, aliases, tags. Errors: *[SyntaxError].
func ReadValue(n *yaml.Node) (*Value, error) { return (&decoder{}).value(n, 0) }

func (d *decoder) value(n *yaml.Node, depth int) (*Value, error) {
	v := at(n)
	switch {
	case n.Kind == yaml.AliasNode:
		return nil, d.errorAt(v, "an alias is not allowed")
	case n.Anchor != "":
		return nil, d.errorAt(v, "an anchor is not allowed")
	case n.Style&yaml.TaggedStyle != 0:
		return nil, d.errorAt(v, "an explicit tag is not allowed")
	case depth > maxDepth:
		return nil, d.errorAt(v, "values nest too deep")
	}
	t, known := valueTypes[n.ShortTag()]
	switch {
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!merge":
		return nil, d.errorAt(v, "a merge key is not allowed")
	case !known:
		return nil, d.errorAt(v, "a value of type %s is not allowed", n.ShortTag())
	}
	v.Type, v.Text = t, n.Value
	for _, c := range n.Content {
		item, err := d.value(c, depth+1)
		if err != nil {
			return nil, err
		}
		v.Items = append(v.Items, item)
	}
	return v, nil
}

// valueTypes are the types of values by YAML's tags.
var valueTypes = map[string]ValueType{
	"!!null": NullValue, "!!str": TextValue, "!!int": IntegerValue, "!!float": FloatValue, "!!bool": BooleanValue,
	"!!timestamp": InstantValue, "!!seq": ListValue, "!!map": MapValue,
}

// vet refuses what no value may hold, wherever it stands: duplicate keys, keys that
// are not text, text that is not UTF-8.
func (d *decoder) vet(v *Value, depth int) error {
	switch {
	case v == nil:
		return d.errorAt(v, "a missing value")
	case depth > maxDepth:
		return d.errorAt(v, "values nest too deep")
	case v.Type == TextValue && strings.IndexByte(v.Text, 0) >= 0:
		return d.errorAt(v, "a NUL character")
	case v.Type == TextValue && !utf8.ValidString(v.Text):
		return d.errorAt(v, "invalid UTF-8")
	case v.Type > MapValue:
		return d.errorAt(v, "an unknown type of value")
	case v.Type == MapValue:
		if err := d.vetKeys(v); err != nil {
			return err
		}
	}
	for _, item := range v.Items {
		if err := d.vet(item, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// maxKey bounds the length of keys; YAML itself allows 1,024 characters.
const maxKey = 256

func (d *decoder) vetKeys(v *Value) error {
	if len(v.Items)%2 != 0 {
		return d.errorAt(v, "a key without a value")
	}
	var seen map[string]bool
	if len(v.Items) > 32 {
		seen = make(map[string]bool, len(v.Items)/2)
	}
	for i := 0; i < len(v.Items); i += 2 {
		k := v.Items[i]
		switch {
		case k == nil || k.Type != TextValue || k.Text == "" || len(k.Text) > maxKey:
			return d.errorAt(k, "a key must be text of 1 to %d bytes", maxKey)
		case seen[nfc(k.Text)]:
			return d.errorAt(k, "duplicate key '%s'", k.Text)
		}
		if seen != nil {
			seen[nfc(k.Text)] = true
			continue
		}
		for j := 0; j < i; j += 2 {
			if nfc(v.Items[j].Text) == nfc(k.Text) {
				return d.errorAt(k, "duplicate key '%s'", k.Text)
			}
		}
	}
	return nil
}

// describe names the type of a value for error messages.
func describe(v *Value) string {
	names := [...]string{
		NullValue: "null", TextValue: "text", IntegerValue: "a whole number", FloatValue: "a number with decimals",
		BooleanValue: "a boolean", InstantValue: "an instant", ListValue: "a list", MapValue: "keys and values",
	}
	return names[v.Type]
}
