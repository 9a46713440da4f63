package grammar

import (
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// sample gives a field of an op something to hold.
func sample(op *Op, name string) {
	switch f := op.Field(name).(type) {
	case *string:
		*f = "x"
	case *bool:
		*f = true
	default:
		v := reflect.ValueOf(f).Elem()
		switch v.Kind() {
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		case reflect.Map:
			v.Set(reflect.MakeMap(v.Type()))
			v.SetMapIndex(reflect.ValueOf("x"), reflect.Zero(v.Type().Elem()))
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
		}
	}
}

// complete is a call of a verb with what it needs and no more.
func complete(v *Verb) Op {
	op := Op{Verb: v.Name}
	if v.About >= One {
		op.ID = "task-1"
	}
	for _, name := range v.Needs {
		sample(&op, name)
	}
	if slices.Contains(v.Needs, "kind") {
		op.Kind = "task"
	}
	return op
}

func TestTable(t *testing.T) {
	for _, v := range Verbs() {
		if v.Purpose == "" || v.Agents == "" || Lookup(v.Name) == nil {
			t.Errorf("%s: it lacks a purpose, or what it is in an agent's hands", v.Name)
		}
		for _, a := range v.Takes {
			if new(Op).Field(a.Name) == nil {
				t.Errorf("%s: no field holds '%s'", v.Name, a.Name)
			}
			if _, ok := v.Argument(a.With); a.With != "" && !ok {
				t.Errorf("%s: '%s' belongs to '%s', which it does not take", v.Name, a.Name, a.With)
			}
		}
		for _, name := range v.Needs {
			if _, ok := v.Argument(name); !ok {
				t.Errorf("%s: it needs '%s', which it does not take", v.Name, name)
			}
		}
	}
}

// TestTakes asks every verb for every argument: it is taken, or refused by name with
// what the verb takes.
func TestTakes(t *testing.T) {
	refused := 0
	for _, v := range Verbs() {
		op := complete(v)
		if err := op.Check(); err != nil {
			t.Errorf("%s, the control: %v", v.Name, err)
		}
		for name := range fields() {
			if name == "verb" || name == "id" || name == "ids" {
				continue
			}
			op := complete(v)
			if name != "kind" || op.Kind == "" {
				sample(&op, name)
			}
			if a, ok := v.Argument(name); ok && a.With != "" {
				sample(&op, a.With)
			}
			err := op.Check()
			if _, ok := v.Argument(name); ok {
				if err != nil {
					t.Errorf("%s takes %s: %v", v.Name, name, err)
				}
				continue
			}
			refused++
			if err == nil || !strings.Contains(err.Error(), "argument '"+name+"': '"+v.Name+"' does not take it; it takes ") {
				t.Errorf("%s does not take %s: %v", v.Name, name, err)
			}
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
}

func TestBelongs(t *testing.T) {
	op := Op{Verb: "support", ID: "hyp-1", Type: "benchmark"}
	if err := op.Check(); err == nil || !strings.Contains(err.Error(), "argument 'type': 'support' takes it with 'evidence'") {
		t.Error(err)
	}
	op.Evidence = "seen"
	if err := op.Check(); err != nil {
		t.Error(err)
	}
}

// TestReadsAlike reads what means the same, however it is written.
func TestReadsAlike(t *testing.T) {
	two := 2
	for _, c := range []struct {
		texts []string
		want  Op
	}{
		{[]string{
			`[{"verb":"add","kind":"task","title":"t","priority":2,"valid-until":"2027-01-01","tags":["a"],"confidence":"0.5"}]`,
			`[{"verb":"add","kind":"task","title":"t","priority":"2","valid_until":"2027-01-01","tags":"a","confidence":0.5}]`,
			`[{"verb":"add","kind":"task","title":"t","priority":2.0,"valid_until":"2027-01-01","tags":["a"],"confidence":0.5,"body":null,"paths":[],"learned":""}]`,
			"- {verb: add, kind: task, title: t, priority: 2, valid_until: 2027-01-01, tags: a, confidence: 0.5}",
		}, Op{Verb: "add", Kind: "task", Title: "t", Priority: &two, ValidUntil: "2027-01-01", Tags: []string{"a"}, Confidence: "0.5"}},
		{[]string{
			`[{"verb":"link","ids":["a"],"links":{"depends-on":["b"]}}]`,
			`[{"verb":"link","ids":"a","links":{"depends_on":"b"}}]`,
			"- {verb: link, ids: a, links: {depends_on: b}}",
		}, Op{Verb: "link", IDs: []string{"a"}, Links: map[string][]string{"depends-on": {"b"}}}},
		{[]string{
			`[{"verb":"add","kind":"runbook","title":"a \ud83d\ude00","steps":["do :: see"]}]`,
			`[{"verb":"add","kind":"runbook","title":"a 😀","steps":[{"do":"do","verify":"see"}]}]`,
			"- {verb: add, kind: runbook, title: a 😀, steps: [{do: do, verify: see}]}",
		}, Op{Verb: "add", Kind: "runbook", Title: "a 😀", Steps: []Step{{Do: "do", Verify: "see"}}}},
	} {
		for _, text := range c.texts {
			b, err := ParseBatch([]byte(text))
			if err != nil {
				t.Errorf("%s: %v", text, err)
			} else if !reflect.DeepEqual(b.Ops[0], c.want) {
				t.Errorf("%s:\n%+v\nwant\n%+v", text, b.Ops[0], c.want)
			}
		}
	}
}

// TestAllFaults wants all that is wrong with a batch in one error, JSON or YAML.
func TestAllFaults(t *testing.T) {
	for _, text := range []string{
		`[{"verb":"start","id":"a","learned":"x","colour":"red","reason":["no"]},{"verb":"refute"},{"verb":"forget","id":"a"},{"verb":"done","id":"a","learned":"x"},7]`,
		"[{verb: start, id: a, learned: x, colour: red, reason: [no]}, {verb: refute}, {verb: forget, id: a}, {verb: done, id: a, learned: x}, 7]",
	} {
		_, err := ParseBatch([]byte(text))
		var fs Faults
		if !errors.As(err, &fs) || len(fs) != 7 {
			t.Fatalf("%d faults: %v", len(fs), err)
		}
		for i, want := range []string{
			"op 1 (start): argument 'reason': it is to be a string",
			"op 1 (start): argument 'colour': 'start' does not take it; it takes ids, reason, cites",
			"op 1 (start): argument 'learned': 'start' does not take it; it takes ids, reason, cites",
			"op 2 (refute): argument 'ids': 'refute' needs it",
			"op 2 (refute): 'refute' needs a reason",
			"op 3 (forget): 'forget' is not a verb that 'apply' takes",
			"op 5: line 1: it is not a mapping",
		} {
			if !strings.HasPrefix(fs[i].Error(), want) {
				t.Errorf("fault %d: %v, want %s", i, fs[i], want)
			}
		}
	}
}

func TestGivenTwice(t *testing.T) {
	for _, text := range []string{`[{"verb":"start","id":"a","id":"b"}]`, `[{"verb":"edit","id":"a","valid-from":"2027","valid_from":"2028"}]`, `{"ops":[],"ops":[]}`} {
		if _, err := ParseBatch([]byte(text)); err == nil || !strings.Contains(err.Error(), "given twice") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// FuzzParseBatch wants of any text a batch or an error.
func FuzzParseBatch(f *testing.F) {
	for _, s := range []string{"[]", `{"ops":[{"verb":"start","ids":["a"]}]}`, "- &a {verb: edit, id: x, tags: [*a]}", "ops: [{verb: link, links: {a: [b]}}]\nrecords: []", `[{"verb":"resolve","set":{"a":{"b":[1,null]}}}]`, "&a [*a]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if b, err := ParseBatch(data); (b == nil) == (err == nil) {
			t.Errorf("%v, %v", b, err)
		}
	})
}

// TestDocumented holds the table of verbs in the documents to this one.
func TestDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/design/verbs.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := Table(); !strings.Contains(string(page), want) {
		t.Errorf("docs/design/verbs.md lacks the table of verbs as it is:\n%s", want)
	}
}
