package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var duplicateOrigin = &Rule{
	ID:       "duplicate-origin",
	Severity: records.Warning,
	Summary:  "A record claims an origin that belongs to another id",
	Explanation: `An imported record's id is made from its system and key, so that every clone gives
the same thing the same id. This record names an origin under another id: another
program pushed it, or somebody copied a file. The next import does not know it, and
what the source says then stands twice.

Read both. Keep the one that imports make, and close the other:

    git ctx show ID OTHER
    git ctx supersede ID --by OTHER --reason WHY`,
	check: func(p *pass, r *records.Record) {
		if r.Origin == nil || r.Settled() {
			return
		}
		want := records.ImportID(r.Kind, r.Origin.System, r.Origin.Key)
		if want == r.ID {
			return
		}
		f := Finding{
			Record:  r.ID,
			Related: []records.ID{want},
			Message: fmt.Sprintf("%s claims to be %q of %q, whose id is %s", name(r), r.Origin.Key, r.Origin.System, want),
			Hint:    show(r.ID),
		}
		if p.get(want) != nil {
			f.Message += ", which is there too"
			f.Hint = show(r.ID, want)
		}
		p.report(f)
	},
}
