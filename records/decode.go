package records

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/internal/lazyregexp"
)

var extraName = lazyregexp.New(`^[a-z][a-z0-9-]{0,63}$`)

// fields splits the top-level mapping, each part of it vetted.
func (d *decoder) fields(root *Value) ([]Field, error) {
	if err := d.vet(root, 0); err != nil {
		return nil, err
	}
	fs := make([]Field, 0, len(root.Items)/2)
	for i := 0; i < len(root.Items); i += 2 {
		fs = append(fs, Field{Name: root.Items[i].Text, Value: root.Items[i+1]})
	}
	return fs, nil
}

func fieldNamed(fs []Field, name string) *Value {
	for i := range fs {
		if fs[i].Name == name {
			return fs[i].Value
		}
	}
	return nil
}

// record makes the record of its fields. The root locates what is missing.
func (d *decoder) record(root *Value, fs []Field) (*Record, error) {
	r := &Record{}
	if err := d.identity(root, fs, r); err != nil {
		return nil, err
	}
	for _, f := range fs {
		if f.Name == "id" || f.Name == "kind" {
			continue
		}
		if err := d.topLevel(r, f); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(r.Extra, byFieldName)
	for _, c := range r.Conflicts {
		if n := fieldNamed(fs, c.Field); n != nil {
			return nil, d.errorAt(n, "%s has a value although it is in conflict", c.Field)
		}
	}
	for i := range fieldRules {
		name := fieldRules[i].name
		if !fieldRules[i].required || fieldNamed(fs, name) != nil || r.InConflict(name) || name == "title" && r.Forgotten() {
			continue
		}
		return nil, d.errorAt(root, "missing %s", name)
	}
	return r, nil
}

// identity reads id and kind, on which the meaning of the other fields depends.
func (d *decoder) identity(root *Value, fs []Field, r *Record) error {
	id, kind := fieldNamed(fs, "id"), fieldNamed(fs, "kind")
	switch {
	case id == nil:
		return d.errorAt(root, "missing id")
	case kind == nil:
		return d.errorAt(root, "missing kind")
	}
	k, err := d.text(kind, "kind")
	if err != nil {
		return err
	}
	if Kind(k).Schema() == nil {
		names := make([]string, len(schemas))
		for i, s := range schemas {
			names[i] = string(s.Kind)
		}
		return d.errorAt(kind, "unknown kind '%s'; it is one of %s", k, strings.Join(names, ", "))
	}
	d.kind, r.Kind = Kind(k), Kind(k)
	if r.ID, err = d.id(id, "id"); err != nil {
		return err
	}
	if r.ID.Kind() != r.Kind {
		return d.errorAt(id, "id '%s' is not that of %s, which starts with %s-", r.ID, r.Kind.Phrase(), prefixOf(r.Kind))
	}
	if d.path != "" && r.ID != fileID(d.path) {
		return d.errorAt(id, "id '%s' differs from the file name", r.ID)
	}
	return nil
}

// A rawConflict is a conflict whose values are not read yet: what they may be
// depends on the field.
type rawConflict struct {
	field        string
	bases, sides *Value
}

// conflicts reads the values that a merge could not settle. Each must be one
// that its field may hold, so that any of them can be picked.
func (d *decoder) conflicts(n *Value) ([]Conflict, error) {
	var out []Conflict
	items, err := d.list(n, "conflicts")
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		var raw rawConflict
		if err := readParts(d, item, "conflicts", conflictParts, &raw); err != nil {
			return nil, err
		}
		c, bases, sides := Conflict{Field: raw.field}, raw.bases, raw.sides
		switch {
		case c.Field == "" || sides == nil:
			return nil, d.errorAt(item, "a conflict needs field and sides")
		case c.Field == "id" || c.Field == "kind" || c.Field == "conflicts":
			return nil, d.errorAt(item, "%s is never in conflict", c.Field)
		case slices.ContainsFunc(out, func(o Conflict) bool { return o.Field == c.Field }):
			return nil, d.errorAt(item, "a second conflict on %s", c.Field)
		}
		if bases != nil {
			if c.Bases, err = d.values(bases, "bases", c.Field); err != nil {
				return nil, err
			}
		}
		if c.Sides, err = d.values(sides, "sides", c.Field); err != nil {
			return nil, err
		}
		if len(c.Sides) == 0 {
			return nil, d.errorAt(sides, "a conflict needs at least one side")
		}
		if len(c.Bases) == 0 && !c.differ() {
			return nil, d.errorAt(sides, "a conflict without bases needs two sides that differ")
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b Conflict) int { return strings.Compare(a.Field, b.Field) })
	return out, nil
}

// differ reports whether the sides are more than one answer. Verdicts that agree
// in state and content are one, which a record holds as verdict and also.
func (c *Conflict) differ() bool {
	answer := func(n *Value) string {
		if c.Field != "verdict" || n.Type != MapValue {
			return FormatValue(n)
		}
		return n.TextOf("state") + " " + n.TextOf("of")
	}
	first := answer(c.Sides[0])
	return slices.ContainsFunc(c.Sides[1:], func(n *Value) bool { return answer(n) != first })
}

// values reads one multiset of a conflict in canonical form.
func (d *decoder) values(n *Value, name, field string) ([]*Value, error) {
	items, err := d.list(n, name)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	out := make([]*Value, len(items))
	for i, item := range items {
		if out[i], err = d.valueOfField(field, item); err != nil {
			return nil, err
		}
	}
	return sortedValues(out), nil
}

// valueOfField checks that n may be the field's value and returns it in
// canonical form; null, an absent field, is one of them.
func (d *decoder) valueOfField(field string, n *Value) (*Value, error) {
	null := &Value{Text: "null"}
	if n.IsNull() {
		return null, nil
	}
	one := Record{Kind: d.kind}
	if err := d.topLevel(&one, Field{Name: field, Value: n}); err != nil {
		return nil, err
	}
	if v := fieldNamed(one.Fields(), field); v != nil {
		return v, nil
	}
	return null, nil
}

// checkSides enforces [MaxSize] on each side of a record with conflicts.
func (d *decoder) checkSides(r *Record, root *Value, fs []Field) error {
	tooLarge := func(n *Value, what string, size int) error {
		return d.errorAt(n, "%s has %d bytes: it may have %d", what, size, MaxSize)
	}
	plain := *r
	plain.Conflicts = nil
	own := len(plain.encode())
	if own > MaxSize {
		return tooLarge(root, "the record without its conflicts", own)
	}
	for _, c := range r.Conflicts {
		for _, n := range slices.Concat(c.Bases, c.Sides) {
			if size := len(FormatValue(n)); size > MaxSize {
				return tooLarge(fieldNamed(fs, "conflicts"), fmt.Sprintf("a value of %s in conflict", c.Field), size)
			}
		}
	}
	return nil
}
