package tracker

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/text"
)

// An issue is one line of beads' export: the fields that the import maps.
type issue struct {
	line int

	ID, Title, Status, Type                   string
	Description, Design, Acceptance, Notes    string
	Priority                                  *int
	Assignee, Owner, CreatedBy, ClosedBy      string
	CloseReason, Parent, ExternalRef          string
	CreatedAt, StartedAt, UpdatedAt, ClosedAt stamp
	Labels                                    []string
	Dependencies                              []dependency
	Comments                                  []comment
	CommentCount                              int
	Ephemeral                                 bool

	// unmapped names the fields that hold something and have no place in a record.
	unmapped []string
	// altered names the fields whose text no record can hold as it is.
	altered []string
	// digest covers the mapped fields, so that a count or time that moves by
	// itself does not make the item look changed.
	digest string
}

type dependency struct {
	From      string `json:"issue_id"`
	To        string `json:"depends_on_id"`
	Type      string `json:"type"`
	CreatedAt stamp  `json:"created_at"`
	CreatedBy string `json:"created_by"`
}

type comment struct {
	Author    string `json:"author"`
	Text      string `json:"text"`
	CreatedAt stamp  `json:"created_at"`
}

// A stamp is a time as beads writes it, in UTC and whole seconds; zero when absent.
type stamp struct{ time.Time }

// UnmarshalJSON implements [json.Unmarshaler].
func (s *stamp) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return fmt.Errorf("a time must be a string")
	}
	if text == "" {
		return nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.UTC().Year() < 1 || t.UTC().Year() > 9999 {
		return fmt.Errorf("'%s' is not an RFC 3339 time", text)
	}
	s.Time = t.UTC().Truncate(time.Second)
	return nil
}

// targets maps the mapped fields' names to where they are decoded.
func (is *issue) targets() map[string]any {
	return map[string]any{
		"id": &is.ID, "title": &is.Title, "status": &is.Status, "issue_type": &is.Type,
		"description": &is.Description, "design": &is.Design, "acceptance_criteria": &is.Acceptance, "notes": &is.Notes,
		"priority": &is.Priority, "assignee": &is.Assignee, "owner": &is.Owner, "created_by": &is.CreatedBy,
		"closed_by": &is.ClosedBy, "close_reason": &is.CloseReason, "parent": &is.Parent, "external_ref": &is.ExternalRef,
		"created_at": &is.CreatedAt, "started_at": &is.StartedAt, "updated_at": &is.UpdatedAt, "closed_at": &is.ClosedAt,
		"labels": &is.Labels, "dependencies": &is.Dependencies, "comments": &is.Comments,
		"comment_count": &is.CommentCount, "ephemeral": &is.Ephemeral,
	}
}

// readIssues decodes a JSONL stream and lists what is not an issue in b. The error is
// a *[importer.SyntaxError] where no line is one, or that of the reader.
func readIssues(r io.Reader, b *importer.Batch) ([]*issue, error) {
	var out []*issue
	var firstBad error
	lines, others := make(map[string]int), make(map[string]int)
	err := jsonLines(r, func(n int, line []byte) {
		if other := otherType(line); other != "" {
			others[other]++
			return
		}
		is, err := readIssue(n, line)
		switch {
		case err != nil:
			firstBad = cmp.Or(firstBad, err)
			b.SkipError("line", err)
		case lines[is.ID] > 0:
			b.SkipAt(is.ID, n, "the issue stands on line %d already", lines[is.ID])
		default:
			lines[is.ID] = n
			b.Found(is.ID)
			out = append(out, is)
		}
	})
	if err == nil && len(out) == 0 && len(others) == 0 {
		err = firstBad
	}
	for _, t := range slices.Sorted(maps.Keys(others)) {
		b.Skip(fmt.Sprintf("lines of type '%s'", t), "%s: not issues", text.Plural(others[t], "line"))
	}
	return out, err
}

// otherType is the "_type" of a line that is not an issue, like a memory's.
func otherType(line []byte) string {
	var typed struct {
		Type string `json:"_type"`
	}
	if json.Unmarshal(line, &typed) != nil || typed.Type == "issue" {
		return ""
	}
	return importer.Short(typed.Type)
}

// jsonLines calls use for each line of a stream that is not blank.
func jsonLines(r io.Reader, use func(n int, line []byte)) error {
	br := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := br.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read line %d: %w", n, err)
		}
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if text := bytes.TrimRight(line, "\r\n"); len(bytes.TrimSpace(text)) > 0 {
			use(n, text)
		}
		if err != nil {
			return nil
		}
	}
}

// readIssue decodes one line field by field, so that an error knows its column.
func readIssue(n int, line []byte) (*issue, error) {
	fail := func(offset int, format string, args ...any) error {
		return &importer.SyntaxError{Line: n, Col: offset + 1, Msg: fmt.Sprintf(format, args...)}
	}
	if offset, msg := malformed(line); msg != "" {
		return nil, fail(offset, "%s", msg)
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil, fail(0, "want one JSON object a line")
	}
	is := &issue{line: n}
	fields := make(map[string]json.RawMessage)
	targets := is.targets()
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return nil, fail(int(dec.InputOffset()), "%v", err)
		}
		name, _ := tok.(string) // a key of an object that was checked above is a string
		keyEnd := int(dec.InputOffset())
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, fail(keyEnd, "field '%s': %v", name, err)
		}
		start := int(dec.InputOffset()) - len(raw)
		if _, ok := fields[name]; ok {
			return nil, fail(start, "field '%s' stands twice", name)
		}
		fields[name] = raw
		if err := is.set(name, raw, targets); err != nil {
			return nil, fail(start, "field '%s': %v", name, err)
		}
	}
	if is.ID == "" || strings.ContainsFunc(is.ID, unicode.IsControl) || strings.TrimSpace(is.ID) != is.ID {
		return nil, fail(0, "want an 'id' without control characters and outer spaces")
	}
	return is, is.sum(fields)
}

// malformed says where and why a line is not JSON, or "".
func malformed(line []byte) (offset int, msg string) {
	if i := importer.InvalidUTF8(line); i >= 0 {
		return i, "invalid UTF-8"
	}
	if isConflictMarker(line) {
		return 0, "a conflict marker: resolve the merge in this file first"
	}
	var whole json.RawMessage
	err := json.Unmarshal(line, &whole)
	if err == nil {
		return 0, ""
	}
	offset = len(line)
	if se := (*json.SyntaxError)(nil); errors.As(err, &se) {
		offset = max(int(se.Offset)-1, 0)
	}
	return offset, "not JSON: " + err.Error()
}

// set decodes one field, or notes that it has no place.
func (is *issue) set(name string, raw json.RawMessage, targets map[string]any) error {
	target, ok := targets[name]
	if !ok {
		if !blank(raw) {
			is.unmapped = append(is.unmapped, name)
		}
		return nil
	}
	if loneSurrogate(raw) || hasNUL(raw) {
		is.altered = append(is.altered, name)
	}
	err := json.Unmarshal(raw, target)
	if te := (*json.UnmarshalTypeError)(nil); errors.As(err, &te) {
		where := ""
		if te.Field != "" {
			where = " in '" + te.Field + "'"
		}
		return fmt.Errorf("a JSON %s%s where %s belongs", te.Value, where, typeName(te.Type.Kind().String()))
	}
	return err
}

func typeName(kind string) string {
	switch kind {
	case "int":
		return "a whole number"
	case "slice":
		return "an array"
	case "struct":
		return "an object"
	case "bool":
		return "true or false"
	}
	return "a string"
}

// sum sets the digest: the mapped fields in a fixed order and spelling.
func (is *issue) sum(fields map[string]json.RawMessage) error {
	kept := make(map[string]any)
	targets := is.targets()
	for name, raw := range fields {
		if _, ok := targets[name]; !ok || name == "updated_at" || name == "comment_count" || blank(raw) {
			continue
		}
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		var v any
		if err := dec.Decode(&v); err != nil {
			return fmt.Errorf("read issue '%s': %w", is.ID, err)
		}
		kept[name] = v
	}
	b, err := json.Marshal(kept) // sorts the keys
	if err != nil {
		return fmt.Errorf("digest issue '%s': %w", is.ID, err)
	}
	is.digest = importer.Digest(b)
	return nil
}

// blank reports whether a JSON value says nothing.
func blank(raw json.RawMessage) bool {
	return slices.Contains([]string{"null", `""`, "[]", "{}", "0", "false"}, string(raw))
}

func isConflictMarker(line []byte) bool {
	for _, m := range []string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"} {
		if bytes.HasPrefix(line, []byte(m)) {
			return true
		}
	}
	return false
}

// loneSurrogate reports whether a JSON text holds an escaped half of a surrogate
// pair, which decodes to U+FFFD.
func loneSurrogate(raw []byte) bool {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		if u, ok := escaped(raw[i:]); ok && u >= 0xd800 && u < 0xe000 {
			low, paired := escaped(raw[min(i+6, len(raw)):])
			if u >= 0xdc00 || !paired || low < 0xdc00 || low >= 0xe000 {
				return true
			}
			i += 6
		}
		i++ // the escaped character is not a backslash of its own
	}
	return false
}

// hasNUL reports whether a JSON text holds an escaped NUL.
func hasNUL(raw []byte) bool {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		if u, ok := escaped(raw[i:]); ok && u == 0 {
			return true
		}
		i++
	}
	return false
}

// escaped reads a \uXXXX escape at the start of b.
func escaped(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var u rune
	for _, c := range b[2:6] {
		d := strings.IndexByte("0123456789abcdef", c|0x20)
		if d < 0 {
			return 0, false
		}
		u = u<<4 | rune(d)
	}
	return u, true
}
