package index

import (
	"context"
	"database/sql/driver"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/standing"
)

// A Change is one record file that differs between two commits.
type Change struct {
	Path string
	OID  string
	Data []byte // nil when the file is gone
}

// A Head is the commit that an index holds, with what the caller wants to know
// of it without reading git.
type Head struct {
	Commit string
	Note   []byte
	// History tells what the history of the commit proves; nil takes every verdict for proved.
	History History
	// Signed tells whether a record's verdict is signed so that it counts, and
	// Signers names what that rests on: with others than before all records are
	// judged anew. Signed is safe for concurrent use; nil knows no signature.
	Signed  func(*records.Record, *records.Verdict) bool
	Signers string
}

// Update moves the index from one commit to another, all or nothing. From ""
// builds it: the index must hold nothing, and changes are all record files,
// best in order of path. The standings are for the given policy; when that is
// another than before, all are judged anew. The bytes of a change are used only
// until the next is asked for; an error among the changes ends the update and
// is returned. Other errors are [ErrMoved], and those that wrap [ErrUnavailable].
func (db *DB) Update(ctx context.Context, from string, to Head, review records.Review, changes iter.Seq2[Change, error]) error {
	c, held, was, err := db.lock(ctx, from)
	if err != nil {
		return fmt.Errorf("update index: %w", err)
	}
	defer db.release(c)
	if from == "" {
		err = db.build(ctx, c.gen, to, review, changes)
		c.rollback() // the database built took its place
	} else {
		u := &update{conn: c, view: &lookups{conn: c}, to: to, review: review, affected: make(map[int64]bool), seen: make(map[int64]bool)}
		if err = u.run(ctx, was != review || held.Signers != to.Signers, changes); err == nil {
			err = c.exec("COMMIT")
		}
		if err != nil {
			c.rollback()
		}
	}
	if err = db.settle(c, err); err != nil {
		return fmt.Errorf("update index: %w", err)
	}
	return nil
}

// note is the note as SQLite takes it: never null.
func (h Head) note() []byte {
	if h.Note == nil {
		return []byte{}
	}
	return h.Note
}

// lock starts a write on the database that stands, which must hold commit from.
func (db *DB) lock(ctx context.Context, from string) (*conn, Head, records.Review, error) {
	for range attempts {
		if err := ctx.Err(); err != nil {
			return nil, Head{}, "", err
		}
		c, err := db.acquire()
		if err != nil {
			return nil, Head{}, "", err
		}
		var held Head
		var gen string
		var review records.Review
		if err = c.exec("BEGIN IMMEDIATE"); err != nil {
			c.broken = true
		} else if gen, err = readPointer(db.dir); err == nil {
			held, review, err = c.held()
		}
		switch {
		case err == nil && gen == c.gen && held.Commit == from:
			return c, held, review, nil
		case err == nil && gen == c.gen:
			err = ErrMoved
		}
		if !c.broken {
			c.rollback()
		}
		err = db.settle(c, err)
		db.release(c)
		if err != nil {
			return nil, Head{}, "", err
		}
	}
	return nil, Head{}, "", fmt.Errorf("%w: it is replaced again and again", ErrUnavailable)
}

// An update is one transaction that changes some records.
type update struct {
	conn     *conn
	view     *lookups // of the transaction as far as it got
	to       Head
	review   records.Review
	affected map[int64]bool
	seen     map[int64]bool // the records that changed
	faults   Faults
}

func (u *update) run(ctx context.Context, all bool, changes iter.Seq2[Change, error]) error {
	var err error
	if u.faults, err = u.conn.faults(); err != nil {
		return err
	}
	for ch, err := range changes {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = u.apply(newItem(ch.Path, ch.OID, ch.Data))
		}
		if err != nil {
			return err
		}
	}
	if err := u.reconsider(); err != nil {
		return err
	}
	recs := slices.Sorted(maps.Keys(u.affected))
	if all {
		recs = recs[:0]
		err := u.conn.query("SELECT rec FROM records ORDER BY rec", nil, func(row []driver.Value) error {
			var w wanted
			recs = append(recs, w.number(row[0]))
			return w.err
		})
		if err != nil {
			return err
		}
	}
	if err := u.conn.rejudge(u.view, recs, u.faults.judge(u.review, u.to)); err != nil {
		return err
	}
	return u.conn.exec(updateMeta, u.to.Commit, string(u.review), u.to.Signers, u.to.note())
}

const (
	updateMeta       = "UPDATE meta SET held = ?, review = ?, signers = ?, note = ?"
	insertContent    = "INSERT OR REPLACE INTO contents (rec, oid, data) VALUES (?, ?, ?)"
	insertLookup     = "INSERT INTO lookups (key, rec) VALUES (?, ?)"
	deleteLookup     = "DELETE FROM lookups WHERE key = ? AND rec = ?"
	insertUnreadable = "INSERT OR REPLACE INTO unreadable (path, line, col, msg) VALUES (?, ?, ?, ?)"
	deleteUnreadable = "DELETE FROM unreadable WHERE path = ?"
	insertText       = "INSERT INTO search (rowid, title, tags, reason, body) VALUES (?, ?, ?, ?, ?)"
	insertDoc        = "INSERT INTO docs (doc, rec) VALUES (?, ?)"
)

// apply makes one change, and notes whose standing it may touch.
func (u *update) apply(it *item) error {
	if err := u.conn.exec(deleteUnreadable, it.path); err != nil {
		return err
	}
	if it.err != nil {
		if err := u.conn.exec(insertUnreadable, it.path, int64(it.err.Line), int64(it.err.Col), it.err.Msg); err != nil {
			return err
		}
	}
	if !it.known {
		return nil
	}
	u.seen[it.rec] = true
	old, _ := u.view.load(it.rec)
	if u.view.err != nil {
		return u.view.err
	}
	if old == nil && it.record == nil {
		return nil
	}
	if err := u.store(it, old); err != nil {
		return err
	}
	if err := u.verify(it, old); err != nil {
		return err
	}
	u.view.cache.set(it.rec, it.record)
	for _, id := range standing.Affected(u.view, old, it.record) {
		if rec, ok := number(id); ok {
			u.affected[rec] = true
		}
	}
	return u.view.err
}

// store replaces the rows of old by those of the item.
func (u *update) store(it *item, old *records.Record) error {
	var was []posting
	var text [4]string
	if old != nil {
		was, text = postingsOf(old, it.rec), textOf(old)
	}
	if err := u.storePostings(was, it.postings); err != nil {
		return err
	}
	if err := u.storeText(it, text); err != nil {
		return err
	}
	if err := u.conn.exec("DELETE FROM records WHERE rec = ?", it.rec); err != nil {
		return err
	}
	if it.record == nil {
		return u.conn.exec("DELETE FROM contents WHERE rec = ?", it.rec)
	}
	if err := u.conn.exec(insertRecord, it.row(records.Standing{})...); err != nil {
		return err // its standing is judged when all changes are in
	}
	return u.conn.exec(insertContent, it.rec, it.oid, it.data)
}

// storeText replaces the text searched, and sets the item's doc.
func (u *update) storeText(it *item, old [4]string) error {
	if old != noText {
		err := u.conn.query("SELECT doc FROM records WHERE rec = ?", []driver.Value{it.rec}, func(row []driver.Value) error {
			var w wanted
			it.doc = w.number(row[0])
			return w.err
		})
		if err != nil || old == it.text {
			return err
		}
		if err := u.conn.exec("DELETE FROM search WHERE rowid = ?", it.doc); err != nil {
			return err
		}
		if err := u.conn.exec("DELETE FROM docs WHERE doc = ?", it.doc); err != nil {
			return err
		}
		it.doc = 0
	}
	if it.text == noText {
		return nil
	}
	err := u.conn.query("SELECT ifnull(max(doc), 0) + 1 FROM docs", nil, func(row []driver.Value) error {
		var w wanted
		it.doc = w.number(row[0])
		return w.err
	})
	if err != nil {
		return err
	}
	return u.conn.insertText(it)
}

// insertText stores the text of an item that has a doc.
func (c *conn) insertText(it *item) error {
	if err := c.exec(insertDoc, it.doc, it.rec); err != nil {
		return err
	}
	return c.exec(insertText, it.doc, it.text[0], it.text[1], it.text[2], it.text[3])
}

func (u *update) storePostings(was, is []posting) error {
	for len(was) > 0 || len(is) > 0 {
		sql, p := "", posting{}
		switch {
		case len(is) == 0 || len(was) > 0 && comparePostings(was[0], is[0]) < 0:
			sql, p, was = deleteLookup, was[0], was[1:]
		case len(was) == 0 || comparePostings(was[0], is[0]) > 0:
			sql, p, is = insertLookup, is[0], is[1:]
		default:
			was, is = was[1:], is[1:]
			continue
		}
		if err := u.conn.exec(sql, p.key[:], p.rec); err != nil {
			return err
		}
	}
	return nil
}
