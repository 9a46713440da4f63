package merge

// forgotten merges when a side is forgotten, and reports whether one is. What
// one side forgot stays forgotten: edits of the other side are dropped, and
// reported without their text. When both forgot, nothing is left to decide,
// and the smaller value of each field stands.
func (m *merger) forgotten() bool {
	ours, theirs := m.ours.has(fieldTombstone), m.theirs.has(fieldTombstone)
	kept, edited := m.ours, m.theirs
	switch {
	case !ours && !theirs:
		return false
	case ours && theirs:
		m.bothForgotten()
		return true
	case theirs:
		kept, edited = m.theirs, m.ours
	}
	for _, name := range m.names() {
		m.put(name, kept.get(name))
		if s := edited.get(name); !s.equal(kept.get(name)) && !known(m.basesOf(name), s) {
			m.report.drop(name, RuleTombstone, "")
		}
	}
	return true
}

func (m *merger) bothForgotten() {
	for _, name := range m.names() {
		s := m.field(name, m.ours.get(name), m.theirs.get(name))
		if settled(name, s) {
			m.put(name, s)
			continue
		}
		present := s.sides.filter(func(t term) bool { return !t.absent() })
		first := present[0]
		m.put(name, settledSum(first))
		m.report.drop(name, RuleTombstone, "")
	}
}

func (fs fields) has(name string) bool {
	s, ok := fs[name]
	return ok && !s.equal(absentSum())
}
