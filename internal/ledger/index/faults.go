package index

import (
	"database/sql/driver"
	"maps"
	"slices"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/standing"
)

// A History tells what the history of a commit proves. It is safe for concurrent use.
type History interface {
	// Provenance tells it of one verdict of a record.
	Provenance(*records.Record, *records.Verdict) (records.Provenance, error)
	// Loss tells whether the record's tombstone is forged; nil where it is not.
	Loss(*records.Record) (*records.Loss, error)
	// Named lists the records that commits name which the commit held before does not reach,
	// and tells of each whether they name a verdict of it.
	Named() (map[records.ID]bool, error)
}

// A flaw is what the history has against a verdict or a tombstone.
type flaw struct {
	id   records.ID
	p    records.Provenance
	lost string // the commit that forged the tombstone, "" for a verdict
}

// Faults are the verdicts that the history does not prove, and those that stand where
// another should, by digest. There are hardly any in a store that nobody tampered with.
type Faults map[string]flaw

// Provenance tells what the history proves about a verdict.
func (fs Faults) Provenance(r *records.Record, m *records.Verdict) records.Provenance {
	if len(fs) > 0 {
		if f, ok := fs[records.VerdictDigest(r.ID, m)]; ok {
			return f.p
		}
	}
	return records.Provenance{Named: m.Actor == records.Human}
}

// Lost lists the forged tombstone of a record.
func (fs Faults) Lost(id records.ID) []records.Loss {
	for _, f := range fs {
		if f.id == id && f.lost != "" {
			return []records.Loss{{Rule: records.RuleTombstone, Commit: f.lost}}
		}
	}
	return nil
}

// Ask asks the history about a record, and keeps the faults. What stood in old is asked about
// only where newer commits name verdicts of the record.
func (fs Faults) Ask(h History, r, old *records.Record) error {
	if h == nil {
		return nil
	}
	if r.Tombstone != nil {
		loss, err := h.Loss(r)
		if err == nil && loss != nil {
			fs[records.TombstoneDigest(r)] = flaw{id: r.ID, lost: loss.Commit}
		}
		return err
	}
	var known map[string]bool
	if old != nil && old.Tombstone == nil {
		named, err := h.Named()
		if err != nil {
			return err
		}
		if !named[r.ID] {
			known = fs.of(old)
		}
	}
	for m := range records.Verdicts(r) {
		digest := records.VerdictDigest(r.ID, m)
		if known[digest] {
			continue
		}
		p, err := h.Provenance(r, m)
		if err != nil {
			return err
		}
		if p == (records.Provenance{Named: m.Actor == records.Human}) {
			delete(fs, digest)
		} else {
			fs[digest] = flaw{id: r.ID, p: p}
		}
	}
	return nil
}

// of tells which faults are a record's own.
func (fs Faults) of(r *records.Record) map[string]bool {
	own := make(map[string]bool)
	switch {
	case r == nil:
	case r.Tombstone != nil:
		own[records.TombstoneDigest(r)] = true
	default:
		for m := range records.Verdicts(r) {
			own[records.VerdictDigest(r.ID, m)] = true
		}
	}
	return own
}

// judge is what standings are judged by. Records in the index are within their
// validity, which is the reader's to judge.
func (fs Faults) judge(review records.Review, to Head) records.EvalContext {
	return records.EvalContext{Review: review, Signed: to.Signed, Provenance: fs.Provenance, Lost: fs.Lost}
}

const (
	selectFaults = "SELECT digest, rec, named, displaced, over, lost FROM faults"
	insertFault  = "INSERT OR REPLACE INTO faults (digest, rec, named, displaced, over, lost) VALUES (?, ?, ?, ?, ?, ?)"
	deleteFault  = "DELETE FROM faults WHERE digest = ?"
)

func (w *wanted) flaw(row []driver.Value) (string, flaw) {
	id, _ := idOf(w.number(row[1]))
	return w.text(row[0]), flaw{id: id, lost: w.text(row[5]), p: records.Provenance{
		Named: w.number(row[2]) != 0, Displaced: w.text(row[3]), Over: w.text(row[4]),
	}}
}

// faults reads what the history has against verdicts.
func (c *conn) faults() (Faults, error) {
	out := make(Faults)
	err := c.query(selectFaults, nil, func(row []driver.Value) error {
		var w wanted
		digest, f := w.flaw(row)
		out[digest] = f
		return w.err
	})
	return out, err
}

func (c *conn) insertFaults(fs Faults) error {
	for digest, f := range fs {
		rec, _ := number(f.id)
		if err := c.exec(insertFault, digest, rec, truth(f.p.Named), f.p.Displaced, f.p.Over, f.lost); err != nil {
			return err
		}
	}
	return nil
}

// Faults returns what the history has against verdicts. The caller may add to it.
func (s *Snap) Faults() (Faults, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make(Faults)
	s.query(selectFaults, nil, func(row []driver.Value, w *wanted) {
		digest, f := w.flaw(row)
		out[digest] = f
	})
	return out, s.err
}

// verify asks the history about what is new in a record, and keeps its faults.
func (u *update) verify(it *item, old *records.Record) error {
	was := u.faults.of(old)
	for digest := range u.faults.of(it.record) {
		was[digest] = true
	}
	before := make(Faults)
	for digest := range was {
		if f, bad := u.faults[digest]; bad {
			before[digest] = f
		}
	}
	if it.record == nil {
		for digest := range before {
			delete(u.faults, digest)
		}
	} else {
		is := u.faults.of(it.record)
		for digest := range before {
			if !is[digest] {
				delete(u.faults, digest)
			}
		}
		if err := u.faults.Ask(u.to.History, it.record, old); err != nil {
			return err
		}
	}
	for digest := range was {
		f, bad := u.faults[digest]
		switch had, stood := before[digest]; {
		case bad && (!stood || f != had):
			if err := u.conn.insertFaults(Faults{digest: f}); err != nil {
				return err
			}
		case !bad && stood:
			if err := u.conn.exec(deleteFault, digest); err != nil {
				return err
			}
		}
	}
	return nil
}

// reconsider asks anew about the records that newer commits name and did not change: a
// verdict may be proved, or displaced, by what a merge brought.
func (u *update) reconsider() error {
	if u.to.History == nil {
		return nil
	}
	named, err := u.to.History.Named()
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(named)) {
		rec, ok := number(id)
		if !ok || u.seen[rec] || !named[id] {
			continue
		}
		r, ok := u.view.load(rec)
		if !ok {
			continue
		}
		if err := u.verify(&item{rec: rec, record: r}, nil); err != nil {
			return err
		}
		for _, id := range standing.Affected(u.view, r, r) {
			if rec, ok := number(id); ok {
				u.affected[rec] = true
			}
		}
	}
	return u.view.err
}
