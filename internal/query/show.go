package query

import (
	"slices"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/records"
)

// A Backlink lists the records that link to one by a relation.
type Backlink struct {
	Relation records.Relation
	IDs      []records.ID
}

// Backlinks returns all links to a record, in the relations' canonical order.
func Backlinks(v records.View, id records.ID) []Backlink {
	var rels []records.Relation
	for _, s := range records.Schemas() {
		for _, rel := range records.Relations(s.Kind) {
			if !slices.Contains(rels, rel) {
				rels = append(rels, rel)
			}
		}
	}
	var out []Backlink
	for _, rel := range append(rels, records.SupersededBy) {
		if ids := v.Backlinks(id, rel); len(ids) > 0 {
			out = append(out, Backlink{rel, ids})
		}
	}
	return out
}

// Shown is one record in the JSON answer of show.
type Shown struct {
	Record    *records.Record                   `json:"record"`
	Standing  Standing                          `json:"standing"`
	Backlinks map[records.Relation][]records.ID `json:"backlinks"`
	Linked    map[records.ID]Neighbour          `json:"linked"`
	Warnings  []string                          `json:"warnings"`
}

// Neighbour is what a link leads to or comes from.
type Neighbour struct {
	State records.State `json:"state"`
	Class records.Class `json:"class"`
	Title string        `json:"title"`
}

// ShowAnswer is the JSON answer of show.
type ShowAnswer struct {
	Format  int          `json:"format"`
	Commit  gitstore.OID `json:"commit"`
	Branch  string       `json:"branch,omitempty"`
	Records []Shown      `json:"records"`
}

// Show tells all there is to say of records of the reading.
func Show(rd *Reading, rs []*records.Record) ShowAnswer {
	out := ShowAnswer{Format: AnswerFormat, Commit: rd.Commit, Branch: rd.Branch}
	for _, r := range rs {
		st := rd.Standing(r.ID)
		s := Shown{Record: r, Standing: StandingOf(st), Warnings: append([]string{}, rd.Warnings(r, st)...),
			Backlinks: map[records.Relation][]records.ID{}, Linked: map[records.ID]Neighbour{}}
		meet := func(ids []records.ID) {
			for _, id := range ids {
				if o, ok := rd.Record(id); ok {
					ost := rd.Standing(id)
					s.Linked[id] = Neighbour{ost.State, ost.Class, TitleIn(o, ost)}
				}
			}
		}
		for _, ids := range r.Links {
			meet(ids)
		}
		meet(r.Successors())
		if r.Verdict != nil {
			meet(r.Verdict.Cites)
		}
		for _, b := range Backlinks(rd.View, r.ID) {
			s.Backlinks[b.Relation] = b.IDs
			meet(b.IDs)
		}
		out.Records = append(out.Records, s)
	}
	return out
}
