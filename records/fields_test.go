package records

import (
	"reflect"
	"strings"
	"testing"
)

// The table has every field of the struct, so that nothing driven by it leaves one out.
func TestFieldTableIsComplete(t *testing.T) {
	names := make(map[string]bool)
	for f := range reflect.TypeFor[Record]().Fields() {
		if f.Name == "Extra" {
			continue
		}
		name := strings.ToLower(f.Name)
		names[name] = true
		if ruleOf(name) == nil {
			t.Errorf("no rule for field %s", f.Name)
		}
	}
	for _, rule := range fieldRules {
		if !names[rule.name] {
			t.Errorf("rule %s is of no field", rule.name)
		}
		if shares := sharesMemory(rule.name); shares != (rule.clone != nil) {
			t.Errorf("%s: shares memory when assigned is %t, has a way to be cloned is %t", rule.name, shares, rule.clone != nil)
		}
	}
	for _, s := range Schemas() {
		for _, name := range s.Fields {
			if rule := ruleOf(name); rule == nil || !rule.ofKind {
				t.Errorf("%s has the field %s, which the table does not know as one of some kinds", s.Kind, name)
			}
		}
	}
}

func TestTableOfFieldsSortsThem(t *testing.T) {
	for name, want := range map[string]bool{"title": true, "links": true, "tags": true, "x-other": true,
		"id": false, "created": false, "origin": false, "verdict": false, "also": false, "challenges": false} {
		if got := IsContent(name); got != want {
			t.Errorf("IsContent(%q) = %t", name, got)
		}
	}
	for name, want := range map[string]bool{"state": true, "reason": true, "despite": true, "n": false, "after": false, "sig": false} {
		if got := TellsChange(name); got != want {
			t.Errorf("TellsChange(%q) = %t", name, got)
		}
	}
	var r Record
	if !r.SetText("question", "Which?") || r.Question != "Which?" || r.SetText("options", "Which?") || r.SetText("id", "dec-1") {
		t.Errorf("set: %+v", r)
	}
}

func sharesMemory(name string) bool {
	f, _ := reflect.TypeFor[Record]().FieldByNameFunc(func(s string) bool { return strings.EqualFold(s, name) })
	switch f.Type.Kind() {
	case reflect.Slice, reflect.Map, reflect.Pointer:
		return true
	}
	return false
}
