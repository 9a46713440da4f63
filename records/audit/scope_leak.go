package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

// A Leak is a link from a record of the project to one that only the scope at
// hand holds.
type Leak struct{ From, To records.ID }

var scopeLeak = &Rule{
	ID:       "scope-leak",
	Severity: records.Error,
	Summary:  "A record of the project refers to one that only this scope holds",
	Explanation: `A scope's records may refer to the project's, and the project's not to a scope's: its
readers cannot follow the link, and it tells them that there is something to follow.
git ctx refuses such a link; a hand commit or another tool made it. Only an audit that
is bound to the scope can tell; to the project's readers the link leads nowhere
(dangling-link).

Take the link out of the project's record, or bring the other one into the project:

    git ctx unlink ID REL=ID
    git ctx --scope SCOPE promote ID`,
	store: func(p *pass) {
		for _, l := range p.in.Leaks {
			p.report(Finding{
				Record: l.From, Related: []records.ID{l.To},
				Path:    records.IDPath(l.From),
				Message: fmt.Sprintf("%s of the project refers to %s, which only this scope holds", l.From, l.To),
				Hint:    fmt.Sprintf("git ctx promote %s", l.To),
				key:     string(l.To),
			})
		}
	},
}
