package audit

import (
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/records"
)

// noon is when the tests' audits take place.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// A store is the records of one test and how they are audited.
type store struct {
	records []*records.Record
	changed map[records.ID]bool // whose content is not what was judged
	vetoes  map[records.ID]records.State
	in      Input
}

func newStore() *store {
	return &store{
		changed: make(map[records.ID]bool),
		vetoes:  make(map[records.ID]records.State),
		in:      Input{Eval: records.EvalContext{Review: records.ReviewHuman, ValidAt: noon}},
	}
}

// add makes a record whose id ends in key, judged by a human.
func (s *store) add(k records.Kind, key, title string, st records.State) *records.Record {
	id := records.ID(k.Schema().Prefix + "-" + strings.Repeat(key, 10)[:10])
	r := &records.Record{
		ID: id, Kind: k, Title: title,
		Verdict: &records.Verdict{State: st, By: "Ada Example", Actor: records.Human, At: noon, N: "n" + key},
		Links:   make(map[records.Relation][]records.ID),
		Created: records.Created{By: "Ada Example", Actor: records.Human, At: noon},
	}
	s.records = append(s.records, r)
	return r
}

// link adds links and keeps them sorted as the format does.
func link(from *records.Record, rel records.Relation, to ...*records.Record) {
	for _, r := range to {
		from.Links[rel] = append(from.Links[rel], r.ID)
	}
}

func (s *store) input() Input {
	for _, r := range s.records {
		if r.Verdict != nil {
			r.Verdict.Of = r.Digest()
			if s.changed[r.ID] {
				r.Verdict.Of = "000000000000"
			}
		}
	}
	in := s.in
	in.View = records.NewSet(s.records, s.vetoes)
	return in
}

// of returns the findings of one rule.
func of(rule string, fs []Finding) []Finding {
	var out []Finding
	for _, f := range fs {
		if f.Rule == rule {
			out = append(out, f)
		}
	}
	return out
}

// provenance makes history tell the same of every verdict.
func (s *store) provenance(p records.Provenance) {
	s.in.Eval.Provenance = func(*records.Record, *records.Verdict) records.Provenance { return p }
}
