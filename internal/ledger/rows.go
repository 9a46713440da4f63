package ledger

import (
	"iter"
	"maps"
	"slices"

	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/standing"
)

// Rows yields what lists show of the records that q selects, judged by j, in
// q's order. An error is the last yield. Where an index holds the view, only
// the rows asked for are read.
func (v *View) Rows(j records.EvalContext, q index.Query) iter.Seq2[index.Row, error] {
	if !v.rowsHold(j) {
		return v.rowsOfAll(j, q)
	}
	limit := q.Limit
	q.Limit = 0
	again := v.touched()
	q.Also = append(slices.Clone(q.Also), slices.Collect(maps.Keys(again))...)
	return func(yield func(index.Row, error) bool) {
		eval := standing.NewEvaluator(v, j)
		n := 0
		for row, err := range v.snap.Rows(q) {
			if err != nil {
				yield(row, err)
				return
			}
			if again[row.ID] || row.Timed {
				st := eval.Standing(row.ID)
				row.State, row.Class, row.Why = st.State, st.Class, st.Why
				if len(q.Classes) > 0 && !slices.Contains(q.Classes, row.Class) {
					continue
				}
			}
			if !yield(row, nil) {
				return
			}
			if n++; n == limit {
				return
			}
		}
	}
}

// rowsHold reports whether the index's rows are those of the view as judged by j.
func (v *View) rowsHold(j records.EvalContext) bool {
	return v.snap != nil && !v.laid && j.Review == v.snap.Review()
}

// touched returns the records whose standing vetoes and losses bear on, of which
// the index knows nothing.
func (v *View) touched() map[records.ID]bool {
	return touched(v, slices.Collect(maps.Keys(v.vetoed)), slices.Collect(maps.Keys(v.lost)))
}

// rowsOfAll answers without an index: it judges every record.
func (v *View) rowsOfAll(j records.EvalContext, q index.Query) iter.Seq2[index.Row, error] {
	return func(yield func(index.Row, error) bool) {
		var rows []index.Row
		eval := standing.NewEvaluator(v, j)
		for r := range v.All() {
			row := rowOf(r, eval)
			if q.Selects(row, r.Tags) {
				rows = append(rows, row)
			}
		}
		slices.SortFunc(rows, q.Order.Compare)
		after := q.After == ""
		n := 0
		for _, row := range rows {
			if !after {
				after = row.ID == q.After
				continue
			}
			if !yield(row, nil) {
				return
			}
			if n++; n == q.Limit {
				return
			}
		}
	}
}

// Whole returns the view's records held in memory: for what looks at all of
// them and their neighbours, that is far quicker than to ask one by one.
func (v *View) Whole() (records.View, error) {
	if v.snap == nil {
		return v, nil
	}
	rs := make([]*records.Record, 0, v.Len())
	for r := range v.All() {
		rs = append(rs, r)
	}
	return records.NewSet(rs, v.vetoed), v.Err()
}

// A Tally names records that lists need not tell apart.
type Tally struct {
	Kind  records.Kind
	State records.State
	Asks  records.State
	Class records.Class
	Why   records.Why
}

// Tally counts the view's records by their standing, judged by j.
func (v *View) Tally(j records.EvalContext) (map[Tally]int, error) {
	n := make(map[Tally]int)
	eval := standing.NewEvaluator(v, j)
	count := func(row index.Row) { n[Tally{row.Kind, row.State, row.Asks, row.Class, row.Why}]++ }
	if !v.rowsHold(j) {
		for r := range v.All() {
			count(rowOf(r, eval))
		}
		return n, v.Err()
	}
	counts, err := v.snap.Counts()
	if err != nil {
		return nil, err
	}
	again := v.touched()
	judgeAgain := len(again) > 0
	for _, c := range counts {
		if !c.Timed {
			n[Tally{c.Kind, c.State, c.Asks, c.Class, c.Why}] += c.N
		} else {
			judgeAgain = true
		}
	}
	if !judgeAgain { // to look for such records costs a walk over all rows
		return n, v.Err()
	}
	// What the index cannot judge is judged here: a class of no record selects just that.
	q := index.Query{Classes: []records.Class{"-"}, Also: slices.Collect(maps.Keys(again))}
	for was, err := range v.snap.Rows(q) {
		if err != nil {
			return nil, err
		}
		if !was.Timed {
			n[Tally{was.Kind, was.State, was.Asks, was.Class, was.Why}]--
		}
		if r, ok := v.Record(was.ID); ok {
			count(rowOf(r, eval))
		}
	}
	return n, v.Err()
}

// Counts counts the view's records by class, judged by j.
func (v *View) Counts(j records.EvalContext) (map[records.Class]int, error) {
	tally, err := v.Tally(j)
	n := make(map[records.Class]int)
	for t, c := range tally {
		n[t.Class] += c
	}
	return n, err
}

// rowOf is the row of a record.
func rowOf(r *records.Record, eval *standing.Evaluator) index.Row {
	st := eval.Standing(r.ID)
	row := index.Row{
		ID: r.ID, Kind: r.Kind, State: st.State, Class: st.Class, Why: st.Why, Priority: r.Priority, Created: r.Created.At,
		Timed: eval.Timed(r.ID),
	}
	if !r.Forgotten() {
		row.Title = r.Title
	}
	if r.Verdict != nil {
		row.Asks, row.At = r.Verdict.Asks, r.Verdict.At
	}
	return row
}
