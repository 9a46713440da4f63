// Package index keeps the records of one store commit in a SQLite database, so
// that reads need neither git objects nor a walk over everything.
//
// It owns a directory for each context ref and nothing else. What it holds is
// disposable and exact: each lookup answers as [records.Set] would, or fails
// with [ErrUnavailable], upon which the caller reads git. It refuses to guess:
// an update starts from the commit that the index holds, or from nothing.
package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

var (
	// ErrUnavailable says that the index cannot be used now: not created, not
	// writable, locked for too long, or damaged. The caller reads git instead;
	// damage is repaired by the next use.
	ErrUnavailable = errors.New("index unavailable")
	// ErrMoved says that the index does not hold the commit an update starts
	// from: another process was faster.
	ErrMoved = errors.New("index holds another commit")

	errClosed = errors.New("index is closed")
)

// attempts bounds how often a use of the index starts over because another
// process replaced the database, or because it had to be made anew.
const attempts = 5

// A DB is the index of one context ref. It is safe for concurrent use by
// goroutines, and its directory by processes.
type DB struct {
	dir string

	mu     sync.Mutex
	gen    string  // of the idle connections
	idle   []*conn // without a transaction
	closed bool
}

// Open opens the index in the directory path, made if need be, as is the
// database in it; one that is damaged or of another version is made anew.
// Errors wrap [ErrUnavailable].
func Open(path string) (*DB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open index: %w: %w", ErrUnavailable, err)
	}
	db := &DB{dir: path}
	c, err := db.acquire()
	if err != nil {
		return nil, fmt.Errorf("open index '%s': %w", path, err)
	}
	db.release(c)
	return db, nil
}

// Remove deletes the index in the directory path, with all its history on disk.
// Processes that have it open start anew. No index is not an error.
func Remove(path string) error {
	// The pointer goes first: from then on nobody new finds what is being deleted.
	if err := os.Remove(filepath.Join(path, pointerName)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove index: %w", err)
	}
	if err := os.RemoveAll(path); err != nil {
		return fmt.Errorf("remove index: %w", err)
	}
	return nil
}

// Close ends the use of the index. Snapshots still open stay valid until they are closed.
func (db *DB) Close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.closed = true
	return db.dropIdle()
}

// dropIdle closes the connections nobody uses.
func (db *DB) dropIdle() error {
	var errs []error
	for _, c := range db.idle {
		errs = append(errs, c.close())
	}
	db.idle = nil
	return errors.Join(errs...)
}

// Reset makes the index hold nothing, for when the commit it holds cannot be
// compared with the one that is wanted.
func (db *DB) Reset() error {
	gen, err := readPointer(db.dir)
	if err == nil {
		err = replace(db.dir, gen)
	}
	if err != nil {
		return fmt.Errorf("reset index: %w", err)
	}
	return nil
}

// acquire returns a connection to the database that stands now. What is
// damaged or of another version is replaced on the way.
func (db *DB) acquire() (*conn, error) {
	var last error
	for range attempts {
		gen, err := readPointer(db.dir)
		if err == nil && gen == "" {
			err = errDamaged
		}
		if err == nil {
			var c *conn
			if c, err = db.connect(gen); err == nil {
				return c, nil
			}
		}
		if !errors.Is(err, errDamaged) {
			return nil, err
		}
		last = err
		if err := replace(db.dir, gen); err != nil {
			return nil, err
		}
	}
	return nil, last
}

// connect takes an idle connection of a generation, or opens one.
func (db *DB) connect(gen string) (*conn, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, errClosed)
	}
	if gen != db.gen {
		_ = db.dropIdle() // of a database that no longer stands
		db.gen = gen
	}
	if n := len(db.idle); n > 0 {
		c := db.idle[n-1]
		db.idle = db.idle[:n-1]
		return c, nil
	}
	return connect(db.dir, gen)
}

// release gives back a connection, which is in no transaction.
func (db *DB) release(c *conn) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed || c.gen != db.gen || c.broken {
		_ = c.close() // nothing in it is worth keeping
		return
	}
	db.idle = append(db.idle, c)
}

// settle ends a use of c that came to err: what turned out damaged is replaced,
// so that the next use finds an empty index.
func (db *DB) settle(c *conn, err error) error {
	if errors.Is(err, errDamaged) {
		c.broken = true
		if rerr := replace(db.dir, c.gen); rerr != nil {
			return errors.Join(err, rerr)
		}
	}
	return err
}

// Begin starts a read: a view of what the index holds now, unmoved by updates
// until it is closed.
func (db *DB) Begin(ctx context.Context) (*Snap, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c, err := db.acquire()
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	s := &Snap{db: db, c: c, lookups: lookups{conn: c}}
	err = c.exec("BEGIN")
	if err == nil {
		s.head, s.review, err = c.held()
	}
	if err != nil {
		c.rollback()
		err = db.settle(c, err)
		db.release(c)
		return nil, fmt.Errorf("read index: %w", err)
	}
	return s, nil
}
