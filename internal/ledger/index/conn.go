package index

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/git-ctx/git-ctx/records"
)

// errDamaged says that a database cannot be what this version wrote.
var errDamaged = errors.New("damaged or of another version")

// lockWait is how long a writer waits for another, in milliseconds.
const lockWait = 2000

// A conn is one connection to a database, for one goroutine at a time. It
// speaks to the driver itself: database/sql hands statements of one
// transaction to goroutines and connections as it sees fit, and costs as much
// as a point read does.
type conn struct {
	gen    string
	raw    driver.Conn
	stmts  map[string]driver.Stmt // prepared ones by their text
	broken bool                   // not to be used again
	frozen *frozen                // set when opened as a file that nobody changes
}

// A frozen is what a database file looked like when it was opened without locks.
type frozen struct {
	path string
	size int64
	mod  time.Time
}

// connect opens a database that is there, and checks its version.
func connect(dir, gen string) (*conn, error) {
	path := databasePath(dir, gen)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w: %w: %w", ErrUnavailable, errDamaged, err)
	}
	c, err := dial(path, gen, "mode=rw", fmt.Sprintf("PRAGMA busy_timeout=%d; PRAGMA synchronous=%s", lockWait, synchronous))
	if err == nil {
		return c, nil
	}
	// Where nothing may be written, SQLite cannot make the lock file it reads
	// under. Without a log there is nothing to be locked out of.
	var se *sqlite.Error
	if !errors.As(err, &se) || se.Code()&0xff != sqlite3.SQLITE_CANTOPEN && se.Code()&0xff != sqlite3.SQLITE_READONLY {
		return nil, err
	}
	f, ferr := freeze(path)
	if ferr != nil {
		return nil, err
	}
	if c, err = dial(path, gen, "mode=ro&immutable=1", ""); err == nil {
		c.frozen = f
	}
	return c, err
}

func dial(path, gen, mode, pragmas string) (*conn, error) {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: mode + "&_error_rc=1"}
	connector, err := sqlite.NewConnector(u.String())
	if err != nil {
		return nil, unavailable(err)
	}
	raw, err := connector.Connect(context.Background())
	if err != nil {
		return nil, fault(err)
	}
	c := &conn{gen: gen, raw: raw, stmts: make(map[string]driver.Stmt)}
	if pragmas != "" {
		err = c.script(pragmas)
	}
	if err == nil && mode != modeCreate {
		err = c.checkVersion()
	}
	if err != nil {
		_ = c.close() // the error that counts is the first
		return nil, err
	}
	return c, nil
}

func (c *conn) checkVersion() error {
	var v int64
	err := c.query("PRAGMA user_version", nil, func(row []driver.Value) error {
		v, _ = row[0].(int64)
		return nil
	})
	if err == nil && v != version() {
		err = fmt.Errorf("%w: %w: its version is %d, not %d", ErrUnavailable, errDamaged, v, version())
	}
	return err
}

// freeze describes a database without a log.
func freeze(path string) (*frozen, error) {
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 {
		return nil, errors.New("another process writes it")
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	return &frozen{path, info.Size(), info.ModTime()}, nil
}

// check reports that the file changed after all.
func (f *frozen) check() error {
	now, err := freeze(f.path)
	if err == nil && *now != *f {
		err = errors.New("it changed while it was read")
	}
	if err != nil {
		return unavailable(err)
	}
	return nil
}

func (c *conn) close() error {
	var errs []error
	for _, st := range c.stmts {
		errs = append(errs, st.Close())
	}
	return errors.Join(append(errs, c.raw.Close())...)
}

// script runs several statements without arguments.
func (c *conn) script(sql string) error {
	st, err := c.raw.Prepare(sql)
	if err != nil {
		return fault(err)
	}
	defer st.Close()
	_, err = st.(driver.StmtExecContext).ExecContext(context.Background(), nil)
	return fault(err)
}

// prepare returns the statement with the given text, which must be one of few.
func (c *conn) prepare(sql string) (driver.Stmt, error) {
	if st, ok := c.stmts[sql]; ok {
		return st, nil
	}
	st, err := c.raw.Prepare(sql)
	if err != nil {
		return nil, fault(err)
	}
	c.stmts[sql] = st
	return st, nil
}

func named(args []driver.Value) []driver.NamedValue {
	vs := make([]driver.NamedValue, len(args))
	for i, a := range args {
		vs[i] = driver.NamedValue{Ordinal: i + 1, Value: a}
	}
	return vs
}

// exec runs a statement that returns no rows.
func (c *conn) exec(sql string, args ...driver.Value) error {
	st, err := c.prepare(sql)
	if err != nil {
		return err
	}
	_, err = st.(driver.StmtExecContext).ExecContext(context.Background(), named(args))
	return fault(err)
}

// query calls fn for each row. The slice is fn's only during the call, and fn
// must not use the connection.
func (c *conn) query(sql string, args []driver.Value, fn func([]driver.Value) error) error {
	st, err := c.prepare(sql)
	if err != nil {
		return err
	}
	return run(st, args, fn)
}

// queryOnce is query for a statement that will hardly be asked for again.
func (c *conn) queryOnce(sql string, args []driver.Value, fn func([]driver.Value) error) error {
	st, err := c.raw.Prepare(sql)
	if err != nil {
		return fault(err)
	}
	defer st.Close()
	return run(st, args, fn)
}

func run(st driver.Stmt, args []driver.Value, fn func([]driver.Value) error) error {
	rows, err := st.(driver.StmtQueryContext).QueryContext(context.Background(), named(args))
	if err != nil {
		return fault(err)
	}
	defer rows.Close()
	row := make([]driver.Value, len(rows.Columns()))
	for {
		switch err := rows.Next(row); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fault(err)
		}
		if err := fn(row); err != nil {
			return err
		}
	}
}

// held returns the commit that the database holds and the policy its standings are for.
func (c *conn) held() (head Head, review records.Review, err error) {
	err = errDamaged
	qerr := c.query("SELECT held, review, signers, note FROM meta", nil, func(row []driver.Value) error {
		var w wanted
		head, review = Head{Commit: w.text(row[0]), Signers: w.text(row[2]), Note: w.bytes(row[3])}, records.Review(w.text(row[1]))
		err = w.err
		return nil
	})
	if qerr != nil {
		err = qerr
	} else if err != nil {
		err = unavailable(err)
	}
	return head, review, err
}

// rollback ends a transaction that came to nothing.
func (c *conn) rollback() {
	if err := c.exec("ROLLBACK"); err != nil {
		c.broken = true // it may be in no transaction, or stuck in one
	}
}

// fault tells what an error of SQLite means to us.
func fault(err error) error {
	if err == nil {
		return nil
	}
	var se *sqlite.Error
	if !errors.As(err, &se) {
		return unavailable(err)
	}
	if se.Code() == sqlite3.SQLITE_IOERR_SHORT_READ {
		return fmt.Errorf("%w: %w: %w", ErrUnavailable, errDamaged, err)
	}
	switch se.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT,
		sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_RANGE:
		// The statements are right, so the tables are not.
		return fmt.Errorf("%w: %w: %w", ErrUnavailable, errDamaged, err)
	}
	return unavailable(err)
}

// A wanted reads columns of the types they were written with; the first that
// is not remains as err.
type wanted struct{ err error }

func (w *wanted) text(v driver.Value) string {
	s, ok := v.(string)
	w.check(ok, v)
	return s
}

func (w *wanted) number(v driver.Value) int64 {
	n, ok := v.(int64)
	w.check(ok, v)
	return n
}

func (w *wanted) bytes(v driver.Value) []byte {
	b, ok := v.([]byte)
	w.check(ok, v)
	return b
}

func (w *wanted) check(ok bool, v driver.Value) {
	if !ok && w.err == nil {
		w.err = fmt.Errorf("%w: %w: a column holds a %T", ErrUnavailable, errDamaged, v)
	}
}
