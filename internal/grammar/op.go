package grammar

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/git-ctx/git-ctx/records"
)

// An Op is one verb with everything it was given, by the names of the arguments.
type Op struct {
	Verb string   `json:"verb"`
	ID   string   `json:"id,omitempty"`  // the record a verb is about
	IDs  []string `json:"ids,omitempty"` // or those
	By   string   `json:"by,omitempty"`  // what they are superseded by
	As   string   `json:"as,omitempty"`  // name for later ops: $name

	Kind          string              `json:"kind,omitempty"`
	Title         string              `json:"title,omitempty"`
	Body          string              `json:"body,omitempty"`
	Type          string              `json:"type,omitempty"`
	Text          string              `json:"text,omitempty"`
	Question      string              `json:"question,omitempty"`
	Options       []string            `json:"options,omitempty"`
	When          string              `json:"when,omitempty"`
	Signals       []string            `json:"signals,omitempty"`
	Preconditions []string            `json:"preconditions,omitempty"`
	Steps         []Step              `json:"steps,omitempty"`
	Escalation    string              `json:"escalation,omitempty"`
	References    []string            `json:"references,omitempty"`
	Source        string              `json:"source,omitempty"`
	Confidence    string              `json:"confidence,omitempty"`
	Impact        string              `json:"impact,omitempty"`
	Cost          string              `json:"cost,omitempty"`
	Strength      string              `json:"strength,omitempty"`
	Priority      *int                `json:"priority,omitempty"`
	Tags          []string            `json:"tags,omitempty"`
	Paths         []string            `json:"paths,omitempty"`
	Anchors       []string            `json:"anchors,omitempty"` // PATH[:A-B]
	Links         map[string][]string `json:"links,omitempty"`
	ValidFrom     string              `json:"valid-from,omitempty"`
	ValidUntil    string              `json:"valid-until,omitempty"`

	// Untag, Unpath and Clear take away, in an edit.
	Untag  []string `json:"untag,omitempty"`
	Unpath []string `json:"unpath,omitempty"`
	Clear  []string `json:"clear,omitempty"`

	Reason   string   `json:"reason,omitempty"`
	Cites    []string `json:"cites,omitempty"`
	Evidence string   `json:"evidence,omitempty"`
	Despite  []string `json:"despite,omitempty"`
	Learned  string   `json:"learned,omitempty"`
	Again    string   `json:"again,omitempty"`
	New      bool     `json:"new,omitempty"`

	// For is how long a claim lasts; Pick and Set settle fields in dispute, by the
	// number of a side and by a value.
	For  string                     `json:"for,omitempty"`
	Pick map[string]int             `json:"pick,omitempty"`
	Set  map[string]json.RawMessage `json:"set,omitempty"`
}

// A Step is a step of a runbook.
type Step struct {
	ID     string `json:"id,omitempty"`
	Do     string `json:"do"`
	Verify string `json:"verify,omitempty"`
}

// fields maps the name of each argument to the field of [Op] that holds it.
var fields = sync.OnceValue(func() map[string]int {
	m := make(map[string]int)
	t := reflect.TypeFor[Op]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		m[name] = i
	}
	return m
})

// Field returns a pointer to the field that holds an argument, nil for a name that
// is none.
func (op *Op) Field(name string) any {
	i, ok := fields()[name]
	if !ok {
		return nil
	}
	return reflect.ValueOf(op).Elem().Field(i).Addr().Interface()
}

// given lists the arguments that hold something, in the order of the fields.
func (op *Op) given() []string {
	v := reflect.ValueOf(op).Elem()
	var names []string
	for i := range v.NumField() {
		f := v.Field(i)
		if empty := f.IsZero() || (f.Kind() == reflect.Slice || f.Kind() == reflect.Map) && f.Len() == 0; !empty {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			names = append(names, name)
		}
	}
	return names
}

// Texts are the arguments of one text each that hold something, by name.
func (op *Op) Texts() map[string]string {
	texts := make(map[string]string)
	for _, name := range op.given() {
		if s, ok := op.Field(name).(*string); ok {
			texts[name] = *s
		}
	}
	return texts
}

// Records are the records that the op names, by whatever names the caller gave them.
func (op *Op) Records() []string {
	if op.ID != "" {
		return append([]string{op.ID}, op.IDs...)
	}
	return op.IDs
}

// Check reports what the op's verb does not take, and what it lacks; all of it, as
// [Faults]. Whether the values will do is not its question.
func (op *Op) Check() error {
	v := Lookup(op.Verb)
	if v == nil {
		return &VerbError{Verb: op.Verb, Tool: BatchTool()}
	}
	var fs Faults
	given := op.given()
	for _, name := range given {
		a, takes := v.Argument(name)
		switch {
		case name == "verb" || (name == "id" || name == "ids") && v.About > None:
		case !takes:
			fs = append(fs, v.refuse(name))
		case a.With != "" && !slices.Contains(given, a.With):
			fs = append(fs, &ArgumentError{Name: name, Why: fmt.Sprintf("'%s' takes it with '%s', which it belongs to", v.Name, a.With)})
		}
	}
	switch n := len(op.Records()); {
	case n == 0 && v.About >= One:
		fs = append(fs, v.needs("ids"))
	case n > 1 && v.About < Many && v.About > None:
		fs = append(fs, &ArgumentError{Name: "ids", Why: fmt.Sprintf("'%s' takes one record at a time", v.Name)})
	}
	for _, name := range v.Needs {
		if !slices.Contains(given, name) {
			fs = append(fs, v.needs(name))
		}
	}
	if op.Kind != "" {
		if _, err := records.ParseKind(op.Kind); err != nil {
			fs = append(fs, err)
		}
	}
	// Without another fault the record is looked at first: a verb that does not apply
	// to it needs no reason.
	if len(fs) > 0 && v.NeedsReason && strings.TrimSpace(op.Reason+op.Evidence) == "" {
		fs = append(fs, &ReasonError{records.Verb(v.Name)})
	}
	return fs.err()
}

// Takes is nil for what the verb of that name takes, and else the error that
// refuses it.
func Takes(verb, name string) error {
	v := Lookup(verb)
	if v == nil || slices.Contains(v.names(), name) || name == "id" && v.About > None {
		return nil
	}
	return v.refuse(name)
}

func (v *Verb) refuse(name string) error {
	takes := strings.Join(v.names(), ", ")
	if takes == "" {
		takes = "nothing"
	}
	return &ArgumentError{Name: name, Why: fmt.Sprintf("'%s' does not take it; it takes %s", v.Name, takes)}
}

func (v *Verb) needs(name string) error {
	if name == "title" {
		return &EmptyError{Field: name}
	}
	return &ArgumentError{Name: name, Why: fmt.Sprintf("'%s' needs it", v.Name)}
}

// An ArgumentError says which argument of a call will not do, and why.
type ArgumentError struct{ Name, Why string }

func (e *ArgumentError) Error() string { return fmt.Sprintf("argument '%s': %s", e.Name, e.Why) }

// An EmptyError refuses a value in which nothing can be seen.
type EmptyError struct{ Field, Value string }

func (e *EmptyError) Error() string {
	s := fmt.Sprintf("%s '%s': it is empty", e.Field, e.Value)
	if e.Field == "title" {
		s += ": say in one line what it is"
	}
	return s
}

// A VerbError refuses a verb that a tool does not take.
type VerbError struct {
	Verb string
	Tool Tool
}

func (e *VerbError) Error() string {
	if e.Verb == "" {
		return fmt.Sprintf("argument 'verb': '%s' needs it", e.Tool.Name)
	}
	return fmt.Sprintf("'%s' is not a verb that '%s' takes", e.Verb, e.Tool.Name)
}

// A ReasonError says that a verb needs a reason.
type ReasonError struct{ Verb records.Verb }

func (e *ReasonError) Error() string { return fmt.Sprintf("'%s' needs a reason", e.Verb) }

// Faults are all that is wrong with one call.
type Faults []error

func (fs Faults) Error() string {
	ss := make([]string, len(fs))
	for i, f := range fs {
		ss[i] = f.Error()
	}
	return strings.Join(ss, "; ")
}

// Unwrap returns the faults, for [errors.As].
func (fs Faults) Unwrap() []error { return fs }

// err is nil without a fault, and one alone by itself.
func (fs Faults) err() error {
	switch len(fs) {
	case 0:
		return nil
	case 1:
		return fs[0]
	}
	return fs
}
