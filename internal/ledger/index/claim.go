package index

import (
	"database/sql/driver"
	"iter"
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

// A Claim is a verdict that counts on a person's word, as a record holds it;
// whether a person gave it, the store's history tells.
type Claim struct {
	Record     records.ID
	Digest, By string
}

// ClaimOf returns the claim that a verdict on a record makes.
func ClaimOf(id records.ID, v *records.Verdict) Claim {
	return Claim{id, records.VerdictDigest(id, v), v.By}
}

// Claims yields the claims of a record.
func Claims(r *records.Record) iter.Seq[Claim] {
	return func(yield func(Claim) bool) {
		for v := range records.HumanVerdicts(r) {
			if !yield(ClaimOf(r.ID, v)) {
				return
			}
		}
	}
}

// claims are those that the history does not bear out, by digest.
type claims map[string]Claim

// judge is what standings are judged by. Records in the index are within their
// validity, which is the reader's to judge.
func (cs claims) judge(review records.Review, to Head) records.EvalContext {
	return records.EvalContext{Review: review, Signed: to.Signed, Provenance: func(r *records.Record, v *records.Verdict) records.Provenance {
		p := records.Provenance{Named: v.Actor == records.Human}
		if len(cs) > 0 && p.Named {
			_, bad := cs[records.VerdictDigest(r.ID, v)]
			p.Named = !bad
		}
		return p
	}}
}

const (
	selectClaims = "SELECT digest, rec, by FROM unattested"
	insertClaim  = "INSERT OR REPLACE INTO unattested (digest, rec, by) VALUES (?, ?, ?)"
	deleteClaim  = "DELETE FROM unattested WHERE digest = ?"
)

// claims reads the claims that the history does not bear out.
func (c *conn) claims() (claims, error) {
	cs := make(claims)
	err := c.query(selectClaims, nil, func(row []driver.Value) error {
		var w wanted
		id, _ := idOf(w.number(row[1]))
		cl := Claim{id, w.text(row[0]), w.text(row[2])}
		cs[cl.Digest] = cl
		return w.err
	})
	return cs, err
}

func (c *conn) insertClaim(cl Claim) error {
	rec, _ := number(cl.Record)
	return c.exec(insertClaim, cl.Digest, rec, cl.By)
}

// Unattested returns the digests of the verdicts that claim a person's word and
// that the history does not bear out.
func (s *Snap) Unattested() (map[string]bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out map[string]bool
	s.query(selectClaims, nil, func(row []driver.Value, w *wanted) {
		if out == nil {
			out = make(map[string]bool)
		}
		out[w.text(row[0])] = true
	})
	return out, s.err
}

// attest asks the history for the claims of a record that are new with it, and
// keeps those that it does not bear out.
func (u *update) attest(it *item, old *records.Record) error {
	var was, is []Claim
	if old != nil {
		was = slices.Collect(Claims(old))
	}
	if it.record != nil {
		is = slices.Collect(Claims(it.record))
	}
	for _, cl := range was {
		if _, bad := u.bad[cl.Digest]; bad && !slices.Contains(is, cl) {
			delete(u.bad, cl.Digest)
			if err := u.conn.exec(deleteClaim, cl.Digest); err != nil {
				return err
			}
		}
	}
	for _, cl := range is {
		if slices.Contains(was, cl) {
			continue
		}
		ok, err := u.to.attested(cl, true)
		if err != nil {
			return err
		}
		if !ok {
			u.bad[cl.Digest] = cl
			if err := u.conn.insertClaim(cl); err != nil {
				return err
			}
		}
	}
	return nil
}

// reconsider takes back what the newer history bears out after all.
func (u *update) reconsider() error {
	for digest, cl := range u.bad {
		ok, err := u.to.attested(cl, false)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		delete(u.bad, digest)
		if err := u.conn.exec(deleteClaim, digest); err != nil {
			return err
		}
		if rec, ok := number(cl.Record); ok {
			u.affected[rec] = true
		}
	}
	return nil
}

// attested asks the head's history; where the caller knows none, it believes.
func (h Head) attested(cl Claim, far bool) (bool, error) {
	if h.Attested == nil {
		return true, nil
	}
	return h.Attested(cl, far)
}
