package records

import (
	"slices"
)

// Keys are all keys of the record in its source, the first one first.
func (o *Origin) Keys() []string { return append([]string{o.Key}, sortedSet(o.Also)...) }

// Has reports whether the source calls the record by that key.
func (o *Origin) Has(key string) bool { return o.Key == key || slices.Contains(o.Also, key) }

// Renamed is the origin of the same item under a key that it may not have had
// before: the first key stays.
func (o *Origin) Renamed(key, digest string) *Origin {
	n := &Origin{System: o.System, Key: o.Key, Also: slices.Clone(o.Also), Digest: digest}
	if !o.Has(key) {
		n.Also = sortedSet(append(n.Also, key))
	}
	return n
}

func (o *Origin) clone() *Origin {
	if o == nil {
		return nil
	}
	c := *o
	c.Also = slices.Clone(o.Also)
	return &c
}

// originKeys reads the keys of an origin, or its only one.
func (d *decoder) originKeys(n *Value, o *Origin) error {
	keys := []*Value{n}
	if n.Type == ListValue {
		keys = n.Items
	}
	for i, k := range keys {
		key, err := d.line(k, "an item of keys", 4096)
		switch {
		case err != nil:
			return err
		case i == 0:
			o.Key = key
		case !o.Has(key):
			o.Also = append(o.Also, key)
		}
	}
	slices.Sort(o.Also)
	return nil
}

func putOriginKeys(e sink, o *Origin) { putTexts(e, "keys", o.Keys()) }

func (d *decoder) origin(n *Value, name string) (*Origin, error) {
	o, err := readPointer(name, originParts)(d, n, name)
	if err == nil && o.Key == "" {
		err = d.errorAt(n, "missing keys in origin")
	}
	return o, err
}

func originField() fieldRule {
	f := pointerField("origin", func(r *Record) **Origin { return &r.Origin }, (*decoder).origin, putPointer(originParts))
	put := putPointer(originIdentity)
	f.covered = func(e sink, r *Record) { put(e, "origin", r.Origin) }
	f.clone = func(r *Record) { r.Origin = r.Origin.clone() }
	return f.aside().withTexts(func(r *Record, add addText) {
		if r.Origin != nil {
			add("system", r.Origin.System)
			add("keys", r.Origin.Keys()...)
		}
	})
}
