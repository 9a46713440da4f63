package grammar

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/git-ctx/git-ctx/records"
)

// ReadOp reads a call from its arguments and checks it. Verb is the verb where the
// tool has but one and the arguments do not name it. Names may have hyphens or
// underscores; texts may be given as numbers, numbers as texts, and one item for a
// list of one; what is null or empty is not given. All faults are in the error.
func ReadOp(args *Value, tool Tool, verb string) (Op, error) {
	op, unknown, fs := readOp(args)
	if op.Verb == "" {
		op.Verb = verb
	}
	if !slices.Contains(tool.Verbs, op.Verb) {
		return op, &VerbError{Verb: op.Verb, Tool: tool}
	}
	return op, slices.Concat(fs, refuseAll(op.Verb, unknown), faultsOf(op.Check())).err()
}

// readOp reads the arguments. Unknown are the names that no verb takes.
func readOp(args *Value) (op Op, unknown []string, fs Faults) {
	seen := make(map[string]bool)
	for _, m := range args.members() {
		name := argumentName(m.name)
		field := op.Field(name)
		switch {
		case seen[name]:
			fs = append(fs, &ArgumentError{Name: name, Why: "it is given twice"})
		case field == nil && !m.value.empty():
			unknown = append(unknown, m.name)
		default:
			if err := m.value.into(field, name); err != nil {
				fs = append(fs, err)
			}
		}
		seen[name] = true
	}
	return op, unknown, fs
}

func refuseAll(verb string, names []string) (fs Faults) {
	for _, name := range names {
		fs = append(fs, Takes(verb, name))
	}
	return fs
}

func faultsOf(err error) Faults {
	if err == nil {
		return nil
	}
	if fs, ok := err.(Faults); ok { //nolint:errorlint // a wrapped one is one fault
		return fs
	}
	return Faults{err}
}

// argumentName is the name of an argument however it is spelled.
func argumentName(s string) string {
	if swapped := strings.ReplaceAll(s, "_", "-"); fieldNamed(swapped) {
		return swapped
	}
	return s
}

func fieldNamed(name string) bool {
	_, ok := fields()[name]
	return ok
}

// A Value is what a call gives, in YAML or JSON.
type Value struct{ node *yaml.Node }

// ParseJSON reads a JSON text.
func ParseJSON(data []byte) (*Value, error) {
	n, err := parseJSON(data)
	if err != nil {
		return nil, err
	}
	return &Value{n}, nil
}

type member struct {
	name  string
	value *Value
}

// members are the keys and values of a mapping; of anything else none.
func (v *Value) members() []member {
	if v == nil || v.node.Kind != yaml.MappingNode {
		return nil
	}
	var ms []member
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		ms = append(ms, member{v.node.Content[i].Value, valueOf(v.node.Content[i+1])})
	}
	return ms
}

// IsMapping tells whether the value has members.
func (v *Value) IsMapping() bool { return v.node.Kind == yaml.MappingNode }

// Take reads the member of that name, which is not an argument of a verb, into a
// field, and takes it away.
func (v *Value) Take(name string, field any) error {
	if m := v.take(name); m != nil {
		return m.into(field, name)
	}
	return nil
}

// TakeBatch takes the member of that name away and reads it as a list of ops. There
// is to be no other member any more.
func (v *Value) TakeBatch(name string) (*Batch, error) {
	list := v.take(name)
	for _, m := range v.members() {
		return nil, &ArgumentError{Name: m.name, Why: fmt.Sprintf("'apply' does not take it; it takes %s, dry_run, request", name)}
	}
	if list == nil || list.null() {
		return nil, &ArgumentError{Name: name, Why: "'apply' needs it"}
	}
	if list.node.Kind != yaml.SequenceNode {
		return nil, &ArgumentError{Name: name, Why: "it is to be a list of objects"}
	}
	b := &Batch{Format: records.FormatVersion}
	return b, b.readOps(list).err()
}

func (v *Value) take(name string) *Value {
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		if strings.ReplaceAll(v.node.Content[i].Value, "-", "_") == name {
			m := valueOf(v.node.Content[i+1])
			v.node.Content = slices.Delete(v.node.Content, i, i+2)
			return m
		}
	}
	return nil
}

func valueOf(n *yaml.Node) *Value {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return &Value{n}
}

func (v *Value) items() []*Value {
	var vs []*Value
	for _, n := range v.node.Content {
		vs = append(vs, valueOf(n))
	}
	return vs
}

func (v *Value) null() bool { return v.node.Kind == yaml.ScalarNode && v.node.ShortTag() == "!!null" }

// empty tells that a value says nothing.
func (v *Value) empty() bool {
	return v.null() || v.node.Kind == yaml.ScalarNode && v.node.Value == "" || v.node.Kind != yaml.ScalarNode && len(v.node.Content) == 0
}

// into reads the value of an argument into its field.
func (v *Value) into(field any, name string) error {
	if field == nil || v.null() {
		return nil
	}
	var ok bool
	var want string
	switch f := field.(type) {
	case *string:
		want = "a string"
		*f, ok = v.text()
	case *[]string:
		want = "a list of strings"
		*f, ok = v.texts()
	case **int:
		want = "a whole number"
		if v.empty() {
			return nil
		}
		var n int
		n, ok = v.whole()
		*f = &n
	case *bool:
		want = "true or false"
		*f, ok = v.flag()
	case *map[string][]string:
		want = "an object of lists of ids"
		*f, ok = v.lists()
	case *[]Step:
		want = "a list of steps, each {do, verify}"
		*f, ok = v.steps()
	case *map[string]int:
		want = "an object of numbers"
		*f, ok = v.numbers()
	case *map[string]json.RawMessage:
		want = "an object"
		*f, ok = v.raw()
	}
	if !ok {
		return &ArgumentError{Name: name, Why: "it is to be " + want}
	}
	return nil
}

func (v *Value) text() (string, bool) {
	return v.node.Value, v.node.Kind == yaml.ScalarNode
}

// texts reads a list; a text alone is a list of one, and an empty one none.
func (v *Value) texts() ([]string, bool) {
	if v.node.Kind == yaml.ScalarNode {
		if v.node.Value == "" {
			return nil, true
		}
		return []string{v.node.Value}, true
	}
	if v.node.Kind != yaml.SequenceNode {
		return nil, false
	}
	var out []string
	for _, item := range v.items() {
		s, ok := item.text()
		if !ok || item.null() {
			return nil, false
		}
		out = append(out, s)
	}
	return out, true
}

func (v *Value) whole() (int, bool) {
	s, ok := v.text()
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(s), ".0"))
	return n, ok && err == nil
}

func (v *Value) flag() (bool, bool) {
	s, ok := v.text()
	switch s {
	case "true", "false", "":
		return s == "true", ok
	}
	return false, false
}

// lists reads links: ids by relation, whose names may have underscores.
func (v *Value) lists() (map[string][]string, bool) {
	if v.node.Kind != yaml.MappingNode {
		return nil, v.empty()
	}
	out := make(map[string][]string)
	for _, m := range v.members() {
		ids, ok := m.value.texts()
		if !ok {
			return nil, m.value.null()
		}
		name := strings.ReplaceAll(m.name, "_", "-")
		out[name] = append(out[name], ids...)
	}
	return out, true
}

func (v *Value) steps() ([]Step, bool) {
	if v.node.Kind != yaml.SequenceNode {
		return nil, v.empty()
	}
	var out []Step
	for _, item := range v.items() {
		if s, ok := item.text(); ok && !item.null() {
			out = append(out, ParseStep(s))
			continue
		}
		var s Step
		if item.node.Kind != yaml.MappingNode {
			return nil, false
		}
		for _, m := range item.members() {
			field, ok := map[string]*string{"id": &s.ID, "do": &s.Do, "verify": &s.Verify}[m.name]
			if !ok {
				return nil, false
			}
			if *field, ok = m.value.text(); !ok {
				return nil, false
			}
		}
		out = append(out, s)
	}
	return out, true
}

// ParseStep reads "DO :: VERIFY".
func ParseStep(s string) Step {
	do, verify, _ := strings.Cut(s, "::")
	return Step{Do: strings.TrimSpace(do), Verify: strings.TrimSpace(verify)}
}

func (v *Value) numbers() (map[string]int, bool) {
	if v.node.Kind != yaml.MappingNode {
		return nil, v.empty()
	}
	out := make(map[string]int)
	for _, m := range v.members() {
		n, ok := m.value.whole()
		if !ok {
			return nil, false
		}
		out[m.name] = n
	}
	return out, true
}

func (v *Value) raw() (map[string]json.RawMessage, bool) {
	if v.node.Kind != yaml.MappingNode {
		return nil, v.empty()
	}
	out := make(map[string]json.RawMessage)
	for _, m := range v.members() {
		var plain any
		if m.value.node.Decode(&plain) != nil {
			return nil, false
		}
		b, err := json.Marshal(plain)
		if err != nil {
			return nil, false
		}
		out[m.name] = b
	}
	return out, true
}

// Bounds refuses values that are larger than one call may hold: lists of more
// than members, texts of more than size bytes. Name is the argument's.
func (v *Value) Bounds(members, size int) error {
	for _, m := range v.members() {
		if err := m.value.bounds(m.name, members, size); err != nil {
			return err
		}
	}
	return nil
}

func (v *Value) bounds(name string, members, size int) error {
	n := 0
	var walk func(*yaml.Node) error
	walk = func(node *yaml.Node) error {
		if len(node.Value) > size {
			return &ArgumentError{Name: name, Why: fmt.Sprintf("it has %d bytes, and a whole record may have %d", len(node.Value), size)}
		}
		for i, c := range node.Content {
			if node.Kind == yaml.SequenceNode || i%2 == 1 {
				n++
			}
			if err := walk(c); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(v.node); err != nil {
		return err
	}
	if n > members {
		return &ArgumentError{Name: name, Why: fmt.Sprintf("it has %d members, and %d are the most: make several calls", n, members)}
	}
	return nil
}
