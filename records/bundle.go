package records

import (
	"slices"
	"strings"
	"time"
)

// list returns the items of a sequence.
func (d *decoder) list(n *Value, name string) ([]*Value, error) {
	if n.Type != ListValue {
		return nil, d.errorAt(n, "%s is %s, not a list", name, describe(n))
	}
	return n.Items, nil
}

func decodeList[T any](d *decoder, n *Value, name string, read func(*Value, string) (T, error)) ([]T, error) {
	items, err := d.list(n, name)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	out := make([]T, len(items))
	for i, item := range items {
		if out[i], err = read(item, "an item of "+name); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// readList makes what reads a list of texts.
func readList(item func(*decoder, *Value, string) (string, error)) func(*decoder, *Value, string) ([]string, error) {
	return func(d *decoder, n *Value, name string) ([]string, error) {
		return decodeList(d, n, name, func(n *Value, name string) (string, error) { return item(d, n, name) })
	}
}

// readTextSet makes what reads a set of texts.
func readTextSet(item func(*decoder, *Value, string) (string, error)) func(*decoder, *Value, string) ([]string, error) {
	read := readList(item)
	return func(d *decoder, n *Value, name string) ([]string, error) {
		ss, err := read(d, n, name)
		return sortedSet(ss), err
	}
}

// readSet makes what reads a set of mappings.
func readSet[T any](read func(*decoder, *Value) (T, error), put func(sink, *T)) func(*decoder, *Value, string) ([]T, error) {
	return func(d *decoder, n *Value, name string) ([]T, error) {
		vs, err := decodeList(d, n, name, func(n *Value, _ string) (T, error) { return read(d, n) })
		if err != nil {
			return nil, err
		}
		return sortedBy(vs, put), nil
	}
}

// readPointer makes what reads a mapping.
func readPointer[T any](what string, parts []part[T]) func(*decoder, *Value, string) (*T, error) {
	return func(d *decoder, n *Value, _ string) (*T, error) {
		v := new(T)
		if err := readParts(d, n, what, parts, v); err != nil {
			return nil, err
		}
		return v, nil
	}
}

func (d *decoder) idSet(n *Value, name string) ([]ID, error) {
	ids, err := decodeList(d, n, name, d.id)
	return sortedSet(ids), err
}

func (d *decoder) verdict(n *Value, name string) (*Verdict, error) {
	return readPointer(name, verdictParts)(d, n, name)
}

func (d *decoder) oneOfVerdicts(n *Value) (v Verdict, err error) {
	return v, readParts(d, n, "a verdict", verdictParts, &v)
}

func (d *decoder) despite(n *Value) (v Despite, err error) {
	if err := readParts(d, n, "despite", despiteParts, &v); err != nil {
		return v, err
	}
	if !v.ID.Kind().Schema().Has(v.State) {
		return v, d.errorAt(n, "unknown state '%s' of '%s' in despite", v.State, v.ID)
	}
	return v, nil
}

func (d *decoder) anchor(n *Value) (a Anchor, err error) {
	return a, readParts(d, n, "an anchor", anchorParts, &a)
}

func (d *decoder) file(n *Value) (f File, err error) {
	return f, readParts(d, n, "a file", fileParts, &f)
}

func (d *decoder) links(n *Value, _ string) (map[Relation][]ID, error) {
	if n.Type != MapValue {
		return nil, d.errorAt(n, "links is %s, not keys and values", describe(n))
	}
	var links map[Relation][]ID
	for i := 0; i+1 < len(n.Items); i += 2 {
		k := n.Items[i]
		if !carries(d.kind, Relation(k.Text)) {
			var names []string
			for _, rel := range Relations(d.kind) {
				names = append(names, string(rel))
			}
			return nil, d.errorAt(k, "unknown relation '%s'; %s may have %s", k.Text, d.kind.Phrase(), strings.Join(names, ", "))
		}
		ids, err := d.idSet(n.Items[i+1], k.Text)
		if err != nil {
			return nil, err
		}
		if len(ids) == 0 {
			continue
		}
		if links == nil {
			links = make(map[Relation][]ID, len(n.Items)/2)
		}
		links[Relation(k.Text)] = ids
	}
	return links, nil
}

func (d *decoder) steps(n *Value, name string) ([]Step, error) {
	items, err := d.list(n, name)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	out := make([]Step, 0, len(items))
	for _, item := range items {
		var s Step
		if err := readParts(d, item, "a step", stepParts, &s); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(o Step) bool { return o.ID == s.ID }) {
			return nil, d.errorAt(item, "two steps have the id '%s'", s.ID)
		}
		out = append(out, s)
	}
	return out, nil
}

func (d *decoder) instant(n *Value, name string) (time.Time, error) {
	if n.Type != InstantValue && n.Type != TextValue {
		return time.Time{}, d.errorAt(n, "%s is %s, not an instant", name, describe(n))
	}
	t, err := ParseInstant(n.Text)
	if err != nil {
		return t, d.errorAt(n, "%s: %v", name, err)
	}
	return t, nil
}

func (d *decoder) checkValidity(n *Value, v *Validity) error {
	if !v.From.IsZero() && !v.Until.IsZero() && !v.From.Before(v.Until) {
		return d.errorAt(n, "valid ends before it begins")
	}
	return nil
}
