package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/records"
)

// An arg is one argument of a tool, or one property of its answer.
type arg struct {
	name  string
	form  form
	about string
	enum  []string
	need  bool
}

// A form is the shape of a value.
type form string

// The forms, most of them JSON Schema's types.
const (
	text    form = "string"
	whole   form = "integer"
	flag    form = "boolean"
	object  form = "object"
	texts   form = "strings"
	objects form = "objects"
	links   form = "links"  // of texts by relation
	values  form = "values" // any, by field
)

func (f form) schema() map[string]any {
	plain := func(t string) map[string]any { return map[string]any{"type": t} }
	switch f {
	case texts:
		return map[string]any{"type": "array", "items": plain("string")}
	case objects:
		return map[string]any{"type": "array", "items": plain("object")}
	case links:
		return map[string]any{"type": "object", "additionalProperties": texts.schema()}
	case values:
		return plain("object")
	}
	return plain(string(f))
}

// schemaOf is the JSON Schema of an object; closed ones have no other keys.
func schemaOf(args []arg, closed bool) json.RawMessage {
	props := make(map[string]any)
	var required []string
	for _, a := range args {
		p := a.form.schema()
		if a.about != "" {
			p["description"] = a.about
		}
		if a.enum != nil && a.form == texts {
			p["items"] = map[string]any{"type": "string", "enum": a.enum}
		} else if a.enum != nil {
			p["enum"] = a.enum
		}
		props[a.name] = p
		if a.need {
			required = append(required, a.name)
		}
	}
	s := map[string]any{"type": "object", "properties": props}
	if len(required) > 0 {
		s["required"] = required
	}
	if closed {
		s["additionalProperties"] = false
	}
	b, _ := json.Marshal(s) // of strings and maps: it cannot fail
	return b
}

// A tool is one tool: what clients are told of it, and what it does with A, the
// arguments decoded.
type tool[A any] struct {
	name, title, about string
	args               []arg
	answer             []arg // beside format and commit
	writes             bool
	run                func(s *Server, ctx context.Context, a A) (*reply, error)
}

// grammatical is implemented by arguments that are read by the grammar of verbs.
type grammatical interface {
	read(v *grammar.Value) error
}

// asksFirst is implemented by arguments of calls that the client's user is asked about.
type asksFirst interface {
	question(s *Server, ctx context.Context) (*question, error)
	agreed(client string)
}

// addTool offers a tool. In read mode one that writes is there to be refused only,
// and is taken off the list.
func addTool[A any](s *Server, t tool[A]) {
	no := false
	spec := mcp.Tool{Name: t.name, Description: t.about, RawInputSchema: schemaOf(t.args, true),
		RawOutputSchema: schemaOf(append([]arg{{name: "format", form: whole, need: true}, {name: "commit", form: text}}, t.answer...), false),
		Annotations: mcp.ToolAnnotation{Title: t.title, ReadOnlyHint: new(!t.writes), DestructiveHint: &no,
			IdempotentHint: new(!t.writes), OpenWorldHint: &no}}
	s.mcp.AddTool(spec, func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if t.writes && !s.opts.Write {
			return failure(&readModeError{t.name}), nil
		}
		var a A
		if err := decode(req, t.args, &a); err != nil {
			return failure(err), nil
		}
		if asks, ok := any(&a).(asksFirst); ok {
			if res, err := s.confirm(ctx, req, asks); err != nil || res != nil {
				return orFailure(res, err), nil
			}
		}
		r, err := t.run(s, ctx, a)
		if !t.writes && nothingYet(err) {
			r, err = s.emptyReply(ctx, t.answer), nil
		}
		if err != nil {
			return failure(err), nil
		}
		return r.result()
	})
}

func orFailure(res *mcp.CallToolResult, err error) *mcp.CallToolResult {
	if err != nil {
		return failure(err)
	}
	return res
}

// A readModeError refuses a tool that writes.
type readModeError struct{ tool string }

func (e *readModeError) Error() string {
	return fmt.Sprintf("tool '%s' writes, and this server was started to read only", e.tool)
}

// An argumentError says which argument of a call will not do.
type argumentError struct {
	name  string
	why   string
	legal []string
}

func (e *argumentError) Error() string { return fmt.Sprintf("argument '%s': %s", e.name, e.why) }

// decode reads a call's arguments, and says in words what is wrong with them.
func decode(req mcp.CallToolRequest, args []arg, into any) error {
	raw, ok := req.GetRawArguments().(json.RawMessage)
	if !ok || len(bytes.TrimSpace(raw)) == 0 {
		var err error
		if raw, err = json.Marshal(req.GetArguments()); err != nil {
			return fmt.Errorf("arguments: %w", err)
		}
	}
	if g, ok := into.(grammatical); ok {
		return readCall(raw, g)
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return errors.New("arguments: they are not a JSON object")
	}
	known := make(map[string]arg)
	for _, a := range args {
		known[a.name] = a
		if v, ok := given[a.name]; a.need && (!ok || string(v) == "null" || string(v) == `""`) {
			return &argumentError{name: a.name, why: "it is needed", legal: a.enum}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		a, ok := known[name]
		if !ok {
			return &argumentError{name: name, why: "there is none of that name", legal: slices.Sorted(maps.Keys(known))}
		}
		if err := a.check(given[name]); err != nil {
			return err
		}
	}
	err := json.Unmarshal(raw, into)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return &argumentError{name: wrong.Field, why: fmt.Sprintf("a JSON %s will not do", wrong.Value)}
	}
	return err
}

// readCall reads the arguments of a call by the grammar, within the bounds of one.
func readCall(raw json.RawMessage, into grammatical) error {
	v, err := grammar.ParseJSON(raw)
	if err != nil || !v.IsMapping() {
		return errors.New("arguments: they are not a JSON object")
	}
	if err := v.Bounds(mostMembers, records.MaxSize); err != nil {
		return err
	}
	return into.read(v)
}

// check refuses a value of another form, or a word that is not among those there are.
func (a arg) check(v json.RawMessage) error {
	if string(v) == "null" {
		return nil
	}
	want := map[form]string{text: "a string", whole: "a whole number", flag: "true or false", object: "an object",
		texts: "a list of strings", objects: "a list of objects", links: "an object of lists of ids", values: "an object"}[a.form]
	var err error
	var words []string
	switch a.form {
	case text:
		words = make([]string, 1)
		err = json.Unmarshal(v, &words[0])
	case texts:
		err = json.Unmarshal(v, &words)
	case whole:
		err = json.Unmarshal(v, new(int))
	case flag:
		err = json.Unmarshal(v, new(bool))
	case objects:
		err = json.Unmarshal(v, new([]map[string]json.RawMessage))
	case links:
		err = json.Unmarshal(v, new(map[string][]string))
	default:
		err = json.Unmarshal(v, new(map[string]json.RawMessage))
	}
	if err != nil {
		return &argumentError{name: a.name, why: "it is to be " + want}
	}
	if members := membersOf(a.form, v); members > mostMembers {
		return &argumentError{name: a.name, why: fmt.Sprintf("it has %d members, and %d are the most: make several calls", members, mostMembers)}
	}
	for _, w := range words {
		if len(w) > records.MaxSize {
			return &argumentError{name: a.name, why: fmt.Sprintf("it has %d bytes, and a whole record may have %d", len(w), records.MaxSize)}
		}
		if a.enum != nil && w != "" && !slices.Contains(a.enum, w) {
			return &argumentError{name: a.name, why: fmt.Sprintf("'%s' is none of the words it takes", shorten(w)), legal: a.enum}
		}
	}
	return nil
}

// mostMembers is how many members a list or an object in a call has, ops of a batch
// among them: a longer batch would keep other writers waiting.
const mostMembers = 1000

// membersOf counts the members of a list or an object, and of the lists in it.
func membersOf(f form, v json.RawMessage) int {
	switch f {
	case texts, objects:
		var list []json.RawMessage
		_ = json.Unmarshal(v, &list) // check has read it
		return len(list)
	case links:
		var lists map[string][]string
		_ = json.Unmarshal(v, &lists)
		n := 0
		for _, l := range lists {
			n += 1 + len(l)
		}
		return n
	case values, object:
		var m map[string]json.RawMessage
		_ = json.Unmarshal(v, &m)
		return len(m)
	}
	return 0
}

// shorten keeps what is quoted back to a client short.
func shorten(s string) string {
	const most = 80
	return strings.ToValidUTF8(cut(s, most), "?")
}

// addTools offers the tools, those that read first.
func (s *Server) addTools(hooks *server.Hooks) {
	addTool(s, packetTool())
	addTool(s, searchTool())
	addTool(s, showTool())
	addTool(s, listTool())
	addTool(s, nextTool())
	addTool(s, auditTool())
	addTool(s, whyTool())
	addTool(s, statusTool())
	addTool(s, addRecordTool())
	addTool(s, updateTool())
	addTool(s, applyTool())
	addTool(s, checkpointTool())
	if s.opts.Write {
		return
	}
	hooks.AddAfterListTools(func(_ context.Context, _ any, _ *mcp.ListToolsRequest, res *mcp.ListToolsResult) {
		res.Tools = slices.DeleteFunc(res.Tools, func(t mcp.Tool) bool {
			return t.Annotations.ReadOnlyHint != nil && !*t.Annotations.ReadOnlyHint
		})
	})
}
