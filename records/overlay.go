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
}

// NewOverlay returns an overlay that so far equals base.
func NewOverlay(base View) *Overlay {
	return &Overlay{base: base, changed: make(map[ID]*Record)}
}

// Put lays r over the base; the overlay keeps it.
func (o *Overlay) Put(r *Record) { o.changed[r.ID] = r }

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
	return o.merge(o.base.Backlinks(id, rel), func(r *Record) bool {
		if rel == SupersededBy {
			return slices.Contains(r.Successors(), id)
		}
		return slices.Contains(r.Links[rel], id)
	})
}

// OnQuestion implements [View].
func (o *Overlay) OnQuestion(key string) []ID {
	return o.merge(o.base.OnQuestion(key), func(r *Record) bool {
		return r.Kind == Decision && QuestionKey(r.Question) == key
	})
}

// merge drops changed records from ids and adds those of them that match.
func (o *Overlay) merge(ids []ID, match func(*Record) bool) []ID {
	if len(o.changed) == 0 {
		return ids
	}
	var out []ID
	for _, id := range ids {
		if _, ok := o.changed[id]; !ok {
			out = append(out, id)
		}
	}
	for id, r := range o.changed {
		if match(r) {
			out = append(out, id)
		}
	}
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
