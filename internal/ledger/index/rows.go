package index

import (
	"cmp"
	"database/sql/driver"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/records"
)

// An Order is one in which rows are listed.
type Order int

// The orders. Each ends with the id, so that it is total.
const (
	ByID       Order = iota
	Newest           // the latest created first
	ByPriority       // the most urgent first, then the oldest; without a priority a record counts as 2
)

// A Query selects rows. What is empty selects all.
type Query struct {
	Kinds   []records.Kind
	States  []records.State
	Classes []records.Class
	// Also are records that are selected whatever their class, as are those
	// with a validity: readers judge these again.
	Also  []records.ID
	Tag   string
	Order Order
	// Limit bounds the number of rows; 0 is no bound.
	Limit int
	// After skips the rows up to and including this record's. When the index
	// has no such record there are no rows.
	After records.ID
}

// A Row is what lists show of a record, without its content.
type Row struct {
	ID   records.ID
	Kind records.Kind
	// State is the one to show: [records.Standing].State.
	State records.State
	Asks  records.State // for what a proposal asks, "" when it does not
	Title string        // "" for a forgotten record
	// Class and Why are the standing under [Snap.Review], taken as within its
	// validity and without vetoes: readers judge those.
	Class    records.Class
	Why      records.Why
	Priority *int
	At       time.Time // of the verdict, zero when that is in conflict
	Created  time.Time
	Timed    bool // has a validity: Class may be another at a given instant
}

// Rows yields the rows that q selects, in its order. An error is the last yield.
// The Snap may be used within the loop.
func (s *Snap) Rows(q Query) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		left := q.Limit
		for {
			page := q
			page.Limit = batchSize
			if left > 0 {
				page.Limit = min(left, batchSize)
			}
			rows, err := s.rows(page)
			if err != nil {
				yield(Row{}, err)
				return
			}
			for _, r := range rows {
				if !yield(r, nil) {
					return
				}
			}
			left -= len(rows)
			if len(rows) < page.Limit || left == 0 {
				return
			}
			q.After = rows[len(rows)-1].ID
		}
	}
}

// rows returns one page of rows.
func (s *Snap) rows(q Query) ([]Row, error) {
	sql, args := q.sql()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return nil, s.err
	}
	var rows []Row
	s.err = s.c.queryOnce(sql, args, func(row []driver.Value) error {
		var w wanted
		rows = append(rows, w.row(row))
		return w.err
	})
	return rows, s.err
}

func (w *wanted) row(v []driver.Value) Row {
	r := Row{
		ID: w.id(v[0]), State: records.State(w.text(v[1])), Asks: records.State(w.text(v[2])),
		Class: records.Class(w.text(v[3])), Why: records.Why(w.text(v[4])), Title: w.text(v[5]),
		At: instant(w.number(v[7])), Created: instant(w.number(v[8])), Timed: w.number(v[9]) != 0,
	}
	if v[6] != nil {
		p := int(w.number(v[6]))
		r.Priority = &p
	}
	r.Kind = r.ID.Kind()
	return r
}

// rowColumns are those that [wanted.row] reads.
const rowColumns = "records.rec, records.state, records.asks, records.class, records.why, records.title, records.priority, " +
	"records.at, records.created, records.timed"

// sql returns the statement for one page, and its arguments.
func (q Query) sql() (string, []driver.Value) {
	from := "records"
	if len(q.Kinds) == 1 && q.Order == ByPriority { // in the order of an index, which the limit ends early
		from += " INDEXED BY by_urgency"
	}
	where, args := q.where()
	by := q.Order.columns()
	if q.After != "" {
		rec, ok := number(q.After)
		if !ok {
			rec = -1 // finds no row to be after
		}
		where, args = append(where, "("+by+") > (SELECT "+by+" FROM records WHERE rec = ?)"), append(args, rec)
	}
	sql := "SELECT " + rowColumns + " FROM " + from
	if len(where) > 0 {
		sql += " WHERE " + strings.Join(where, " AND ")
	}
	return sql + " ORDER BY " + by + " LIMIT ?", append(args, int64(q.Limit))
}

// where returns the conditions on rows, and their arguments.
func (q Query) where() (where []string, args []driver.Value) {
	in := func(column string, vs []driver.Value) {
		if len(vs) > 0 {
			where = append(where, column+" IN (?"+strings.Repeat(",?", len(vs)-1)+")")
			args = append(args, vs...)
		}
	}
	var kinds []driver.Value
	for _, k := range q.Kinds {
		kinds = append(kinds, kindNumber(k))
	}
	if len(kinds) == 1 && q.Order != ByPriority { // a range of rows, where the column would need a look at each
		first := kinds[0].(int64) << randomBits
		where, args = append(where, "records.rec BETWEEN ? AND ?"), append(args, first, first|(1<<randomBits-1))
	} else {
		in("records.kind", kinds)
	}
	in("records.state", words(q.States))
	if len(q.Classes) > 0 {
		classes := words(q.Classes)
		or := "records.class IN (?" + strings.Repeat(",?", len(classes)-1) + ") OR records.timed"
		args = append(args, classes...)
		for _, id := range q.Also {
			if rec, ok := number(id); ok {
				or, args = or+" OR records.rec = ?", append(args, rec)
			}
		}
		where = append(where, "("+or+")")
	}
	if q.Tag != "" {
		k := keyOf(tagLookup(q.Tag))
		where, args = append(where, "records.rec IN (SELECT rec FROM lookups WHERE key = ?)"), append(args, k[:])
	}
	return where, args
}

// Selects reports whether q selects a record with the given row and tags,
// order and limits aside.
func (q Query) Selects(r Row, tags []string) bool {
	return among(q.Kinds, r.Kind) && among(q.States, r.State) && among(q.Classes, r.Class) &&
		(q.Tag == "" || slices.Contains(tags, q.Tag))
}

func among[T comparable](legal []T, v T) bool { return len(legal) == 0 || slices.Contains(legal, v) }

// Compare orders rows.
func (o Order) Compare(a, b Row) int {
	switch o {
	case Newest:
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.ID, b.ID))
	case ByPriority:
		return cmp.Or(cmp.Compare(usual(a.Priority), usual(b.Priority)), a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	}
	return cmp.Compare(a.ID, b.ID)
}

func usual(priority *int) int {
	if priority == nil {
		return 2
	}
	return *priority
}

// columns returns what an order sorts by, ascending.
func (o Order) columns() string {
	switch o {
	case Newest:
		return "-created, rec"
	case ByPriority:
		return "ifnull(priority, 2), created, rec"
	}
	return "rec"
}

func words[T ~string](ss []T) []driver.Value {
	vs := make([]driver.Value, len(ss))
	for i, s := range ss {
		vs[i] = string(s)
	}
	return vs
}

// A Count is how many records share a kind and a standing, as in [Row].
type Count struct {
	Kind  records.Kind
	State records.State
	Class records.Class
	Why   records.Why
	Asks  records.State
	Timed bool
	N     int
}

// Counts returns the counts of all records, sorted by class, state, kind, why and asks.
func (s *Snap) Counts() ([]Count, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var cs []Count
	s.query("SELECT class, state, kind, timed, n, why, asks FROM totals WHERE n > 0 ORDER BY 1, 2, 3, 6, 7, 4", nil,
		func(row []driver.Value, w *wanted) {
			c := Count{Class: records.Class(w.text(row[0])), State: records.State(w.text(row[1])), N: int(w.number(row[4]))}
			c.Timed = w.number(row[3]) != 0
			c.Why, c.Asks = records.Why(w.text(row[5])), records.State(w.text(row[6]))
			k := w.number(row[2])
			w.check(k >= 0 && k < int64(len(prefixes)), row[2])
			if w.err == nil {
				c.Kind = prefixes[k].kind
			}
			cs = append(cs, c)
		})
	return cs, s.err
}
