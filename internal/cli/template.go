package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/records"
)

// fieldHints is what the template of a new record says about each field a kind
// may have beside title and body: an example, as YAML.
func fieldHints() map[string]string {
	return map[string]string{
		"type": "", "question": "the question it answers", "options": "[one option, another]",
		"confidence": "0.7", "impact": "0.5", "cost": "0.2", "strength": "0.8", "priority": "2",
		"source": "where it comes from", "text": "the prompt or event", "when": "when to follow it",
		"signals": "[words that show it is needed]", "preconditions": "[what must hold first]",
		"steps": "[{do: what to do, verify: how to see that it worked}]", "escalation": "what to do when it fails", "references": "[documents to read with it]",
	}
}

// editOp lets the user write a new record in the editor, from a template that
// holds what the flags gave, and hands the result to add.
func (e *Env) editOp(ctx context.Context, s *records.Schema, op grammar.Op, add func(grammar.Op) error) error {
	text, err := addTemplate(s, op)
	if err != nil {
		return err
	}
	return e.inEditor(ctx, text, func(text []byte) error {
		edited, err := parseOp(text, op)
		if err != nil {
			return err
		}
		if strings.TrimSpace(edited.Title) == "" {
			e.note("aborting: empty title")
			return errNo
		}
		return add(edited)
	})
}

// addTemplate is the text in which a new record is written.
func addTemplate(s *records.Schema, op grammar.Op) ([]byte, error) {
	given, err := opNode(op)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# A new %s: %s.\n", s.Kind, s.Purpose)
	b.WriteString("# A line that starts with '#' is left out; an empty title records nothing.\n")
	if op.Title == "" {
		b.WriteString("title:\n")
	}
	has := make(map[string]bool)
	for i := 0; i+1 < len(given.Items); i += 2 {
		has[given.Items[i].Text] = true
	}
	if len(given.Items) > 0 {
		b.Write(yamlText(given))
	}
	if !has["body"] {
		b.WriteString("body: |\n\n")
	}
	b.WriteString("# To give more, take the '#' away:\n")
	hint := func(field, example string) {
		if !has[field] && !(field == "links" && has["links"]) {
			fmt.Fprintf(&b, "#%s: %s\n", field, example)
		}
	}
	for _, field := range s.Fields {
		example := fieldHints()[field]
		if field == "type" {
			example = strings.Join(s.Types, " | ")
		}
		hint(field, example)
	}
	hint("tags", "[tag]")
	hint("paths", "[internal/cache/**]")
	hint("anchors", "[internal/cache/lru.go:40-58]")
	var rels []string
	for _, r := range relationFlags[s.Kind] {
		rels = append(rels, string(r.rel)+": [ID]")
	}
	hint("links", "{"+strings.Join(rels, ", ")+"}")
	return b.Bytes(), nil
}

// opNode is an op's fields as YAML, without what the command line settled.
func opNode(op grammar.Op) (*records.Value, error) {
	op.Verb, op.Kind, op.New, op.Again = "", "", false, ""
	data, err := json.Marshal(op)
	if err != nil {
		return nil, fmt.Errorf("write the template: %w", err)
	}
	top, err := records.ParseValue(data)
	if err != nil {
		return nil, fmt.Errorf("write the template: %w", err)
	}
	top.Items = top.Items[2:] // the verb, which is always there
	return top, nil
}

// parseOp reads an edited template; what the command line settled comes from op.
func parseOp(text []byte, op grammar.Op) (grammar.Op, error) {
	out, err := grammar.ParseFields(text, op.Verb)
	if err != nil {
		return out, fmt.Errorf("read the edited text: %w", err)
	}
	out.Verb, out.Kind, out.New, out.Again = op.Verb, op.Kind, op.New, op.Again
	if strings.TrimSpace(out.Body) == "" {
		out.Body = ""
	}
	return out, nil
}
