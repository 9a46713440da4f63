package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var danglingLink = &Rule{
	ID:       "dangling-link",
	Severity: records.Warning,
	Summary:  "A link or citation leads to a record that does not exist",
	Explanation: `The record points to an id that the store does not have, so part of its reasoning
cannot be followed. Verbs refuse such links; a hand edit, a lost file or a merge
that brought one side only can leave them.

See whether history had the record, and bring it back:

    git ctx log ID
    git ctx revert COMMIT

Or take the link away, or judge again without the citation:

    git ctx unlink ID RELATION=TARGET`,
	check: func(p *pass, r *records.Record) {
		for _, rel := range records.Relations(r.Kind) {
			for _, id := range r.Links[rel] {
				p.dangling(r, id, string(rel)+" leads", unlink(r.ID, rel, id))
			}
		}
		if r.Verdict == nil {
			return
		}
		for _, id := range r.Verdict.Cites {
			p.dangling(r, id, "the verdict's cites lead", show(r.ID))
		}
		for _, id := range r.Successors() {
			p.dangling(r, id, "superseded-by leads", show(r.ID))
		}
	},
}

// dangling reports target when it is missing. One that cannot be read is
// reported as such, and one that was forgotten is still there.
func (p *pass) dangling(r *records.Record, target records.ID, leads, hint string) {
	if _, ok := p.in.View.Record(target); ok || p.unreadable[target] {
		return
	}
	p.report(Finding{
		Record:  r.ID,
		Related: []records.ID{target},
		Message: fmt.Sprintf("%s: %s to %s, which does not exist", name(r), leads, target),
		Hint:    hint,
		key:     leads,
	})
}
