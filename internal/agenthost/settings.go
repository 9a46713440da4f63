package agenthost

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Settings are the text of a host's JSON file, with comments where the host takes
// them, which edits change in place: what an edit does not name keeps its bytes.
type settings struct {
	root   hujson.Value
	bom    string
	indent string // of one level
	eol    string
}

// parseSettings reads a file's text; none is an empty object. The error tells the line.
func parseSettings(text string) (*settings, error) {
	s := &settings{indent: "  ", eol: "\n"}
	if rest, ok := strings.CutPrefix(text, "\ufeff"); ok {
		s.bom, text = "\ufeff", rest
	}
	if strings.TrimSpace(text) == "" {
		text += "{}\n"
	}
	if strings.Contains(text, "\r\n") {
		s.eol = "\r\n"
	}
	var err error
	if s.root, err = hujson.Parse([]byte(text)); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	obj, ok := s.root.Value.(*hujson.Object)
	if !ok {
		return nil, errors.New("line 1: it is not an object")
	}
	if len(obj.Members) > 0 {
		if _, lead, ok := cutLast(string(obj.Members[0].Name.BeforeExtra), "\n"); ok && lead != "" && strings.TrimSpace(lead) == "" {
			s.indent = lead
		}
	}
	return s, nil
}

func (s *settings) text() string { return s.bom + string(s.root.Pack()) }

// member returns an object's member by its name, the last where several have it,
// as readers take that one.
func member(v *hujson.Value, name string) (*hujson.Value, int) {
	obj, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, -1
	}
	for i := len(obj.Members) - 1; i >= 0; i-- {
		if lit, ok := obj.Members[i].Name.Value.(hujson.Literal); ok && lit.String() == name {
			return &obj.Members[i].Value, i
		}
	}
	return nil, -1
}

// at finds a member of members; nil when there is none.
func (s *settings) at(path ...string) *hujson.Value {
	v := &s.root
	for _, name := range path {
		if v, _ = member(v, name); v == nil {
			return nil
		}
	}
	return v
}

// A wrongTypeError says that a member holds another type than a host reads there.
type wrongTypeError struct {
	path []string
	want string
}

func (e *wrongTypeError) Error() string {
	return fmt.Sprintf("'%s' is not an %s", strings.Join(e.path, "."), e.want)
}

// set gives a member of members a value, making the objects above it.
func (s *settings) set(value string, path ...string) error {
	v := &s.root
	for i, name := range path {
		obj, ok := v.Value.(*hujson.Object)
		if !ok {
			return &wrongTypeError{path[:i], "object"}
		}
		next, _ := member(v, name)
		if next == nil {
			for _, above := range slices.Backward(path[i+1:]) {
				value = "{" + toJSON(above) + ":" + value + "}"
			}
			s.extend(obj, name, value, i+1)
			return nil
		}
		v = next
	}
	v.Value = s.value(value, len(path), false).Value
	return nil
}

// extend gives an object one more member.
func (s *settings) extend(obj *hujson.Object, name, value string, depth int) {
	var last *hujson.Value
	first := hujson.Extra(nil)
	if n := len(obj.Members); n > 0 {
		last, first = &obj.Members[n-1].Value, obj.Members[0].Name.BeforeExtra
	}
	m := hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(name)}, Value: s.value(value, depth, flat(last, first))}
	m.Value.BeforeExtra = hujson.Extra(" ")
	s.place(&m.Name, &m.Value, last, first, &obj.AfterExtra, depth)
	obj.Members = append(obj.Members, m)
}

// add puts an element at the end of an array, which it makes where there is none.
func (s *settings) add(value string, path ...string) error {
	v := s.at(path...)
	if v == nil {
		return s.set("["+value+"]", path...)
	}
	arr, ok := v.Value.(*hujson.Array)
	if !ok {
		return &wrongTypeError{path, "array"}
	}
	depth := len(path) + 1
	var last *hujson.Value
	first := hujson.Extra(nil)
	if n := len(arr.Elements); n > 0 {
		last, first = &arr.Elements[n-1], arr.Elements[0].BeforeExtra
	}
	e := s.value(value, depth, flat(last, first))
	s.place(&e, &e, last, first, &arr.AfterExtra, depth)
	arr.Elements = append(arr.Elements, e)
	return nil
}

// flat reports whether a list stands on one line, by its last value and what
// stands before its first one.
func flat(last *hujson.Value, first hujson.Extra) bool {
	return last != nil && !bytes.ContainsRune(first, '\n')
}

// place sets what surrounds a new last member or element: begin is where it
// begins and end its value, last is the value before it, or nil, and first what
// stands before the first one. What stood after the last one and is not white
// space stays where it is.
func (s *settings) place(begin, end, last *hujson.Value, first hujson.Extra, after *hujson.Extra, depth int) {
	kept := strings.TrimRight(string(*after), " \t\r\n")
	space := string(*after)[len(kept):]
	lead := s.eol + strings.Repeat(s.indent, depth)
	switch {
	case last == nil:
		if !strings.Contains(space, "\n") {
			space = s.eol + strings.Repeat(s.indent, depth-1)
		}
	case !bytes.ContainsRune(first, '\n'):
		lead = " "
		if kept != "" && strings.Contains(space, "\n") {
			lead = s.eol
		}
	case kept == "":
		_, lead, _ = cutLast(string(first), "\n")
		lead = s.eol + lead
	}
	begin.BeforeExtra = hujson.Extra(kept + lead)
	*after = hujson.Extra(space)
	if last != nil && last.AfterExtra != nil {
		end.AfterExtra = hujson.Extra{} // the file ends its lists with a comma
	}
}

// value makes a value of JSON of ours, indented as one at a depth.
func (s *settings) value(text string, depth int, flat bool) hujson.Value {
	if !flat {
		var b bytes.Buffer
		if json.Indent(&b, []byte(text), strings.Repeat(s.indent, depth), s.indent) == nil {
			text = strings.ReplaceAll(b.String(), "\n", s.eol)
		}
	}
	v, err := hujson.Parse([]byte(text))
	if err != nil { // it was made by us
		return hujson.Value{Value: hujson.String(text)}
	}
	return v
}

// remove takes a member of members out, and the objects above it that hold
// nothing any more and that keep does not name.
func (s *settings) remove(keep func(path []string) bool, path ...string) {
	for len(path) > 0 {
		parent := s.at(path[:len(path)-1]...)
		if parent == nil {
			return
		}
		obj, ok := parent.Value.(*hujson.Object)
		_, i := member(parent, path[len(path)-1])
		if !ok || i < 0 {
			return
		}
		gone := obj.Members[i]
		obj.Members = slices.Delete(obj.Members, i, i+1)
		next := &obj.AfterExtra
		if i < len(obj.Members) {
			next = &obj.Members[i].Name.BeforeExtra
		} else if i > 0 {
			endList(&obj.Members[i-1].Value, gone.Value.AfterExtra != nil, next)
		}
		leave(gone.Name.BeforeExtra, next)
		if path = path[:len(path)-1]; len(obj.Members) > 0 || len(path) == 0 || strings.TrimSpace(string(obj.AfterExtra)) != "" || keep(path) {
			if len(obj.Members) == 0 && strings.TrimSpace(string(obj.AfterExtra)) == "" {
				obj.AfterExtra = nil
			}
			return
		}
	}
}

// drop takes out the elements of an array that match says so of.
func (s *settings) drop(arr *hujson.Array, match func(*hujson.Value) bool) (dropped bool) {
	for i := 0; i < len(arr.Elements); {
		if !match(&arr.Elements[i]) {
			i++
			continue
		}
		gone := arr.Elements[i]
		arr.Elements = slices.Delete(arr.Elements, i, i+1)
		next := &arr.AfterExtra
		if i < len(arr.Elements) {
			next = &arr.Elements[i].BeforeExtra
		} else if i > 0 {
			endList(&arr.Elements[i-1], gone.AfterExtra != nil, next)
		}
		leave(gone.BeforeExtra, next)
		dropped = true
	}
	return dropped
}

// endList makes a value the last of its list, with a comma or without.
func endList(last *hujson.Value, comma bool, after *hujson.Extra) {
	switch {
	case comma && last.AfterExtra == nil:
		last.AfterExtra = hujson.Extra{}
	case !comma && last.AfterExtra != nil:
		*after = append(slices.Clip(last.AfterExtra), *after...)
		last.AfterExtra = nil
	}
}

// leave keeps the comments that stood before what was taken out.
func leave(before hujson.Extra, next *hujson.Extra) {
	if kept := strings.TrimRight(string(before), " \t\r\n"); kept != "" {
		*next = hujson.Extra(kept + string(*next))
	}
}

// same reports whether a value says what JSON of ours says.
func same(v *hujson.Value, text string) bool {
	var a, b any
	c := v.Clone()
	c.Standardize()
	return json.Unmarshal(c.Pack(), &a) == nil && json.Unmarshal([]byte(text), &b) == nil && equalJSON(a, b)
}

func equalJSON(a, b any) bool {
	x, errA := json.Marshal(a) // with its keys sorted
	y, errB := json.Marshal(b)
	return errA == nil && errB == nil && bytes.Equal(x, y)
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return "", s, false
}
