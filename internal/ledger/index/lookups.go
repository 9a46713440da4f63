package index

import (
	"database/sql/driver"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/git-ctx/git-ctx/records"
)

// lookups answers as a [records.View] from a database. After an error, which
// stays, every answer is empty.
type lookups struct {
	mu    sync.Mutex // of the connection and all below
	conn  *conn
	err   error
	cache cache
	count int // records, 0 when not yet counted
}

var _ records.View = (*lookups)(nil)

const (
	selectData   = "SELECT data FROM contents WHERE rec = ?"
	selectLookup = "SELECT rec FROM lookups WHERE key = ? ORDER BY rec LIMIT ?"
	selectBatch  = "SELECT rec, data FROM contents WHERE rec > ? ORDER BY rec LIMIT ?"
	selectCount  = "SELECT ifnull(sum(n), 0) FROM totals"
)

// batchSize is how many records or rows are read at once.
const batchSize = 256

// Record implements [records.View].
func (v *lookups) Record(id records.ID) (*records.Record, bool) {
	rec, ok := number(id)
	if !ok {
		return nil, false
	}
	return v.load(rec)
}

// load returns the record with a number.
func (v *lookups) load(rec int64) (*records.Record, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.err != nil {
		return nil, false
	}
	if r, ok := v.cache.get(rec); ok {
		return r, r != nil
	}
	var data []byte
	v.query(selectData, []driver.Value{rec}, func(row []driver.Value, w *wanted) { data = w.bytes(row[0]) })
	if v.err != nil {
		return nil, false
	}
	var r *records.Record
	if data != nil {
		if r, v.err = decode(rec, data); v.err != nil {
			return nil, false
		}
	}
	v.cache.put(rec, r)
	return r, r != nil
}

// decode reads a record that the index wrote itself.
func decode(rec int64, data []byte) (*records.Record, error) {
	id, _ := idOf(rec)
	r, err := records.Parse("", data)
	if err == nil && r.ID != id {
		err = fmt.Errorf("it is '%s'", r.ID)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w: record '%s': %w", ErrUnavailable, errDamaged, id, err)
	}
	return r, nil
}

// query runs a query under the lock, unless there was an error.
func (v *lookups) query(sql string, args []driver.Value, fn func(row []driver.Value, w *wanted)) {
	if v.err != nil {
		return
	}
	var w wanted
	v.err = v.conn.query(sql, args, func(row []driver.Value) error {
		fn(row, &w)
		return w.err
	})
}

func (v *lookups) find(l records.Lookup) []records.ID { return v.findSome(l, -1) }

// findSome returns the first of what a lookup finds, -1 being all.
func (v *lookups) findSome(l records.Lookup, limit int) []records.ID {
	k := keyOf(l)
	v.mu.Lock()
	defer v.mu.Unlock()
	var ids []records.ID
	v.query(selectLookup, []driver.Value{k[:], int64(limit)}, func(row []driver.Value, w *wanted) {
		ids = append(ids, w.id(row[0]))
	})
	if v.err != nil {
		return nil
	}
	return ids
}

// id reads a record's number as its id.
func (w *wanted) id(v driver.Value) records.ID {
	id, ok := idOf(w.number(v))
	w.check(ok, v)
	return id
}

// Backlinks implements [records.View].
func (v *lookups) Backlinks(id records.ID, rel records.Relation) []records.ID {
	return v.find(records.BacklinksLookup(id, rel))
}

// Linking returns the records that link to id or cite it, sorted, the first limit of them.
func (v *lookups) Linking(id records.ID, limit int) []records.ID {
	return v.findSome(records.BacklinksLookup(id, records.AnyLink), limit)
}

// OnQuestion implements [records.View].
func (v *lookups) OnQuestion(key string) []records.ID { return v.find(records.QuestionLookup(key)) }

// Titled implements [records.View].
func (v *lookups) Titled(k records.Kind, key string) []records.ID {
	return v.find(records.TitleLookup(k, key))
}

// Forgotten implements [records.View].
func (v *lookups) Forgotten(k records.Kind) []records.ID {
	return v.find(records.ForgottenLookup(k))
}

// InState implements [records.View].
func (v *lookups) InState(k records.Kind, s records.State) []records.ID {
	return v.find(stateLookup(k, s))
}

// Match implements [records.View].
func (v *lookups) Match(prefix string) ([]records.ID, error) {
	if _, err := records.MatchPrefix(nil, prefix); err != nil {
		return nil, err // no id can have it
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	var out []records.ID
	for _, p := range prefixes {
		pre, random, ok := strings.Cut(prefix, "-")
		if !ok {
			pre, random = p.text, prefix
		}
		if !strings.EqualFold(pre, p.text) {
			continue
		}
		lo, err := records.ParseID(p.text + "-" + random + strings.Repeat("0", randomLength-len(random)))
		if err != nil {
			return nil, err
		}
		first, _ := number(lo)
		last := first | (1<<(5*(randomLength-len(random))) - 1)
		v.query("SELECT rec FROM contents WHERE rec BETWEEN ? AND ? ORDER BY rec", []driver.Value{first, last},
			func(row []driver.Value, w *wanted) { out = append(out, w.id(row[0])) })
	}
	if v.err != nil {
		return nil, v.err
	}
	slices.Sort(out)
	return out, nil
}

// Veto implements [records.View]. An index knows one branch only and has no
// vetoes; readers lay them over it.
func (v *lookups) Veto(records.ID) (records.State, bool) { return "", false }

// Len implements [records.View].
func (v *lookups) Len() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.count == 0 {
		v.query(selectCount, nil, func(row []driver.Value, w *wanted) { v.count = int(w.number(row[0])) })
	}
	if v.err != nil {
		return 0
	}
	return v.count
}

// All implements [records.View]. What it yields is not kept in memory.
func (v *lookups) All() iter.Seq[*records.Record] {
	return func(yield func(*records.Record) bool) {
		for last, more := int64(-1), true; more; {
			var rs []*records.Record
			rs, last, more = v.next(last)
			for _, r := range rs {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// next reads the records after a number, some at a time, and the number of the last.
func (v *lookups) next(last int64) ([]*records.Record, int64, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	var recs []int64
	var data [][]byte
	v.query(selectBatch, []driver.Value{last, int64(batchSize)}, func(row []driver.Value, w *wanted) {
		recs, data = append(recs, w.number(row[0])), append(data, w.bytes(row[1]))
	})
	if v.err != nil || len(recs) == 0 {
		return nil, 0, false
	}
	rs := make([]*records.Record, len(recs))
	errs := make([]error, len(recs))
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for n := range workers {
		wg.Go(func() {
			for i := n; i < len(recs); i += workers {
				rs[i], errs[i] = decode(recs[i], data[i])
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			v.err = err
			return nil, 0, false
		}
	}
	return rs, recs[len(recs)-1], len(recs) == batchSize
}

// cacheSize is how many records a cache keeps at least.
const cacheSize = 4096

// A cache remembers the records, nil for none, that were asked for last: those
// asked for before the newest cacheSize go.
type cache struct{ young, old map[int64]*records.Record }

func (c *cache) get(rec int64) (*records.Record, bool) {
	if r, ok := c.young[rec]; ok {
		return r, true
	}
	r, ok := c.old[rec]
	if ok {
		c.put(rec, r)
	}
	return r, ok
}

func (c *cache) put(rec int64, r *records.Record) {
	if c.young == nil || len(c.young) >= cacheSize {
		c.young, c.old = make(map[int64]*records.Record), c.young
	}
	c.young[rec] = r
}

// set replaces what is remembered.
func (c *cache) set(rec int64, r *records.Record) {
	delete(c.old, rec)
	c.put(rec, r)
}
