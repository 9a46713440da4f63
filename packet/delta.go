package packet

import (
	"cmp"
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

// collectChanges evaluates what changed, and what that rests on: a reader who
// knows the rest wants it named alone.
func (p *pool) collectChanges(v records.View, req Request, f *focus) {
	ids := make([]records.ID, 0, len(req.Since.Was))
	for id := range req.Since.Was {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, r := range f.records() {
		_, moved := req.Since.Was[r.ID]
		p.changed = p.changed || moved
	}
	p.collectCandidates(v, ids, req, f)
	for _, c := range p.candidates {
		was, moved := req.Since.Was[c.r.ID]
		c.was, c.known = was, !moved
		c.onlyCited = false // new evidence is news whoever cites it
		p.changed = p.changed || moved
	}
}

// retracted reports whether a record was asserted and is not any more.
func retracted(was, now records.Standing) bool {
	return was.Class == records.Asserted && now.Class != records.Asserted
}

// redacted is r, or what may be told of it where the default branch forgot it.
func redacted(r *records.Record, d *Delta) *records.Record {
	if !d.Forgotten[r.ID] {
		return r
	}
	return &records.Record{ID: r.ID, Kind: r.Kind, Created: r.Created, Tombstone: &records.Tombstone{}}
}

// fallen says what became of a record that is not asserted any more.
func (b *builder) fallen(c *candidate) string {
	was := "was " + string(c.was.State)
	next := c.r.Successors()
	switch {
	case c.r.Forgotten():
		return was + ", now forgotten"
	case c.st.State == "":
		return was + ", now disputed"
	case c.st.State == records.Superseded && len(next) == 1:
		return was + ", now superseded by " + b.abbreviate(next[0])
	case c.st.State != c.was.State:
		return was + ", now " + string(c.st.State)
	case c.st.Class == records.Closed:
		return was + ", out of its validity"
	}
	return was
}

// change says in what a record that stands differs from what it was.
func change(c *candidate) string {
	switch {
	case c.known:
		return ""
	case c.was.Class == "":
		return "new"
	case c.was.State != c.st.State:
		return "was " + string(c.was.State)
	case c.was.Class != c.st.Class:
		return "was " + string(c.was.Class)
	}
	return "edited"
}

// fillFallen takes what does not hold any more before all else: a reader who
// was told of it must be told so first.
func (b *builder) fillFallen() {
	var cs []*candidate
	for _, c := range b.pool.candidates {
		if c.section == secFallen {
			cs = append(cs, c)
		}
	}
	slices.SortStableFunc(cs, func(x, y *candidate) int { return cmp.Compare(y.score, x.score) })
	for _, c := range cs {
		if c.shown { // brought along by another that rested on it
			continue
		}
		e := &entry{c: c, value: c.score}
		b.make(e)
		if b.take(e, false); b.full {
			return
		}
	}
}
