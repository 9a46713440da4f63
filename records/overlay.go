package records

import (
	"iter"
	"slices"
)

// An Overlay is a [View] of a base view with some records replaced, added or taken away.
// It is not safe for use while [Overlay.Put] runs.
type Overlay struct {
	base    View
	changed map[ID]*Record // nil for one taken away
	ids     []ID           // of the changed records, sorted
	near    neighbours     // of the changed records
}

// NewOverlay returns an overlay that so far equals base.
func NewOverlay(base View) *Overlay {
	return &Overlay{base: base, changed: make(map[ID]*Record), near: make(neighbours)}
}

// Put puts r over the base; the overlay keeps it, and r must not change after.
func (o *Overlay) Put(r *Record) {
	o.Drop(r.ID)
	o.changed[r.ID] = r
	o.near.add(r.ID, relationKeys(r))
	o.near.add(r.ID, titleKeys(r))
	o.near.add(r.ID, stateKeys(r))
}

// Drop takes the record of an id away.
func (o *Overlay) Drop(id ID) {
	old, changed := o.changed[id]
	if !changed {
		i, _ := slices.BinarySearch(o.ids, id)
		o.ids = slices.Insert(o.ids, i, id)
	}
	if old != nil {
		o.near.remove(id, relationKeys(old))
		o.near.remove(id, titleKeys(old))
		o.near.remove(id, stateKeys(old))
	}
	o.changed[id] = nil
}

// Changed returns the ids put over or dropped from the base, sorted.
func (o *Overlay) Changed() []ID { return slices.Clone(o.ids) }

// Contains reports whether a record was put over the base, or dropped from it.
func (o *Overlay) Contains(id ID) bool {
	_, ok := o.changed[id]
	return ok
}

// Base returns the view below.
func (o *Overlay) Base() View { return o.base }

// Record implements [View].
func (o *Overlay) Record(id ID) (*Record, bool) {
	if r, ok := o.changed[id]; ok {
		return r, r != nil
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

// Forgotten implements [View].
func (o *Overlay) Forgotten(k Kind) []ID {
	return o.merge(o.base.Forgotten(k), ForgottenLookup(k))
}

// merge drops changed records from the base's ids and adds those of them that have the key.
func (o *Overlay) merge(ids []ID, key Lookup) []ID {
	if len(o.changed) == 0 {
		return ids
	}
	return o.with(ids, o.near[key])
}

// with drops changed records from the base's ids and adds mine; both are sorted.
func (o *Overlay) with(ids, mine []ID) []ID {
	var out []ID
	for _, id := range ids {
		if _, ok := o.changed[id]; !ok {
			out = append(out, id)
		}
	}
	if len(out) == 0 {
		return slices.Clone(mine)
	}
	if len(mine) > 0 {
		out = append(out, mine...)
		slices.Sort(out)
	}
	return out
}

// InState implements [View].
func (o *Overlay) InState(k Kind, s State) []ID {
	return o.merge(o.base.InState(k, s), stateLookup(k, s))
}

// Match implements [View].
func (o *Overlay) Match(prefix string) ([]ID, error) {
	ids, err := o.base.Match(prefix)
	if err != nil {
		return nil, err
	}
	mine, err := MatchPrefix(o.ids, prefix)
	if err != nil {
		return nil, err
	}
	mine = slices.DeleteFunc(mine, func(id ID) bool { return o.changed[id] == nil })
	return o.with(ids, mine), nil
}

// Veto implements [View].
func (o *Overlay) Veto(id ID) (State, bool) { return o.base.Veto(id) }

// Len implements [View].
func (o *Overlay) Len() int {
	n := o.base.Len()
	for id, r := range o.changed {
		_, had := o.base.Record(id)
		switch {
		case r != nil && !had:
			n++
		case r == nil && had:
			n--
		}
	}
	return n
}

// All implements [View].
func (o *Overlay) All() iter.Seq[*Record] {
	return func(yield func(*Record) bool) {
		mine := o.Changed()
		put := func(r *Record) bool { return r == nil || yield(r) }
		for r := range o.base.All() {
			for len(mine) > 0 && mine[0] < r.ID {
				if !put(o.changed[mine[0]]) {
					return
				}
				mine = mine[1:]
			}
			if len(mine) > 0 && mine[0] == r.ID {
				r, mine = o.changed[r.ID], mine[1:]
			}
			if !put(r) {
				return
			}
		}
		for _, id := range mine {
			if !put(o.changed[id]) {
				return
			}
		}
	}
}
