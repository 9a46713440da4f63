package index

import (
	"database/sql/driver"

	"github.com/git-ctx/git-ctx/records"
)

// A Snap is the index as it was when the Snap was made. As a [records.View] it
// cannot return errors: after one, every answer is empty and [Snap.Err] tells.
// It is safe for concurrent use.
type Snap struct {
	lookups
	db     *DB
	c      *conn
	head   Head
	review records.Review
	closed bool
}

// Commit returns the commit that the index holds, "" when it holds nothing.
func (s *Snap) Commit() string { return s.head.Commit }

// Note returns the note given with that commit.
func (s *Snap) Note() []byte { return s.head.Note }

// Review returns the policy that the standings in [Row] are for.
func (s *Snap) Review() records.Review { return s.review }

// Signers names whose signatures those standings count; see [Head].
func (s *Snap) Signers() string { return s.head.Signers }

// Err returns the first error of this Snap, which makes all answers since the
// beginning worthless: they may be missing what could not be read.
func (s *Snap) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil && !s.closed && s.c.frozen != nil {
		s.err = s.c.frozen.check()
	}
	return s.err
}

// Close ends the read and returns what Err does. A second Close does nothing.
func (s *Snap) Close() error {
	err := s.Err()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	s.c.rollback()
	err = s.db.settle(s.c, err)
	s.db.release(s.c)
	if s.err == nil {
		s.err = unavailable(errClosed)
	}
	return err
}

// Closed reports whether the Snap was closed.
func (s *Snap) Closed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// Abbreviate returns the shortest prefix of id that no other id here has, as
// [records.Abbreviate] does.
func (s *Snap) Abbreviate(id records.ID, min int) string {
	rec, ok := number(id)
	if !ok {
		return string(id)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var near []records.ID
	add := func(row []driver.Value, w *wanted) { near = append(near, w.id(row[0])) }
	s.query("SELECT rec FROM contents WHERE rec < ? ORDER BY rec DESC LIMIT 1", []driver.Value{rec}, add)
	s.query("SELECT rec FROM contents WHERE rec >= ? ORDER BY rec LIMIT 2", []driver.Value{rec}, add)
	if s.err != nil {
		return string(id)
	}
	return records.Abbreviate(near, id, min)
}

// An Unreadable is a record file that does not decode: its record is not in the index.
type Unreadable struct {
	Path string
	Err  error // a *[records.SyntaxError]
}

// Unreadable returns the quarantined files, sorted by path.
func (s *Snap) Unreadable() ([]Unreadable, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var us []Unreadable
	s.query("SELECT path, line, col, msg FROM unreadable ORDER BY path", nil, func(row []driver.Value, w *wanted) {
		e := &records.SyntaxError{Path: w.text(row[0]), Line: int(w.number(row[1])), Col: int(w.number(row[2])), Msg: w.text(row[3])}
		us = append(us, Unreadable{e.Path, e})
	})
	return us, s.err
}

// OID returns the object ID of the record's file, "" when the index has none.
func (s *Snap) OID(id records.ID) string {
	rec, ok := number(id)
	if !ok {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	oid := ""
	s.query("SELECT oid FROM contents WHERE rec = ?", []driver.Value{rec}, func(row []driver.Value, w *wanted) { oid = w.text(row[0]) })
	return oid
}
