package index

import (
	"iter"
	"slices"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/standing"
)

// A probe is the view of a store with one record. It notes what it was asked,
// and so tells whether a judgement on it holds in a larger store: it does when
// every answer would be the same there.
type probe struct {
	it    *item
	met   bool // asked for another record
	asked []posting
}

// judgeAlone evaluates the record as if it were the only one. The standing
// holds if met is false and no other record answers to what was asked.
func (it *item) judgeAlone(c records.EvalContext) (st records.Standing, asked []posting, met bool) {
	p := &probe{it: it}
	st = standing.Of(p, it.record.ID, c)
	return st, p.asked, p.met
}

func (p *probe) Record(id records.ID) (*records.Record, bool) {
	if id == p.it.record.ID {
		return p.it.record, true
	}
	p.met = true
	return nil, false
}

func (p *probe) find(l records.Lookup) []records.ID {
	q := posting{keyOf(l), p.it.rec}
	p.asked = append(p.asked, q)
	if _, found := slices.BinarySearchFunc(p.it.postings, q, comparePostings); found {
		return []records.ID{p.it.record.ID}
	}
	return nil
}

func (p *probe) Backlinks(id records.ID, rel records.Relation) []records.ID {
	return p.find(records.BacklinksLookup(id, rel))
}
func (p *probe) OnQuestion(key string) []records.ID { return p.find(records.QuestionLookup(key)) }
func (p *probe) Titled(k records.Kind, key string) []records.ID {
	return p.find(records.TitleLookup(k, key))
}
func (p *probe) Forgotten(k records.Kind) []records.ID { return p.find(records.ForgottenLookup(k)) }
func (p *probe) InState(k records.Kind, s records.State) []records.ID {
	return p.find(stateLookup(k, s))
}
func (p *probe) Match(string) ([]records.ID, error) {
	p.met = true
	return nil, nil
}
func (p *probe) Veto(records.ID) (records.State, bool) { return "", false }

func (p *probe) All() iter.Seq[*records.Record] {
	p.met = true
	return func(yield func(*records.Record) bool) { yield(p.it.record) }
}

func (p *probe) Len() int {
	p.met = true
	return 1
}

const updateStanding = `UPDATE records SET state = ?2, class = ?3, why = ?4, timed = ?5
	WHERE rec = ?1 AND (state, class, why, timed) IS NOT (?2, ?3, ?4, ?5)`

// rejudge brings the standing of records up to date, once all rows are in.
// Those that are not there are passed over.
func (c *conn) rejudge(v *lookups, recs []int64, j records.EvalContext) error {
	eval := standing.NewEvaluator(v, j)
	for _, rec := range recs {
		r, ok := v.load(rec)
		if !ok {
			continue
		}
		st, timed := eval.Standing(r.ID), eval.Timed(r.ID)
		if v.err != nil {
			break
		}
		if err := c.exec(updateStanding, rec, string(st.State), string(st.Class), string(st.Why), truth(timed)); err != nil {
			return err
		}
	}
	return v.err
}
