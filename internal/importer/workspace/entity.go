package workspace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/internal/importer"
)

// An entity is one object of a CTX workspace.
type entity struct {
	kind string // the name of its array
	id   string
	file string
	m    map[string]any
}

// decodeJSON reads one document of a file, without a mark of byte order.
func decodeJSON(file string, src []byte, into any) error {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	if i := importer.InvalidUTF8(src); i >= 0 {
		return located(file, src, i, "invalid UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(src))
	dec.UseNumber()
	err := dec.Decode(into)
	if err == nil && len(bytes.TrimSpace(src[dec.InputOffset():])) > 0 {
		return located(file, src, int(dec.InputOffset()), "text after the end")
	}
	if se := (*json.SyntaxError)(nil); errors.As(err, &se) {
		return located(file, src, max(int(se.Offset)-1, 0), "not JSON: "+se.Error())
	}
	if te := (*json.UnmarshalTypeError)(nil); errors.As(err, &te) {
		return located(file, src, int(te.Offset), fmt.Sprintf("a JSON %s where another value belongs", te.Value))
	}
	if err != nil {
		return located(file, src, len(src), "not JSON: "+err.Error())
	}
	return nil
}

func located(file string, src []byte, offset int, msg string) error {
	offset = min(offset, len(src))
	return &importer.SyntaxError{
		Path: file, Line: bytes.Count(src[:offset], []byte("\n")) + 1, Col: offset - bytes.LastIndexByte(src[:offset], '\n'), Msg: msg,
	}
}

// idOf reads an id, which is an object with a value, a bare string, or null.
func idOf(v any) string {
	if m, ok := v.(map[string]any); ok {
		v = m["value"]
	}
	s, _ := v.(string)
	return s
}

func (e *entity) text(key string) string {
	s, _ := e.m[key].(string)
	return s
}

func (e *entity) ref(key string) string { return idOf(e.m[key]) }

func (e *entity) refs(key string) []string {
	list, _ := e.m[key].([]any)
	var out []string
	for _, v := range list {
		if id := idOf(v); id != "" && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

func (e *entity) texts(key string) []string {
	list, _ := e.m[key].([]any)
	var out []string
	for _, v := range list {
		if s, ok := v.(string); ok && strings.TrimSpace(s) != "" {
			out = append(out, s)
		}
	}
	return out
}

func (e *entity) list(key string) []map[string]any {
	list, _ := e.m[key].([]any)
	var out []map[string]any
	for _, v := range list {
		if m, ok := v.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// number reads a number; absent and null are legal.
func (e *entity) number(key string) (float64, bool) {
	n, ok := e.m[key].(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}

// enum reads one of the values of an enumeration, the first where it is absent.
// [checkEnums] refused those out of range.
func (e *entity) enum(key string) int {
	f, _ := e.number(key)
	return int(f)
}

func (e *entity) trace() *entity {
	m, _ := e.m["trace"].(map[string]any)
	return &entity{kind: e.kind, id: e.id, file: e.file, m: m}
}

// when reads a time, cut to whole seconds.
func (e *entity) when(key string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, e.text(key))
	if err != nil {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Second)
}

// enums are how many values each enumeration of each kind has.
var enums = map[string]map[string]int{
	"goals":       {"state": 6},
	"epics":       {"state": 4},
	"tasks":       {"state": 5},
	"hypotheses":  {"state": 5, "branchState": 5, "branchRole": 3},
	"evidence":    {"state": 6, "kind": 5},
	"decisions":   {"state": 4},
	"conclusions": {"state": 3},
	"runbooks":    {"state": 6, "kind": 4},
	"triggers":    {"state": 6, "kind": 5},
}

// checkEnums refuses a value that no enumeration has: it is not guessed at.
func (e *entity) checkEnums() error {
	for _, key := range []string{"state", "kind", "branchState", "branchRole"} {
		n, has := enums[e.kind][key]
		if !has || e.m[key] == nil {
			continue
		}
		v, ok := e.m[key].(json.Number)
		i, err := v.Int64()
		if !ok || err != nil || i < 0 || int(i) >= n {
			return fmt.Errorf("%s: %s '%s': %s %v is not one of 0 to %d", e.file, e.kind, e.id, key, e.m[key], n-1)
		}
	}
	return nil
}

// known are the keys that the import reads, or knows to be derived.
var known = map[string][]string{
	"":            {"id", "trace", "state"},
	"goals":       {"title", "description", "parentGoalId", "taskIds", "priority"},
	"epics":       {"title", "description", "goalIds", "promotedTaskIds"},
	"tasks":       {"title", "description", "goalId", "dependsOnTaskIds", "parentTaskId", "hypothesisIds"},
	"hypotheses":  {"statement", "rationale", "confidence", "impact", "costToValidate", "evidenceStrength", "probability", "score", "taskIds", "evidenceIds", "branchState", "branchRole", "lineageGroupId", "relations", "mergedIntoHypothesisId", "supersedesHypothesisIds", "parentHypothesisIds"},
	"evidence":    {"title", "summary", "source", "kind", "confidence", "supports"},
	"decisions":   {"title", "rationale", "hypothesisIds", "evidenceIds"},
	"conclusions": {"summary", "evidenceIds", "decisionIds", "goalIds", "taskIds"},
	"runbooks":    {"title", "kind", "whenToUse", "triggers", "failureSignals", "preconditions", "do", "verify", "escalationBoundary", "references", "goalIds", "taskIds"},
	"triggers":    {"summary", "text", "kind", "fingerprint", "taskIds", "goalIds", "operationalRunbookIds"},
}

// derived are the keys that follow from others: no part of what an entity says.
var derived = map[string][]string{
	"goals": {"taskIds"}, "tasks": {"hypothesisIds"}, "hypotheses": {"evidenceIds", "score", "probability"},
}

// digest covers what the entity says, not what moves with others.
func (e *entity) digest() string {
	kept := make(map[string]any, len(e.m))
	for k, v := range e.m {
		if !slices.Contains(derived[e.kind], k) {
			kept[k] = v
		}
	}
	if tr, ok := e.m["trace"].(map[string]any); ok {
		c := make(map[string]any, len(tr))
		for k, v := range tr {
			if k != "updatedAtUtc" && k != "updatedBy" {
				c[k] = v
			}
		}
		kept["trace"] = c
	}
	b, err := json.Marshal(kept) // sorts the keys; what was decoded from JSON encodes
	if err != nil {
		return ""
	}
	return importer.Digest(b)
}
