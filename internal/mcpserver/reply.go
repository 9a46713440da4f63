package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	escape "github.com/git-ctx/git-ctx/internal/text"
)

// mostReply is how many bytes the JSON of a reply has at most. Hosts cut what is
// longer, at a place that nobody chose.
const mostReply = 24 << 10

// A reply is what a tool answers: the facts, and the same as text where that says
// more in fewer words than their JSON.
type reply struct {
	facts any
	text  string
}

// A page tells whether a list goes on, and from where.
type page struct {
	Truncated  bool   `json:"truncated"`
	NextCursor string `json:"next_cursor,omitempty"`
}

// result makes the protocol's result, within the bound whatever the facts hold.
func (r *reply) result() (*mcp.CallToolResult, error) {
	facts, err := bounded(r.facts, mostReply)
	if err != nil {
		return nil, err
	}
	if r.text == "" {
		r.text = string(facts)
	}
	return mcp.NewToolResultStructured(facts, r.text), nil
}

// bounded encodes a value; where that is too long, its long texts and lists are cut.
func bounded(v any, most int) (json.RawMessage, error) {
	b, err := encode(v)
	if err != nil || len(b) <= most {
		return b, err
	}
	var tree map[string]any
	if err := json.Unmarshal(b, &tree); err != nil {
		return nil, fmt.Errorf("bound the reply: %w", err)
	}
	for keep := most / 8; keep > 0; keep /= 2 {
		cut := clip(tree, keep).(map[string]any)
		cut["truncated"] = true
		if b, err = encode(cut); err != nil || len(b) <= most {
			return b, err
		}
	}
	return nil, fmt.Errorf("bound the reply: its parts are too many")
}

// clip cuts texts to keep bytes and lists and objects to keep/16 members, to any depth.
func clip(v any, keep int) any {
	members := max(keep/16, 4)
	switch v := v.(type) {
	case string:
		if len(v) > keep {
			r := []rune(v)
			return string(r[:min(len(r), keep/2)]) + fmt.Sprintf("… [cut: %d characters in all]", len(r))
		}
	case []any:
		out := make([]any, 0, min(len(v), members))
		for i, e := range v {
			if i == members {
				return append(out, fmt.Sprintf("… [cut: %d in all]", len(v)))
			}
			out = append(out, clip(e, keep))
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			if len(out) == max(members, 64) {
				break
			}
			out[k] = clip(e, keep)
		}
		return out
	}
	return v
}

// fits tells how many of the items a reply has room for: one at least, so that
// every page goes on.
func fits[T any](items []T) (int, error) {
	const forTheRest = 1 << 10
	size := forTheRest
	for i, it := range items {
		b, err := encode(it)
		if err != nil {
			return 0, err
		}
		if size += len(b) + 1; size > mostReply && i > 0 {
			return i, nil
		}
	}
	return len(items), nil
}

// encode is JSON without escapes that only HTML needs, and with those that show a
// model what it could not see.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	return escape.JSON(bytes.TrimRight(b.Bytes(), "\n")), nil
}
