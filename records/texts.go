package records

import (
	"iter"
)

// Texts yields what people and agents wrote into the record, a value at a time, by
// the field that it stands in, as in "verdict.reason": a list's items each by themselves, the
// sides of a conflict under the conflicted field. Ids, states, instants, numbers,
// digests, signatures and names of people are left out. A value of a key that this
// version does not know comes with that key, as "key: value".
func (r *Record) Texts() iter.Seq2[string, string] {
	return func(yield func(field, text string) bool) {
		t := &texts{yield: yield}
		t.fields(r, func(*fieldRule) bool { return true })
		for _, c := range r.Conflicts {
			for _, n := range append(c.Bases[:len(c.Bases):len(c.Bases)], c.Sides...) {
				t.side(r, c, n)
			}
		}
		for _, f := range r.Extra {
			t.value(f.Name, f.Name, f.Value)
		}
	}
}

// Prose yields what the record itself says, by field: its title, body and the
// other texts that only it has to say, none of them empty. Reasons, tags and paths
// are not among them.
func (r *Record) Prose() iter.Seq2[string, string] {
	return func(yield func(field, text string) bool) {
		t := &texts{yield: yield}
		t.fields(r, func(f *fieldRule) bool { return f.prose })
	}
}

// texts hands out values until the caller has enough.
type texts struct {
	yield func(field, text string) bool
	ended bool
	field string // whose texts are being handed out
}

// fields hands out the texts of the fields that are wanted, in canonical order.
func (t *texts) fields(r *Record, wanted func(*fieldRule) bool) {
	add := t.part
	for i := range fieldRules {
		if f := &fieldRules[i]; f.texts != nil && wanted(f) {
			t.field = f.name
			f.texts(r, add)
		}
	}
}

func (t *texts) part(name string, texts ...string) {
	if name != "" {
		name = t.field + "." + name
	} else {
		name = t.field
	}
	t.add(name, texts...)
}

func (t *texts) add(field string, texts ...string) {
	for _, s := range texts {
		if s != "" && !t.ended {
			t.ended = !t.yield(field, s)
		}
	}
}

// side hands out the texts of a value in conflict under the field alone.
func (t *texts) side(r *Record, c Conflict, v *Value) {
	f := ruleOf(c.Field)
	switch {
	case f == nil:
		t.value(c.Field, c.Field, v)
	case f.texts != nil && !v.IsNull():
		one := Record{Kind: r.Kind}
		if f.read(&decoder{kind: r.Kind}, v, &one) == nil { // as [Parse] made sure
			f.texts(&one, func(_ string, texts ...string) { t.add(c.Field, texts...) })
		}
	}
}

// value hands out the scalars of a value of an unknown field, each with its key.
func (t *texts) value(field, key string, v *Value) {
	switch v.Type {
	case MapValue:
		for i := 0; i+1 < len(v.Items); i += 2 {
			t.value(field, v.Items[i].Text, v.Items[i+1])
		}
	case ListValue:
		for _, item := range v.Items {
			t.value(field, key, item)
		}
	default:
		t.add(field, key+": "+v.Text)
	}
}
