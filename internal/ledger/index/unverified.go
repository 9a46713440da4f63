package index

import (
	"database/sql/driver"
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

// unverified are the human verdicts that the history does not prove, by digest.
type unverified map[string]records.HumanVerdict

// judge is what standings are judged by. Records in the index are within their
// validity, which is the reader's to judge.
func (bad unverified) judge(review records.Review, to Head) records.EvalContext {
	return records.EvalContext{Review: review, Signed: to.Signed, Provenance: func(r *records.Record, v *records.Verdict) records.Provenance {
		p := records.Provenance{Named: v.Actor == records.Human}
		if len(bad) > 0 && p.Named {
			_, named := bad[records.VerdictDigest(r.ID, v)]
			p.Named = !named
		}
		return p
	}}
}

const (
	selectUnverified = "SELECT digest, rec, by FROM unattested"
	insertUnverified = "INSERT OR REPLACE INTO unattested (digest, rec, by) VALUES (?, ?, ?)"
	deleteUnverified = "DELETE FROM unattested WHERE digest = ?"
)

// unverified reads the human verdicts that the history does not prove.
func (c *conn) unverified() (unverified, error) {
	out := make(unverified)
	err := c.query(selectUnverified, nil, func(row []driver.Value) error {
		var w wanted
		id, _ := idOf(w.number(row[1]))
		hv := records.HumanVerdict{Record: id, Digest: w.text(row[0]), By: w.text(row[2])}
		out[hv.Digest] = hv
		return w.err
	})
	return out, err
}

func (c *conn) insertUnverified(hv records.HumanVerdict) error {
	rec, _ := number(hv.Record)
	return c.exec(insertUnverified, hv.Digest, rec, hv.By)
}

// Unverified returns the digests of the human verdicts that the history does not prove.
func (s *Snap) Unverified() (map[string]bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out map[string]bool
	s.query(selectUnverified, nil, func(row []driver.Value, w *wanted) {
		if out == nil {
			out = make(map[string]bool)
		}
		out[w.text(row[0])] = true
	})
	return out, s.err
}

// verify asks the history about the human verdicts that are new in a record, and
// keeps those that it does not prove.
func (u *update) verify(it *item, old *records.Record) error {
	var was, is []records.HumanVerdict
	if old != nil {
		was = records.HumanVerdictsOf(old)
	}
	if it.record != nil {
		is = records.HumanVerdictsOf(it.record)
	}
	for _, hv := range was {
		if _, bad := u.bad[hv.Digest]; bad && !slices.Contains(is, hv) {
			delete(u.bad, hv.Digest)
			if err := u.conn.exec(deleteUnverified, hv.Digest); err != nil {
				return err
			}
		}
	}
	for _, hv := range is {
		if slices.Contains(was, hv) {
			continue
		}
		ok, err := u.to.verified(hv, true)
		if err != nil {
			return err
		}
		if !ok {
			u.bad[hv.Digest] = hv
			if err := u.conn.insertUnverified(hv); err != nil {
				return err
			}
		}
	}
	return nil
}

// reconsider drops those that the newer history proves after all.
func (u *update) reconsider() error {
	for digest, hv := range u.bad {
		ok, err := u.to.verified(hv, false)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		delete(u.bad, digest)
		if err := u.conn.exec(deleteUnverified, digest); err != nil {
			return err
		}
		if rec, ok := number(hv.Record); ok {
			u.affected[rec] = true
		}
	}
	return nil
}

// verified asks the head's history; where the caller knows none, all are proved.
func (h Head) verified(hv records.HumanVerdict, far bool) (bool, error) {
	if h.Verified == nil {
		return true, nil
	}
	return h.Verified(hv, far)
}
