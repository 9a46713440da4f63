package records

import (
	"iter"

	"gopkg.in/yaml.v3"
)

// Texts yields what people and agents wrote into the record, a value at a time, by
// the field that it stands in, as in "verdict.reason": a list's items each by themselves, the
// sides of a conflict under the conflicted field. Ids, states, instants, numbers,
// digests, signatures and names of people are left out. A value of a key that this
// version does not know comes with that key, as "key: value".
func (r *Record) Texts() iter.Seq2[string, string] {
	return func(yield func(field, text string) bool) {
		t := &texts{yield: yield}
		for _, s := range []struct{ field, text string }{
			{"title", r.Title}, {"body", r.Body}, {"text", r.Text}, {"question", r.Question},
			{"when", r.When}, {"escalation", r.Escalation}, {"source", r.Source},
		} {
			t.add(s.field, s.text)
		}
		for _, l := range []struct {
			field string
			texts []string
		}{
			{"options", r.Options}, {"signals", r.Signals}, {"preconditions", r.Preconditions}, {"tags", r.Tags}, {"paths", r.Paths},
		} {
			t.add(l.field, l.texts...)
		}
		t.judgements(r)
		for _, s := range r.Steps {
			t.add("steps.do", s.Do)
			t.add("steps.verify", s.Verify)
		}
		for _, a := range r.Anchors {
			t.add("anchors.path", a.Path)
		}
		for _, f := range r.Files {
			t.add("files.name", f.Name)
		}
		if r.Origin != nil {
			t.add("origin.system", r.Origin.System)
			t.add("origin.key", r.Origin.Key)
		}
		for _, c := range r.Conflicts {
			for _, n := range append(c.Bases[:len(c.Bases):len(c.Bases)], c.Sides...) {
				t.node(c.Field, "", n)
			}
		}
		for _, f := range r.Extra {
			t.node(f.Name, f.Name, f.Value)
		}
	}
}

// texts hands out values until the caller has enough.
type texts struct {
	yield func(field, text string) bool
	ended bool
}

func (t *texts) add(field string, texts ...string) {
	for _, s := range texts {
		if s != "" && !t.ended {
			t.ended = !t.yield(field, s)
		}
	}
}

func (t *texts) judgements(r *Record) {
	if r.Verdict != nil {
		t.add("verdict.reason", r.Verdict.Reason)
	}
	for _, v := range r.Also {
		t.add("also.reason", v.Reason)
	}
	if r.Tombstone != nil {
		t.add("tombstone.reason", r.Tombstone.Reason)
	}
}

// node hands out the scalars of a value of any form, each with its key. A known
// field's own keys name parts that are no text.
func (t *texts) node(field, key string, n *yaml.Node) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			t.node(field, n.Content[i].Value, n.Content[i+1])
		}
	case yaml.SequenceNode:
		for _, c := range n.Content {
			t.node(field, key, c)
		}
	case yaml.ScalarNode:
		switch {
		case key == "":
			t.add(field, n.Value)
		case !knownField(field):
			t.add(field, key+": "+n.Value)
		case !machinePart(key):
			t.add(field, n.Value)
		}
	}
}

// machinePart reports whether a part of a known field is written by programs alone.
func machinePart(key string) bool {
	switch key {
	case "of", "n", "sig", "at", "actor", "by", "sha256", "blob", "commit", "digest", "fingerprint", "salt", "reverts":
		return true
	}
	return false
}
