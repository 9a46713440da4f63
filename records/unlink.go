package records

import "slices"

// Unlink removes what leads to records that are not there: links, cited
// evidence, and a successor, without which a superseded record is rejected. It
// reports whether the record changed; the digest that a verdict judged follows.
func (r *Record) Unlink(gone map[ID]bool) bool {
	changed := false
	drop := func(ids []ID) []ID {
		kept := slices.DeleteFunc(slices.Clone(ids), func(id ID) bool { return gone[id] })
		changed = changed || len(kept) != len(ids)
		return kept
	}
	for rel, ids := range r.Links {
		if r.Links[rel] = drop(ids); len(r.Links[rel]) == 0 {
			delete(r.Links, rel)
		}
	}
	v := r.Verdict
	if v == nil {
		return changed
	}
	v.Cites = drop(v.Cites)
	if gone[v.SupersededBy] {
		v.SupersededBy, changed = "", true
		if v.State == Superseded {
			states := r.Kind.Schema().States // superseded is the last, after the state that needs no successor
			v.State = states[len(states)-2]
		}
	}
	if changed && v.Of != "" {
		v.Of = r.Digest()
	}
	return changed
}
