package merge

import (
	"github.com/git-ctx/git-ctx/records"
)

// flatten joins two changed sums into one conflict. A term that a base held and
// one side has moved on from goes, and no term is both base and side. Where both
// sides moved on from a conflict, each in its own way, the result is a new
// conflict without that conflict's terms as bases.
func flatten(field string, bases []sum, ours, theirs sum) sum {
	both := ours.join(theirs)
	known, from := values(nil), both.bases
	for _, b := range bases {
		known = known.union(b.sides)
		if settled(field, b) {
			from = from.union(b.sides)
		}
	}
	known = known.minus(picked(field, bases, ours)).minus(picked(field, bases, theirs))
	sides := netEffect(known, ours.sides, theirs.sides)
	if len(sides) == 0 { // each side went back to what the other came from
		sides = both.sides
	}
	sides = sides.oneNull()
	return sum{bases: from.minus(sides), sides: sides}.reduced(field)
}

// picked returns the sides of s when it settled a base's conflict by choosing
// among its sides: old terms, but a new decision.
func picked(field string, bases []sum, s sum) values {
	for _, b := range bases {
		if !settled(field, b) && len(s.sides) < len(b.sides) && b.sides.containsAll(s.sides) {
			return s.sides
		}
	}
	return nil
}

// reduced drops the bases of a sum that is not a conflict any more.
func (s sum) reduced(field string) sum {
	if r := (sum{sides: s.sides}); settled(field, r) {
		return r
	}
	return s
}

// mergeMembers merges a set, or the sets of links, by net effect; base holds
// what any base held. An absent set is the empty one.
func mergeMembers(field string, base values, ours, theirs term) term {
	vs := netEffect(base, members(field, ours), members(field, theirs))
	switch {
	case len(vs) == 0:
		return newTerm(nil)
	case records.FormOf(field) == records.FormLinks:
		return joinLinks(vs)
	}
	return newTerm(listOf(vs.list()))
}

// links returns every link as one term, whose key starts with the relation.
func links(t term) values {
	if t.absent() {
		return nil
	}
	var ts []term
	for i := 0; i+1 < len(t.value.Items); i += 2 {
		rel := t.value.Items[i]
		for _, id := range t.value.Items[i+1].Items {
			ts = append(ts, term{key: rel.Text + " " + id.Text, value: mapOf(rel, id)})
		}
	}
	return newValues(ts...)
}

// joinLinks makes the value of links that the terms of [links] came from.
func joinLinks(vs values) term {
	var out []*records.Value
	for _, t := range vs {
		rel, id := t.value.Items[0], t.value.Items[1]
		if n := len(out); n > 0 && out[n-2].Text == rel.Text {
			out[n-1].Items = append(out[n-1].Items, id)
			continue
		}
		out = append(out, rel, listOf([]*records.Value{id}))
	}
	return newTerm(mapOf(out...))
}
