package merge

import "github.com/git-ctx/git-ctx/records"

// lost is the account of the merge, drawn up from its input and result alone:
// every part of every value of both sides must stand in the result, or in a
// base as something the other side removed, or have been dropped by a rule.
func (m *merger) lost() []Drop {
	var out []Drop
	for _, name := range m.names() {
		ours, theirs := m.ours.get(name), m.theirs.get(name)
		kept := m.result.get(name)
		if ours.equal(theirs) && ours.equal(kept) {
			continue
		}
		all := parts(name, kept.join(sum{sides: kept.bases}))
		var base values
		for _, b := range m.bases {
			base = base.union(parts(name, b.get(name)))
		}
		o, t := parts(name, ours), parts(name, theirs)
		out = append(out, m.unexplained(name, o.minus(all), t, base)...)
		out = append(out, m.unexplained(name, t.minus(all), o, base)...)
	}
	return out
}

// parts returns the parts of all sides.
func parts(name string, s sum) values {
	var out values
	for _, t := range s.sides {
		out = out.union(members(name, t))
	}
	return out
}

func (m *merger) unexplained(name string, missing, other, base values) []Drop {
	// A line or member of a sequence may stand in a value twice, and each side
	// may have removed another one of them.
	repeats := records.FormOf(name) == records.FormText || records.FormOf(name) == records.FormSequence
	var out []Drop
	for _, t := range missing {
		if base.has(t) && (repeats || !other.has(t)) || m.droppedBy(name, t) {
			continue
		}
		out = append(out, Drop{Field: name, Value: t.key})
	}
	return out
}

func (m *merger) droppedBy(name string, t term) bool {
	for _, d := range m.report.Dropped {
		if d.Field == name && (d.Rule == RuleTombstone || d.Value == t.key) {
			return true
		}
	}
	return false
}
