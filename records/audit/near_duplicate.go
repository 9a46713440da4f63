package audit

import (
	"fmt"
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

var nearDuplicate = &Rule{
	ID:       "near-duplicate",
	Severity: records.Warning,
	Summary:  "Two open records of one kind have nearly the same title",
	Explanation: `Without case, punctuation and order, at least 4 in 5 of the words in either title are
in both, and all words with a digit are. Two sessions may have written down the
same thing; work and evidence then split over both.

Read both. Keep one, and close the other or put it under the first:

    git ctx show ID OTHER
    git ctx supersede OTHER --by ID --reason WHY
    git ctx drop OTHER --reason WHY

Records that are known to be alike are not reported: say so with a link.

    git ctx link OTHER duplicates=ID
    git ctx link OTHER competes-with=ID
    git ctx link OTHER contradicts=ID`,
	far: true,
	check: func(p *pass, r *records.Record) {
		if !r.Open() {
			return
		}
		if p.titles == nil {
			p.titles = newTitleIndex(p.in.View)
		}
		near, ok := p.titles.nearest(r.ID, func(id records.ID) bool { return p.knownAlike(r, id) })
		if !ok {
			return
		}
		p.report(Finding{
			Record:  r.ID,
			Related: []records.ID{near.id},
			Message: fmt.Sprintf("%s has nearly the same title as %s (%d%% of the words)", name(r), p.names([]records.ID{near.id}), near.percent),
			Hint:    show(near.id, r.ID),
		})
	},
}

// knownAlike reports whether a link between the two records says how they relate.
func (p *pass) knownAlike(r *records.Record, id records.ID) bool {
	o := p.get(id)
	if o == nil {
		return true
	}
	for _, rel := range []records.Relation{records.Duplicates, records.CompetesWith, records.Contradicts, records.Reopens, records.Supersedes} {
		if slices.Contains(r.Links[rel], id) || slices.Contains(o.Links[rel], r.ID) {
			return true
		}
	}
	return false
}
