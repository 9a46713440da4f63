package records

import (
	"iter"
	"maps"
	"slices"
)

// An Overlay is a [View] of a base view with some records replaced or added.
// It is not safe for use while [Overlay.Put] runs.
type Overlay struct {
	base    View
	changed map[ID]*Record
	near    neighbours // of the changed records
}

// NewOverlay returns an overlay that so far equals base.
func NewOverlay(base View) *Overlay {
	return &Overlay{base: base, changed: make(map[ID]*Record), near: make(neighbours)}
}

// Put lays r over the base; the overlay keeps it, and it must not change after.
func (o *Overlay) Put(r *Record) {
	if old, ok := o.changed[r.ID]; ok {
		o.near.remove(r.ID, relationKeys(old))
		o.near.remove(r.ID, titleKeys(old))
	}
	o.changed[r.ID] = r
	o.near.add(r.ID, relationKeys(r))
	o.near.add(r.ID, titleKeys(r))
}

// Changed returns the ids laid over the base, sorted.
func (o *Overlay) Changed() []ID { return slices.Sorted(maps.Keys(o.changed)) }

// Base returns the view below.
func (o *Overlay) Base() View { return o.base }

// Record implements [View].
func (o *Overlay) Record(id ID) (*Record, bool) {
	if r, ok := o.changed[id]; ok {
		return r, true
	}
	return o.base.Record(id)
}

// Backlinks implements [View].
func (o *Overlay) Backlinks(id ID, rel Relation) []ID {
	return o.merge(o.base.Backlinks(id, rel), BacklinksLookup(id, rel))
}

// OnQuestion implements [View].
func (o *Overlay) OnQuestion(key string) []ID {
	return o.merge(o.base.OnQuestion(key), QuestionLookup(key))
}

// Titled implements [View].
func (o *Overlay) Titled(k Kind, key string) []ID {
	return o.merge(o.base.Titled(k, key), TitleLookup(k, key))
}

// merge drops changed records from the base's ids and adds those of them that have the key.
func (o *Overlay) merge(ids []ID, key Lookup) []ID {
	if len(o.changed) == 0 {
		return ids
	}
	var out []ID
	for _, id := range ids {
		if _, ok := o.changed[id]; !ok {
			out = append(out, id)
		}
	}
	out = append(out, o.near[key]...)
	slices.Sort(out)
	return out
}

// Veto implements [View].
func (o *Overlay) Veto(id ID) (State, bool) { return o.base.Veto(id) }

// Len implements [View].
func (o *Overlay) Len() int {
	n := o.base.Len()
	for id := range o.changed {
		if _, ok := o.base.Record(id); !ok {
			n++
		}
	}
	return n
}

// All implements [View].
func (o *Overlay) All() iter.Seq[*Record] {
	return func(yield func(*Record) bool) {
		added := o.Changed()
		for r := range o.base.All() {
			for len(added) > 0 && added[0] < r.ID {
				if !yield(o.changed[added[0]]) {
					return
				}
				added = added[1:]
			}
			if len(added) > 0 && added[0] == r.ID {
				r, added = o.changed[r.ID], added[1:]
			}
			if !yield(r) {
				return
			}
		}
		for _, id := range added {
			if !yield(o.changed[id]) {
				return
			}
		}
	}
}
