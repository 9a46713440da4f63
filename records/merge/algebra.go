package merge

import "gopkg.in/yaml.v3"

// flatten joins two changed sums into one conflict. Terms of one side that the
// other has moved on from cancel. Where both sides moved on from a conflict,
// each in its own way, the result is a new conflict without its base.
func flatten(field string, base *sum, ours, theirs sum) sum {
	both := ours.join(theirs)
	var s sum
	switch {
	case base == nil:
		s = both
	case settled(field, *base):
		s.sides = netEffect(base.sides, ours.sides, theirs.sides)
		s.bases = both.bases.union(base.sides)
	case ours.contains(*base) && theirs.contains(*base):
		s = both
	case theirs.contains(*base):
		s = unresolved(ours, theirs, *base)
	case ours.contains(*base):
		s = unresolved(theirs, ours, *base)
	default:
		return both.withoutCommonBases()
	}
	cancelled := sum{
		sides: s.sides.filter(func(t term) bool {
			return ours.sides.has(t) == theirs.sides.has(t) ||
				!(ours.sides.has(t) && theirs.bases.has(t)) && !(theirs.sides.has(t) && ours.bases.has(t))
		}),
	}
	if len(cancelled.sides) == 0 {
		return both.withoutCommonBases()
	}
	cancelled.bases = s.bases.minus(cancelled.sides)
	return cancelled.reduced(field)
}

// unresolved is what remains when one side settled a conflict that the other
// carried on and added to.
func unresolved(resolved, carried, base sum) sum {
	left := sum{bases: carried.bases, sides: carried.sides.minus(base.sides)}
	if len(left.sides) == 0 {
		return resolved
	}
	return resolved.join(left)
}

func (s sum) withoutCommonBases() sum { return sum{bases: s.bases.minus(s.sides), sides: s.sides} }

// reduced drops the bases of a sum that is no conflict any more.
func (s sum) reduced(field string) sum {
	if r := (sum{sides: s.sides}); settled(field, r) {
		return r
	}
	return s
}

// mergeSet merges by net effect. An absent set is the empty one.
func mergeSet(base, ours, theirs term) term {
	vs := netEffect(members("tags", base), members("tags", ours), members("tags", theirs))
	if len(vs) == 0 {
		return newTerm(nil)
	}
	return newTerm(sequenceNode(vs.nodes()))
}

// links returns every link as one term, whose key starts with the relation.
func links(t term) values {
	if t.absent() {
		return nil
	}
	var ts []term
	for i := 0; i+1 < len(t.node.Content); i += 2 {
		rel := t.node.Content[i]
		for _, id := range t.node.Content[i+1].Content {
			ts = append(ts, term{key: rel.Value + " " + id.Value, node: mappingNode(rel, id)})
		}
	}
	return newValues(ts...)
}

// mergeLinks merges each relation as a set.
func mergeLinks(base, ours, theirs term) term {
	var out []*yaml.Node
	for _, t := range netEffect(links(base), links(ours), links(theirs)) {
		rel, id := t.node.Content[0], t.node.Content[1]
		if n := len(out); n > 0 && out[n-2].Value == rel.Value {
			out[n-1].Content = append(out[n-1].Content, id)
			continue
		}
		out = append(out, rel, sequenceNode([]*yaml.Node{id}))
	}
	if len(out) == 0 {
		return newTerm(nil)
	}
	return newTerm(mappingNode(out...))
}
